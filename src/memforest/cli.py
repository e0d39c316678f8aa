"""The `memforest` command."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from memforest.commands import answers, bench, data, memories, runs
from memforest.core.errors import MemforestError


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry of the command. Exits with 1 after an error, with 2 after a usage error, and with 3 where calls failed that
    the same command makes again."""
    parser = argparse.ArgumentParser(prog="memforest", description="Runs, memories and data of the memforest harness.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for module in (runs, memories, answers, bench, data):
        module.add_commands(commands)
    parsed, extra = parser.parse_known_args(arguments)
    if extra and (not parsed.settings or any(word.startswith("-") or "=" not in word for word in extra)):
        parser.error(f"unrecognised arguments: {' '.join(extra)}")
    status = 0
    try:
        status = parsed.act(parsed, extra) or 0
    except MemforestError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        print("interrupted; nothing was changed", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough.
        sys.stderr.close()
    if status:
        sys.exit(status)


if __name__ == "__main__":
    main()
