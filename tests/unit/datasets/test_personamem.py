"""PersonaMem: every trap of its files on a pair made here, and the counts of the real one where it is.

No text of the benchmark stands here, only ids, counts and hashes.
"""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memforest.core.digests import digest
from memforest.core.errors import ConfigError, DataError
from memforest.core.protocols import LoadedDataset
from memforest.datasets.leakage import question_ids_in
from memforest.datasets.personamem import PersonaMem
from memforest.metrics.option_length import option_length
from memforest.metrics.recall import evidence_recall, session_evidence_recall
from tests.unit.datasets.personas import CHAT, OPTIONS, lettered, load, messages, row, write_rows, written

DATA = os.environ.get("MEMFOREST_DATA", "nowhere")
needs_data = pytest.mark.skipif(
    not (Path(DATA) / "personamem").is_dir(), reason="MEMFOREST_DATA does not hold PersonaMem"
)


def test_a_unit_is_a_chat_up_to_where_it_is_asked_about(tmp_path: Path) -> None:
    rows = [row("q1"), row("q2", end_index_in_shared_context="3"), row("q3")]
    data = load(written(tmp_path, rows))
    assert [unit.id for unit in data.units] == ["c1/7", "c1/3"]
    assert [question.unit_id for question in data.questions] == ["c1/7", "c1/3", "c1/7"]
    assert [turn.text for turn in data.units[1].turns] == ["I like kites.", "And wind."]


def test_the_message_at_the_end_index_is_not_heard(tmp_path: Path) -> None:
    data = load(written(tmp_path, [row(end_index_in_shared_context="1")]))
    assert data.units[0].turns == ()
    assert [len(load(written(tmp_path, [row(end_index_in_shared_context=str(end))])).units[0].turns)
            for end in range(8)] == [0, 0, 1, 2, 3, 3, 4, 5]  # fmt: skip


def test_system_messages_begin_sessions_and_are_no_turns(tmp_path: Path) -> None:
    unit = load(written(tmp_path, [row()])).units[0]
    assert [[turn.id for turn in session.turns] for session in unit.sessions] == [
        ["D1:1", "D1:2", "D1:3"],
        ["D2:1", "D2:2"],
    ]
    assert [turn.speaker for turn in unit.turns] == ["user", "user", "assistant", "user", "assistant"]
    assert "pilot" not in repr(unit)
    assert all(session.time is None for session in unit.sessions)


def test_what_comes_before_the_first_system_message_is_a_session_too(tmp_path: Path) -> None:
    unit = load(written(tmp_path, [row(end_index_in_shared_context="4")], {"c1": messages(CHAT[1:])})).units[0]
    assert [len(session.turns) for session in unit.sessions] == [3]


def test_the_role_that_a_message_repeats_goes_and_nothing_else(tmp_path: Path) -> None:
    texts = [turn.text for turn in load(written(tmp_path, [row()])).units[0].turns]
    assert texts == ["I like kites.", "And wind.", "Kites are fun.", "Therapist: How are you?", "Fine, User: Ada."]


def test_units_of_a_persona_are_one_cluster(tmp_path: Path) -> None:
    rows = [row("q1"), row("q2", shared_context_id="c2"), row("q3", shared_context_id="c3", persona_id="7")]
    data = load(written(tmp_path, rows, dict.fromkeys(["c1", "c2", "c3"], messages())))
    assert [unit.cluster for unit in data.units] == ["persona 0", "persona 0", "persona 7"]


def test_options_lose_their_letters_and_the_answer_is_a_text(tmp_path: Path) -> None:
    data = load(written(tmp_path, [row(correct_answer="(b)")]))
    assert data.questions[0].options == OPTIONS
    assert (data.golds[0].letter, data.golds[0].answer) == ("b", "likes boats a lot")
    assert data.golds[0].ungradable is None


