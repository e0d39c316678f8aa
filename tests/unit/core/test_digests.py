"""Content hashes."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import pytest

from memforest.core.digests import canonical_json, digest, file_digest


def test_the_order_of_keys_does_not_count() -> None:
    assert digest({"a": 1, "b": {"c": 2, "d": 3}}) == digest({"b": {"d": 3, "c": 2}, "a": 1})


@pytest.mark.parametrize("other", [{"a": [2, 1]}, {"a": [1, 2, None]}, {"a": ["1", 2]}, {"b": [1, 2]}, [1, 2]])
def test_another_value_has_another_digest(other: Any) -> None:
    assert digest({"a": [1, 2]}) != digest(other)


def test_the_canonical_form_is_pinned() -> None:
    assert canonical_json({"b": [1, 0.5, None, True], "a": "ü"}) == '{"a":"ü","b":[1,0.5,null,true]}'


def test_the_digest_is_the_sha256_of_the_canonical_form() -> None:
    assert digest({"a": "ü"}) == hashlib.sha256('{"a":"ü"}'.encode()).hexdigest()


@pytest.mark.parametrize("value", [math.nan, math.inf, [math.nan]])
def test_numbers_that_are_not_finite_have_no_digest(value: Any) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        digest(value)


def test_a_file_is_hashed_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\nb\x00")
    assert file_digest(path) == hashlib.sha256(b"a\r\nb\x00").hexdigest()
