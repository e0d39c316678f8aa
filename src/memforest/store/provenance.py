"""Where a number came from: commit, packages, machine. Kept apart from results, which must not depend on it."""

from __future__ import annotations

import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any


def provenance() -> dict[str, Any]:
    """Commit and dirty flag of the checkout (null outside one), Python, platform, and all installed packages."""
    folder = Path(__file__).parent.parent
    top = _git(folder, "rev-parse", "--show-toplevel")
    # Installed into an environment that lies inside somebody else's checkout, its commit would say nothing.
    ours = top is not None and Path(top) / "src" / "memforest" == folder
    status = _git(folder, "status", "--porcelain") if ours else None
    return {
        "time": datetime.now(tz=UTC).isoformat(timespec="seconds"),
        "commit": _git(folder, "rev-parse", "HEAD") if ours else None,
        "dirty": None if status is None else bool(status),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "processor": platform.machine(),
        "packages": dict(
            sorted((item.metadata["Name"], item.version) for item in metadata.distributions() if item.metadata["Name"])
        ),
    }


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True, timeout=10
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()