@pytest.mark.parametrize("write", [json.dumps, repr, lambda options: repr(tuple(options))])
def test_options_are_json_or_a_python_literal(tmp_path: Path, write: Any) -> None:
    options = ["it's", 'a "quoted" one', "two\nlines", "é – ü"]
    data = load(written(tmp_path, [row(all_options=write(lettered(options)))]))
    assert data.questions[0].options == tuple(options)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "None",
        "{}",
        "'x'",
        "[1, 2]",
        "['(a) x']",
        "['(a) x', '(c) y']",
        "['(b) x', '(a) y']",
        "['x', 'y']",
        "[__import__('os').getcwd(), '(b) y']",
        "[x for x in '(a)']",
        "(" * 9999,
        "['(a) x', null]",
    ],
)
def test_options_of_another_form_are_an_error_and_nothing_is_executed(tmp_path: Path, text: str) -> None:
    with pytest.raises(DataError, match=r"questions_32k\.csv, row 0: `all_options`"):
        load(written(tmp_path, [row(all_options=text)]))


@pytest.mark.parametrize("texts", [("same", "same", "x", "y"), ("same ", "same", "x", "y")])
def test_no_letter_can_grade_a_question_whose_correct_text_occurs_twice(tmp_path: Path, texts: tuple[str, ...]) -> None:
    options = json.dumps(lettered(texts))
    data = load(written(tmp_path, [row("q1", all_options=options), row("q2", all_options=options, correct_answer="c")]))
    assert [gold.ungradable for gold in data.golds] == ["the correct option's text occurs twice", None]
    assert any(notice.startswith("1 questions that no letter can grade") for notice in data.notices)


def test_there_is_no_evidence_and_so_no_recall_of_it(tmp_path: Path) -> None:
    gold = load(written(tmp_path, [row()])).golds[0]
    assert evidence_recall(gold, ["D1:1"]) is session_evidence_recall(gold, ["D1:1"]) is None


def test_contexts_may_share_a_line_and_blank_lines_are_none(tmp_path: Path) -> None:
    folder = written(tmp_path, [row("q1"), row("q2", shared_context_id="c2")])
    both = json.dumps({"c1": messages(), "c2": messages([("user", "a\u2028b")] * 7)}, ensure_ascii=False)
    (folder / "shared_contexts_32k.jsonl").write_text(f"\n{both}\n\n", encoding="utf-8")
    assert load(folder).units[1].turns[0].text == "a\u2028b"


def test_fields_may_hold_any_kind_of_line_end(tmp_path: Path) -> None:
    text = "one\ntwo\r\nthree\u2028four\x85five"
    assert load(written(tmp_path, [row(user_question_or_message=text)])).questions[0].text == text


def test_a_limit_takes_the_first_chats_with_all_their_questions(tmp_path: Path) -> None:
    rows = [row("q1"), row("q2", end_index_in_shared_context="3"), row("q3")]
    data = load(written(tmp_path, rows), limit=1)
    assert [question.id for question in data.questions] == ["q1", "q3"]
    assert (len(data.units), data.scope) == (1, "smoke")
    assert any(notice.startswith("smoke: 2 of the 589 questions of PersonaMem-32k") for notice in data.notices)


def test_files_that_are_not_the_official_ones_are_named(tmp_path: Path) -> None:
    notices = load(written(tmp_path, [row()])).notices
    assert [notice.split()[0] for notice in notices[:2]] == ["questions_32k.csv", "shared_contexts_32k.jsonl"]
    assert [notice.split()[0] for notice in load(written(tmp_path, [row()], size="128k"), size="128k").notices] == [
        "smoke:"
    ]


def test_the_digest_is_that_of_both_files(tmp_path: Path) -> None:
    digests = {load(written(tmp_path, [row()])).digest, load(written(tmp_path, [row("q2")])).digest}
    digests.add(load(written(tmp_path, [row()], {"c1": messages([("user", "x")] * 7)})).digest)
    assert len(digests) == 3


