"""What an unpickler would do, looked at before it does it."""

from __future__ import annotations

import pickle
import pickletools
from collections.abc import Callable
from typing import IO

_VALUES = frozenset(
    (
        *("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT", "NONE"),
        *("NEWTRUE", "NEWFALSE", "STRING", "BINSTRING", "SHORT_BINSTRING", "UNICODE", "BINUNICODE"),
        *("SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES", "BINBYTES8"),
    )
)
_WITHOUT_EFFECT = frozenset(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE", "FRAME", "PROTO"))
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def require_plain(stream: IO[bytes], *, look_up: Callable[[str, str], object]) -> None:
    """Raises UnpicklingError where a pickle makes a tuple of anything but numbers and texts that stand in it, or a
    frozenset; ValueError for what is no pickle. `look_up` gets module and name of what it asks for, where both can be
    told, and may raise first: that a pickle calls something says more than what it calls it with.

    Keys of a mapping are hashed while a pickle is read. Tuples in tuples, a few bytes each, can be so deep that hashing
    them ends the interpreter, or share their parts so that it never ends; a graph's keys are pairs of ids.
    """
    # How many values were put on the stack since anything else was, and whether a mark stands below them.
    values, marked, last = 0, False, ("", "")
    for opcode, argument, place in pickletools.genops(stream):
        name = opcode.name
        if name in _VALUES:
            values, last = values + 1, (last[1], argument if isinstance(argument, str) else "")
        elif name == "FROZENSET" or values < _TUPLES.get(name, 0) or (name == "TUPLE" and not marked):
            raise pickle.UnpicklingError(f"at byte {place} it makes a tuple or set of more than numbers and texts")
        elif name not in _WITHOUT_EFFECT:
            if name == "GLOBAL":
                look_up(*str(argument).split(" ", 1))
            elif name == "STACK_GLOBAL" and values >= 2:
                look_up(*last)
            values, marked = 0, name == "MARK"
