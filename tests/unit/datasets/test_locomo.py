"""LoCoMo from a file: hand-made ones everywhere, the real one where MEMFOREST_DATA names its folder.

No text of the real file stands here, only ids, counts and hashes.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memforest.core.digests import digest, file_digest
from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.datasets.locomo import Locomo
from tests.builders import locomo_unit, question_row

FOLDER = os.environ.get("MEMFOREST_DATA", "")
needs_data = pytest.mark.skipif(
    not (Path(FOLDER) / "locomo/locomo10.json").is_file() or not FOLDER, reason="MEMFOREST_DATA does not hold LoCoMo"
)


def written(path: Path, units: Any) -> Path:
    path.write_text(json.dumps(units), encoding="utf-8")
    return path


def load(path: Path) -> LoadedDataset:
    return Locomo(path=str(path), data_folder="nowhere").load()


def test_an_unknown_hash_gives_exactly_one_notice_and_is_the_digest(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.json", [locomo_unit()])
    loaded = load(path)
    assert loaded.notices == (f"mine.json has sha256 {file_digest(path)[:12]}...: no version that this project knows",)
    assert loaded.digest == file_digest(path)


def test_the_notice_comes_before_those_of_the_content(tmp_path: Path) -> None:
    loaded = load(written(tmp_path / "mine.json", [locomo_unit(qa=[question_row(evidence=["D"])])]))
    assert len(loaded.notices) == 2
    assert loaded.notices[0].startswith("mine.json has sha256")


def test_files_of_equal_content_but_other_bytes_have_other_digests(tmp_path: Path) -> None:
    first = written(tmp_path / "a.json", [locomo_unit()])
    second = tmp_path / "b.json"
    second.write_text(first.read_text() + "\n")
    assert load(first).digest != load(second).digest


def test_a_missing_file_is_named_with_three_ways_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        load(tmp_path / "none.json")
    for part in (str(tmp_path / "none.json"), "dataset.path=FILE", "MEMFOREST_DATA", "memforest data fetch locomo"):
        assert part in str(caught.value)


def test_without_a_path_the_official_place_is_looked_at(tmp_path: Path) -> None:
    (tmp_path / "locomo").mkdir()
    written(tmp_path / "locomo/locomo10.json", [locomo_unit()])
    assert len(Locomo(path=None, data_folder=str(tmp_path)).load().units) == 1


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"not json", b'[{"a": 1},]'])
def test_a_file_that_is_not_json_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(DataError, match=r"broken\.json is not JSON"):
        load(path)


def test_json_of_another_benchmark_is_no_locomo_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"other\.json, unit 0: `conversation` is missing; this is not LoCoMo's schema"):
        load(written(tmp_path / "other.json", [{"question_id": "q1", "haystack_sessions": []}]))


@pytest.fixture(scope="module")
def real() -> LoadedDataset:
    return Locomo(path=None, data_folder=FOLDER).load()


@needs_data
def test_the_real_file_has_its_counts(real: LoadedDataset) -> None:
    assert len(real.units) == 10
    assert sum(len(unit.sessions) for unit in real.units) == 272
    assert sum(len(unit.turns) for unit in real.units) == 5882
    assert sum(len(unit.observations) for unit in real.units) == 2541
    assert len(real.questions) == len({question.id for question in real.questions}) == 1986


@needs_data
def test_the_real_file_has_its_categories(real: LoadedDataset) -> None:
    counts = Counter(gold.category for gold in real.golds)
    names = ("multi-hop", "temporal", "open-domain", "single-hop", "adversarial")
    assert [counts[name] for name in names] == [282, 321, 96, 841, 446]


@needs_data
def test_the_real_file_has_its_defects(real: LoadedDataset) -> None:
    assert {turn for gold in real.golds for turn in gold.unresolved} == {"D", "D10:19", "D4:36"}
    assert sum(not gold.evidence for gold in real.golds) == 4
    assert sum(gold.answer is None for gold in real.golds) == 444
    assert [gold.question_id for gold in real.golds if gold.answer and not gold.answerable] == [
        "conv-26/qa167",
        "conv-26/qa178",
    ]


@needs_data
def test_the_real_file_gives_one_notice_a_kind_and_unit_and_none_on_its_hash(real: LoadedDataset) -> None:
    assert [notice.split(":")[0] for notice in real.notices] == ["conv-26", "conv-42", "conv-47"]
    assert real.notices[0] == "conv-26: 16 session dates without a session, ignored"
    assert real.digest.startswith("79fa87e90f04")


@needs_data
@pytest.mark.parametrize(
    ("place", "identity", "fingerprint"),
    [(0, "conv-26/qa0", "49c4de9ff068"), (9, "conv-26/qa9", "b425d6fd31ab"), (-1, "conv-50/qa203", "113658b93f46")],
)
def test_the_first_tenth_and_last_question_of_the_real_file(
    real: LoadedDataset, place: int, identity: str, fingerprint: str
) -> None:
    question, gold = real.questions[place], real.golds[place]
    assert question.id == gold.question_id == identity
    assert digest([question.text, question.time, gold.category, gold.answer, gold.evidence])[:12] == fingerprint


@needs_data
@pytest.mark.parametrize(
    ("place", "identity", "fingerprint"),
    [(0, "D1:1", "ce289c9d6a2c"), (9, "D1:10", "526fc5d6e77b"), (-1, "D30:24", "a2cc2eec7350")],
)
def test_the_first_tenth_and_last_turn_of_the_real_file(
    real: LoadedDataset, place: int, identity: str, fingerprint: str
) -> None:
    turn = [turn for unit in real.units for turn in unit.turns][place]
    assert turn.id == identity
    assert digest([turn.speaker, turn.text, turn.caption])[:12] == fingerprint


@needs_data
@pytest.mark.parametrize(
    ("place", "turns", "fingerprint"),
    [(0, ("D1:2",), "47d3ee1f1da9"), (9, ("D2:5",), "ba2408d61004"), (-1, ("D30:20",), "975309e00595")],
)
def test_the_first_tenth_and_last_observation_of_the_real_file(
    real: LoadedDataset, place: int, turns: tuple[str, ...], fingerprint: str
) -> None:
    fact = [fact for unit in real.units for fact in unit.observations][place]
    assert fact.turn_ids == turns
    assert digest([fact.speaker, fact.text, fact.session_id])[:12] == fingerprint


@needs_data
def test_sessions_of_the_real_file_increase_in_time(real: LoadedDataset) -> None:
    for unit in real.units:
        times = [session.time for session in unit.sessions if session.time is not None]
        assert len(times) == len(unit.sessions)
        assert times == sorted(set(times))


@needs_data
def test_one_changed_byte_of_the_real_file_is_another_digest_and_one_more_notice(
    tmp_path: Path, real: LoadedDataset
) -> None:
    path = tmp_path / "locomo10.json"
    path.write_bytes((Path(FOLDER) / "locomo/locomo10.json").read_bytes() + b"\n")
    changed = load(path)
    assert changed.digest != real.digest
    assert len(changed.notices) == len(real.notices) + 1
    assert changed.questions == real.questions