def test_a_context_that_holds_the_ids_of_questions_is_flagged(tmp_path: Path) -> None:
    leaky = messages([*CHAT[:-1], ("assistant", "q1-0007: (a)")])
    data = load(written(tmp_path, [row("q1-0007"), row("q1")], {"c1": leaky}))
    assert data.notices[-1].startswith("the contexts hold the ids of 1 questions, such as q1-0007: gold may have been")
    assert question_ids_in(["see q1.", "q10"], data.questions) == ("q1",)


def test_no_gold_is_in_what_methods_get(tmp_path: Path) -> None:
    data = load(written(tmp_path, [row("7f3e-q", correct_answer="(d)")]))
    assert question_ids_in((turn.text for unit in data.units for turn in unit.turns), data.questions) == ()
    assert "7f3e-q" not in repr(data.units)
    assert not any(letter in repr((data.units, data.questions)) for letter in ("(a)", "(b)", "(c)", "(d)"))


def test_a_missing_file_is_named_with_where_to_get_it(tmp_path: Path) -> None:
    write_rows(tmp_path / "questions_32k.csv", [row()])
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    for part in (f"{tmp_path}/shared_contexts_32k.jsonl", "dataset.path=FOLDER", "memforest data fetch personamem_32k"):
        assert part in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"question_type": "riddle"}, "row 0: unknown question_type 'riddle'"),
        ({"correct_answer": "(e)"}, "row 0: `correct_answer` must name one of the 4 options, such as (c), got '(e)'"),
        ({"correct_answer": ""}, "`correct_answer` must name one of the 4 options"),
        ({"end_index_in_shared_context": "8"}, "q1: end_index_in_shared_context is 8, the context has 7 messages"),
        ({"end_index_in_shared_context": "-1"}, "must be a count of messages, got '-1'"),
        ({"end_index_in_shared_context": "٣"}, "must be a count of messages"),
        ({"end_index_in_shared_context": "9" * 5000}, "must be a count of messages"),
        ({"shared_context_id": "c9"}, "question q1: there is no context 'c9'"),
    ],
)
def test_what_is_wrong_with_a_row_is_named(tmp_path: Path, changes: dict[str, str], words: str) -> None:
    with pytest.raises(DataError) as caught:
        load(written(tmp_path, [row(**changes)]))
    assert str(caught.value).startswith("questions_32k.csv")
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "line 1 is not JSON"),
        ('{"a": [], "a": []}', "line 1 is not JSON: the key 'a' stands twice"),
        ("[" * 100_000, "line 1 is not JSON"),
        ("[]", "line 1 must be an object, got a list"),
        ('{"c1": {}}', "line 1, c1 must be a list, got an object"),
        ('{"c1": [7]}', "line 1, c1[0]: expected an object with `role`"),
        ('{"c1": [{"role": "tool", "content": "x"}]}', "line 1, c1[0]: unknown role 'tool'"),
        ('{"c1": [{"role": "user"}]}', "line 1, c1[0]: `content` is missing"),
        ('{"c1": [{"role": "user", "content": ["x"]}]}', "line 1, c1[0]: `content` must be a text, got a list"),
        ('{"c1": []}\n{"c1": []}', "line 2: the context 'c1' occurs more than once"),
    ],
)
def test_what_is_wrong_with_a_context_is_named(tmp_path: Path, line: str, words: str) -> None:
    written(tmp_path, [row()])
    (tmp_path / "shared_contexts_32k.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load(tmp_path)
    assert str(caught.value).startswith("shared_contexts_32k.jsonl")
    assert words in str(caught.value)


def test_a_table_without_a_column_or_a_row_is_an_error(tmp_path: Path) -> None:
    bare = {key: value for key, value in row().items() if key != "all_options"}
    with pytest.raises(DataError, match="the column all_options is missing"):
        load(written(tmp_path, [bare]))
    header = ",".join(row())
    (tmp_path / "questions_32k.csv").write_text(header)
    with pytest.raises(DataError, match="holds no question"):
        load(tmp_path)
    (tmp_path / "questions_32k.csv").write_text(f"{header}\n0,q1\n")
    with pytest.raises(DataError, match="row 0: `question_type` must be a text, got null"):
        load(tmp_path)
    (tmp_path / "questions_32k.csv").write_bytes(b"\xff\xfe")
    with pytest.raises(DataError, match="cannot be read as UTF-8"):
        load(tmp_path)


def test_an_id_that_comes_twice_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="question_id 'q1' occurs more than once"):
        load(written(tmp_path, [row(), row()]))


