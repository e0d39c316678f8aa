"""A bound on the memory that reading a file may take, where the system has one."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def bounded_memory(more: int) -> Iterator[None]:
    """Within the block the process may take `more` bytes than it has now; what asks for more gets a MemoryError.

    It bounds nothing where the system does not say how much is taken (anything but Linux).
    """
    if sys.platform != "linux":
        yield
        return
    import resource

    taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
    before, hard = resource.getrlimit(resource.RLIMIT_AS)
    limits = [limit for limit in (before, hard, taken + more) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (before, hard))
