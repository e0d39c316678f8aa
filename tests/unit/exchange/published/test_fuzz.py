"""Whatever a file holds, an import ends with numbers or with one DataError."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memforest.core.errors import DataError
from memforest.exchange.published.benchmark import Name, read_benchmark
from memforest.exchange.published.command import import_file
from memforest.exchange.published.words import import_lines
from tests.unit.exchange.published.forms import FORMS, INDEX, LINES, LONGMEMEVAL, dataset, form, write

NUMBERS = [0, -1, 10**30, 10**400, 1e300]
TEXTS = ["", "x", "5", "9" * 5000, "\ud83d", "conv-a", "q1", "judgment_x"]
OTHERS: list[Any] = [None, True, [], [[]], [None], {}, {"a": 1}]
KEYS = st.sampled_from(["a", "0", "1", "9" * 5000, "judgment_9", "question"])
JUNK: st.SearchStrategy[Any] = st.sampled_from([*NUMBERS, *TEXTS, *OTHERS])


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with a key, from the top."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def changed(content: Any, data: st.DataObject) -> Any:
    """The content after one to three changes anywhere in it."""
    for _ in range(data.draw(st.integers(1, 3))):
        if not (found := places(content)):
            break
        container, key = data.draw(st.sampled_from(found))
        if data.draw(st.booleans()):
            container[key] = json.loads(json.dumps(data.draw(JUNK)))
        elif isinstance(container, dict):
            container[data.draw(KEYS)] = container.pop(key)
        else:
            del container[key]
    return content


@pytest.mark.parametrize("content", [LONGMEMEVAL, INDEX])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_dataset_gives_questions_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, content: Any, data: st.DataObject
) -> None:
    path = write(tmp_path_factory.mktemp("d") / "f.json", changed(json.loads(json.dumps(content)), data))
    try:
        assert read_benchmark("longmemeval", path).items
    except DataError as error:
        assert "f.json" in str(error)


@pytest.mark.parametrize("name", FORMS)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_changed_file_gives_numbers_or_one_error(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    content = changed(form(name), data)
    folder = tmp_path_factory.mktemp("d")
    kind = cast(Name, FORMS[name][0])
    file = write(folder / "f.json", content, lines=name in LINES)
    try:
        found_numbers = import_file(
            file, dataset=kind, path=dataset(folder, kind), out=folder / "out", hypotheses=None, replace=False
        )
    except DataError as error:
        assert "f.json" in str(error)
        assert not (folder / "out").exists()
        return
    json.dumps(found_numbers, allow_nan=False)
    assert "\n".join(import_lines(found_numbers)).encode()


def test_no_change_gives_numbers(tmp_path: Path) -> None:
    for name, (kind, _) in FORMS.items():
        file = write(tmp_path / "f.json", form(name), lines=name in LINES)
        found = import_file(
            file, dataset=cast(Name, kind), path=dataset(tmp_path, kind), out=None, hypotheses=None, replace=False
        )
        assert found["questions"] > 0
