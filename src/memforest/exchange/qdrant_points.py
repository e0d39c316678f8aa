"""Points of a local Qdrant store as bytes, without qdrant-client and without running what a pickle asks for."""

from __future__ import annotations

import base64
import io
import pickle
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from memforest.core.errors import DataError

_MODULE = "qdrant_client.http.models.models"
_CLASSES = ("PointStruct", "SparseVector")
_PROTOCOL = 4
"""The one that Qdrant writes keys with."""


class _Struct:
    """What an object of a Qdrant class was pickled as: its class and its state, whatever that holds."""

    name: str
    state: Any

    def __setstate__(self, state: Any) -> None:
        self.state = state


_STRUCTS: Mapping[str, type[_Struct]] = {name: type(name, (_Struct,), {"name": name}) for name in _CLASSES}


class _Reader(pickle.Unpickler):
    """Knows the classes of a point and no others; nothing else in a pickle can be called."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        """A stand-in for one of Qdrant's classes. Raises UnpicklingError for anything else."""
        if module_name == _MODULE and global_name in _STRUCTS:
            return _STRUCTS[global_name]
        raise pickle.UnpicklingError(f"it holds {module_name}.{global_name}")


class _Writer(pickle._Pickler):
    """Writes a stand-in as the class that it stands for, which need not be installed."""

    def _save_struct(self, struct: _Struct) -> None:
        write: Any = self.write  # type: ignore[attr-defined]
        write(pickle.GLOBAL + f"{_MODULE}\n{struct.name}\n".encode())
        write(pickle.EMPTY_TUPLE + pickle.NEWOBJ)
        self.save(struct.state)  # type: ignore[attr-defined]
        write(pickle.BUILD)

    dispatch: ClassVar[dict[type, Any]] = {
        **pickle._Pickler.dispatch,
        **dict.fromkeys(_STRUCTS.values(), _save_struct),
    }


class Point:
    """One stored point: id, payload, vector, and all else that Qdrant keeps with it.

    `stored` is the row that it was read from; a point that nobody changed is written back as that row.
    """

    def __init__(self, struct: _Struct, *, stored: tuple[str, bytes] | None) -> None:
        self._struct = struct
        self._stored = stored
        fields = struct.state["__dict__"]
        self.id: str | int = fields["id"]
        self.payload: Mapping[str, Any] = fields["payload"] or {}
        self._named: dict[str, Any] = _named(fields["vector"])

    @property
    def key(self) -> str:
        """The id in its canonical spelling; two spellings of one UUID are one point."""
        try:
            return str(uuid.UUID(str(self.id)))
        except ValueError:
            return str(self.id)

    @property
    def vector(self) -> Sequence[float]:
        """The dense vector. Raises DataError when there is none, or several."""
        dense = [vector for vector in self._named.values() if isinstance(vector, list)]
        if len(dense) != 1 or not dense[0] or isinstance(dense[0][0], list):
            raise DataError(f"the point {self.key} has no single dense vector")
        found: list[float] = dense[0]
        return found

    @property
    def has_sparse(self) -> bool:
        """Whether a sparse vector of its words stands beside the dense one."""
        return any(isinstance(vector, _Struct) for vector in self._named.values())

    def with_payload(self, payload: Mapping[str, Any]) -> Point:
        """The same point with other things known about it."""
        return self._changed(payload=dict(payload))

    def with_vector(self, vector: Sequence[float]) -> Point:
        """The same point with another dense vector."""
        named = {name: list(vector) if isinstance(old, list) else old for name, old in self._named.items()}
        return self._changed(vector=named if self._is_named else named[""])

    def successor(self, *, id: str, payload: Mapping[str, Any], vector: Sequence[float]) -> Point:
        """A point of its own in the place of this one. A sparse vector is that of a text, and stays behind."""
        return self._changed(
            id=id, payload=dict(payload), vector={"": list(vector)} if self._is_named else list(vector)
        )

    def row(self) -> tuple[str, bytes]:
        """The point's row in the table `points`, as Qdrant writes it."""
        if self._stored is not None:
            return self._stored
        buffer = io.BytesIO()
        _Writer(buffer, protocol=_PROTOCOL).dump(self._struct)
        return base64.b64encode(pickle.dumps(self.id, protocol=_PROTOCOL)).decode(), buffer.getvalue()

    @property
    def _is_named(self) -> bool:
        return isinstance(self._struct.state["__dict__"]["vector"], dict)

    def _changed(self, **fields: Any) -> Point:
        struct = _STRUCTS["PointStruct"]()
        struct.state = {**self._struct.state, "__dict__": {**self._struct.state["__dict__"], **fields}}
        return Point(struct, stored=None)


def _named(vector: Any) -> dict[str, Any]:
    """Vectors by name; an only one has none."""
    return vector if isinstance(vector, dict) else {"": vector}


def read_point(key: str, blob: bytes, *, where: str) -> Point:
    """The point of a row of the table `points`. Raises DataError for anything but a point of plain values."""
    try:
        struct = _Reader(io.BytesIO(blob)).load()
    except Exception as error:
        # A pickle is a program of its own, and this one is the user's or anybody's: it can fail in any way.
        raise DataError(f"{where}: no point that can be read safely ({error})") from error
    if not isinstance(struct, _STRUCTS["PointStruct"]) or not _is_point(struct):
        raise DataError(f"{where}: no point of a Qdrant store")
    return Point(struct, stored=(key, blob))


def _is_point(struct: _Struct) -> bool:
    fields = struct.state.get("__dict__") if isinstance(getattr(struct, "state", None), dict) else None
    return (
        isinstance(fields, dict)
        and isinstance(fields.get("id"), str | int)
        and isinstance(fields.get("payload"), dict | None)
        and "vector" in fields
    )