@pytest.mark.parametrize(("size", "limit"), [("../x", None), ("", None), ("32k", 0), ("32k", True)])
def test_settings_that_make_no_sense_are_refused(size: str, limit: Any) -> None:
    with pytest.raises(ConfigError, match=r"dataset\.(size|limit)="):
        PersonaMem(size=size, path=None, data_folder="", limit=limit)


def test_no_damage_to_a_file_gives_anything_but_a_named_error(tmp_path: Path) -> None:
    """Cuts and changed characters: a dataset or a DataError, never another exception."""
    draw = random.Random(0)
    written(tmp_path, [row("q1"), row("q2", all_options=repr(lettered()))])
    whole = {path: path.read_text() for path in tmp_path.iterdir()}
    for _ in range(300):
        path, text = draw.choice(list(whole.items()))
        place = draw.randrange(len(text))
        swapped = text[:place] + draw.choice("\"',{}[]()\n\x00é7") + text[place + 1 :]
        path.write_text(draw.choice([text[:place], swapped]), encoding="utf-8")
        try:
            load(tmp_path)
        except DataError as error:
            assert "_32k" in str(error)
        path.write_text(text)


@pytest.fixture(scope="module")
def real() -> LoadedDataset:
    return PersonaMem(size="32k", path=None, data_folder=DATA, limit=None).load()


@needs_data
def test_the_real_files_have_their_counts(real: LoadedDataset) -> None:
    assert (len(real.questions), len(real.units), len({unit.cluster for unit in real.units})) == (589, 222, 20)
    assert len({unit.id.split("/")[0] for unit in real.units}) == 37
    assert len({(len(unit.sessions)) for unit in real.units}) > 1
    assert Counter(gold.letter for gold in real.golds) == {"a": 143, "b": 146, "c": 158, "d": 142}
    counts = Counter(gold.category for gold in real.golds)
    assert [counts[name] for name in real.categories] == [129, 17, 99, 139, 93, 57, 55]
    assert all(len(question.options) == 4 for question in real.questions)
    assert (real.scope, len(real.notices)) == ("whole", 1)


@needs_data
def test_the_real_files_have_their_ungradable_questions(real: LoadedDataset) -> None:
    ids = [gold.question_id for gold in real.golds if gold.ungradable]
    assert len(ids) == 17
    assert {"344ea859-e70d-48d2-8a97-7b68a104c6ae", "fe2e91a8-fd23-4ea7-a3f1-722a0396712d"} <= set(ids)


@needs_data
@pytest.mark.parametrize(
    ("place", "identity", "fingerprint"),
    [(0, "acd74206", "4d00c163dc80"), (9, "fd81b480", "ce2012a4dd10"), (-1, "d766ed84", "2b39da2cfc41")],
)
def test_the_first_tenth_and_last_question_of_the_real_files(
    real: LoadedDataset, place: int, identity: str, fingerprint: str
) -> None:
    question, gold = real.questions[place], real.golds[place]
    assert question.id == gold.question_id
    assert question.id.startswith(identity)
    assert digest([question.text, list(question.options), gold.category, gold.answer, gold.letter])[:12] == fingerprint


@needs_data
def test_option_length_alone_answers_two_thirds_of_the_real_questions(real: LoadedDataset) -> None:
    persona = {unit.id: unit.cluster or "" for unit in real.units}
    found = option_length(real.questions, real.golds, [persona[question.unit_id] for question in real.questions])
    assert (found.fitted, found.questions) == (396, 589)
    assert (found.held_out, found.gradable, found.fitted_gradable, found.held_out_gradable) == (396, 572, 385, 385)
    assert [name for name, rule in found.rules.items() if rule == "shortest"] == ["suggest_new_ideas"]
