"""A harness for agent-memory research: EventTree and MemTree, and everything they compare with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memforest.compression import Compressed, compress

__all__ = ["Compressed", "__version__", "compress"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Public names are imported when asked for, so that `import memforest` stays light."""
    if name in ("compress", "Compressed"):
        from memforest import compression

        return getattr(compression, name)
    raise AttributeError(f"module 'memforest' has no attribute {name!r}")
