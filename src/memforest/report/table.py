"""Tables of text: aligned for a terminal, or Markdown."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns padded to their widest cell; the first to the left, numbers to the right."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    lines = [
        "  ".join(
            _padded(cell, width, column) for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]])


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A Markdown table; the first column to the left, numbers to the right."""
    rule = ["---", *["---:"] * (len(header) - 1)]
    return "\n".join("| " + " | ".join(row) + " |" for row in [list(header), rule, *map(list, rows)])


def number(value: float | None) -> str:
    """One decimal; a dash for what does not exist."""
    return "-" if value is None else f"{value:.1f}"


def with_interval(value: float | None, interval: Sequence[float] | None) -> str:
    """A mean with its interval."""
    bounds = "" if interval is None else f" [{interval[0]:.1f}, {interval[1]:.1f}]"
    return number(value) + bounds


def _padded(cell: str, width: int, column: int) -> str:
    return cell.ljust(width) if column == 0 else cell.rjust(width)
