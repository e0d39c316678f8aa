"""LoCoMo's schema, on small files made here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from memforest.core.errors import DataError
from memforest.core.protocols import LoadedDataset
from memforest.core.times import parse_time
from memforest.datasets.locomo_schema import CATEGORIES, parse_units
from tests.builders import locomo_unit, question_row

Change = Callable[[dict[str, Any]], object]


def load(*units: dict[str, Any]) -> LoadedDataset:
    return parse_units(list(units), file="file.json")


def load_rows(*rows: dict[str, Any]) -> LoadedDataset:
    return load(locomo_unit(qa=rows))


def put(*path: str | int, value: Any) -> Change:
    def change(unit: dict[str, Any]) -> None:
        record: Any = unit
        for key in path[:-1]:
            record = record[key]
        record[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    def change(unit: dict[str, Any]) -> None:
        record: Any = unit
        for key in path[:-1]:
            record = record[key]
        del record[path[-1]]

    return change


def test_a_well_formed_file_loads_without_notice() -> None:
    loaded = load(locomo_unit(sample_id="u1"), locomo_unit(sample_id="u2"))
    assert [(unit.id, unit.index, unit.speakers) for unit in loaded.units] == [
        ("u1", 0, ("Ada", "Ben")),
        ("u2", 1, ("Ada", "Ben")),
    ]
    assert [question.id for question in loaded.questions] == [gold.question_id for gold in loaded.golds]
    assert [question.id for question in loaded.questions] == ["u1/qa0", "u2/qa0"]
    assert loaded.notices == ()


@pytest.mark.parametrize("raw", [{}, {"conversation": {}}, "text", 5, None, [1], ["x"], [None], [[]]])
def test_json_of_another_shape_is_no_locomo_file(raw: object) -> None:
    with pytest.raises(DataError, match=r"^file\.json is not a LoCoMo file: expected a JSON list of conversations"):
        parse_units(raw, file="file.json")


PLACES: list[tuple[Change, str, str]] = [
    (drop("conversation"), "u1", "`conversation` is missing"),
    (put("conversation", value=[]), "u1", "`conversation` must be an object, got a list"),
    (put("sample_id", value=5), "5", "`sample_id` must be a text"),
    (drop("conversation", "speaker_b"), "u1", "`speaker_b` is missing"),
    (put("conversation", "speaker_a", value=None), "u1", "`speaker_a` must be a text, got null"),
    (drop("conversation", "session_2_date_time"), "u1", "`session_2_date_time` is missing"),
    (put("conversation", "session_2_date_time", value=5), "u1", "`session_2_date_time` must be a text"),
    (
        put("conversation", "session_2_date_time", value="soon"),
        "u1, session_2_date_time",
        "cannot read the time 'soon'",
    ),
    (put("conversation", "session_2", value="x"), "u1", "`session_2` must be a list, got a text"),
    (put("conversation", "session_2", 1, value="x"), "u1, session_2[1]", "expected an object with `dia_id`"),
    (drop("conversation", "session_2", 1, "dia_id"), "u1, session_2[1]", "`dia_id` is missing"),
    (drop("conversation", "session_2", 1, "speaker"), "u1, session_2[1]", "`speaker` is missing"),
    (put("conversation", "session_2", 0, "text", value=None), "u1, session_2[0]", "`text` must be a text, got null"),
    (put("conversation", "session_2", 0, "dia_id", value="D1:1"), "u1", "dia_id 'D1:1' occurs more than once"),
    (put("observation", value=[]), "u1", "`observation` must be an object, got a list"),
    (put("observation", "session_1_observation", "Ada", value=["x"]), "u1, session_1_observation", "[text, dia_id]"),
    (put("observation", "session_1_observation", "Ada", value=[[1, "D1:1"]]), "u1, session_1_obs", "[text, dia_id]"),
    (put("observation", "session_1_observation", "Ada", value=[["a", []]]), "u1, session_1_obs", "cites no turn"),
    (drop("qa"), "u1", "`qa` is missing"),
    (put("qa", value={}), "u1", "`qa` must be a list, got an object"),
    (put("qa", 0, value="x"), "u1, qa[0]", "unknown category None"),
    (drop("qa", 0, "question"), "u1, qa[0]", "`question` is missing"),
    (put("qa", 0, "question", value=7), "u1, qa[0]", "`question` must be a text"),
    (drop("qa", 0, "evidence"), "u1, qa[0]", "`evidence` is missing"),
    (put("qa", 0, "evidence", value="D1:1"), "u1, qa[0]", "`evidence` must be a list, got a text"),
    (drop("qa", 0, "answer"), "u1, qa[0]", "an answerable question needs `answer`"),
    (put("qa", 0, "answer", value=["x"]), "u1, qa[0]", "`answer` must be a text or a number, got a list"),
    (put("qa", 0, "answer", value=True), "u1, qa[0]", "`answer` must be a text or a number"),
    (put("qa", 0, "adversarial_answer", value={}), "u1, qa[0]", "`adversarial_answer` must be a text or a number"),
    (put("qa", 0, "category", value=6), "u1, qa[0]", "unknown category 6"),
    (put("qa", 0, "category", value="1"), "u1, qa[0]", "unknown category '1'"),
]


@pytest.mark.parametrize(("change", "place", "complaint"), PLACES)
def test_a_bad_field_is_an_error_that_names_file_unit_and_field(change: Change, place: str, complaint: str) -> None:
    unit = locomo_unit()
    change(unit)
    with pytest.raises(DataError) as caught:
        load(unit)
    message = str(caught.value)
    assert message.startswith(f"file.json, {place}")
    assert complaint in message


@pytest.mark.parametrize(
    "change",
    [
        put("observation", "session_1_observation", value=[1]),
        put("observation", "session_1_observation", "Ada", value=None),
        put("observation", "session_1_observation", "Ada", value=5),
        put("qa", 0, "evidence", value=[5]),
        put("qa", 0, "evidence", value=[None]),
        put("qa", 0, "evidence", value=[["D1:1"]]),
    ],
)
def test_a_bad_observation_or_evidence_entry_is_an_error_that_names_file_and_unit(change: Change) -> None:
    unit = locomo_unit()
    change(unit)
    with pytest.raises(DataError, match=r"^file\.json, u1"):
        load(unit)


def test_a_category_that_is_no_number_is_refused() -> None:
    with pytest.raises(DataError, match="unknown category True"):
        load_rows(question_row(category=True))


def test_a_caption_that_is_no_text_is_refused() -> None:
    unit = locomo_unit()
    put("conversation", "session_1", 0, "blip_caption", value=5)(unit)
    with pytest.raises(DataError, match=r"u1, session_1\[0\]"):
        load(unit)


def test_a_unit_without_an_id_is_named_by_its_place() -> None:
    unit = locomo_unit()
    del unit["sample_id"]
    with pytest.raises(DataError, match=r"^file\.json, unit 1: `sample_id` is missing"):
        load(locomo_unit(), unit)


def test_two_units_of_one_name_are_refused() -> None:
    with pytest.raises(DataError, match=r"file\.json: sample_id 'u1' occurs more than once"):
        load(locomo_unit(), locomo_unit())


def twelve_sessions_in_text_order() -> dict[str, Any]:
    unit = locomo_unit(sessions=12)
    for key in ("conversation", "observation"):
        unit[key] = dict(sorted(unit[key].items()))
    return unit


def test_twelve_sessions_stand_in_the_order_of_their_numbers() -> None:
    (unit,) = load(twelve_sessions_in_text_order()).units
    assert [session.number for session in unit.sessions] == list(range(1, 13))
    times = [session.time for session in unit.sessions if session.time is not None]
    assert times == sorted(times)
    assert [fact.session_id for fact in unit.observations] == [f"D{number}" for number in range(1, 13)]


def test_a_question_is_asked_not_before_the_last_of_twelve_sessions() -> None:
    (question,) = load(twelve_sessions_in_text_order()).questions
    assert question.time == parse_time("1:56 pm on 12 May, 2023", where="")


def test_a_question_is_asked_not_before_the_latest_session_where_dates_do_not_increase() -> None:
    unit = locomo_unit()
    put("conversation", "session_1_date_time", value="1:56 pm on 9 May, 2023")(unit)
    (question,) = load(unit).questions
    assert question.time == parse_time("1:56 pm on 9 May, 2023", where="")


@pytest.mark.parametrize(("answer", "text"), [(2022, "2022"), (0, "0"), (3.5, "3.5"), ("yes", "yes"), ("", "")])
def test_numbers_become_texts(answer: object, text: str) -> None:
    assert load_rows(question_row(answer=answer)).golds[0].answer == text


@pytest.mark.parametrize("answer", [..., None])
def test_a_missing_answer_stays_missing(answer: object) -> None:
    (gold,) = load_rows(question_row(category=5, answer=answer, adversarial_answer="a lure")).golds
    assert (gold.answer, gold.adversarial_answer) == (None, "a lure")


def test_an_adversarial_question_may_carry_both_answers() -> None:
    (gold,) = load_rows(question_row(category=5, answer="No", adversarial_answer="Yes")).golds
    assert (gold.answer, gold.adversarial_answer, gold.answerable) == ("No", "Yes", False)


@pytest.mark.parametrize("number", range(1, 6))
def test_categories_have_their_official_names_and_only_the_fifth_is_unanswerable(number: int) -> None:
    (gold,) = load_rows(question_row(category=number)).golds
    names = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}
    assert gold.category == names[number] == CATEGORIES[number]
    assert gold.answerable == (number != 5)


def test_dates_without_sessions_are_ignored_with_one_notice() -> None:
    unit = locomo_unit()
    unit["conversation"] |= {f"session_{number}_date_time": "1:00 pm on 9 May, 2023" for number in range(20, 36)}
    loaded = load(unit)
    assert loaded.notices == ("u1: 16 session dates without a session, ignored",)
    assert len(loaded.units[0].sessions) == 2


def test_equal_questions_keep_distinct_ids_by_their_place_in_the_file() -> None:
    loaded = load_rows(question_row(), question_row(category=5, answer=...), question_row())
    assert [question.id for question in loaded.questions] == ["u1/qa0", "u1/qa1", "u1/qa2"]


def test_evidence_is_normalised_and_what_names_no_turn_is_kept_and_told_once() -> None:
    loaded = load_rows(question_row(evidence=["D:1:01; D2:2", "D", "D10:19", "D1:1", "D"]), question_row())
    gold = loaded.golds[0]
    assert gold.evidence == ("D1:1", "D2:2", "D", "D10:19")
    assert gold.unresolved == ("D", "D10:19")
    (notice,) = loaded.notices
    assert notice.startswith("u1: evidence that names no turn, kept in the denominator: ")
    assert notice.count("D10:19 (u1/qa0)") == 1


def test_empty_evidence_is_allowed() -> None:
    (gold,) = load_rows(question_row(evidence=[])).golds
    assert gold.evidence == gold.unresolved == ()


def test_observations_stand_by_session_first_cited_turn_and_file_order() -> None:
    unit = locomo_unit(sessions=2, turns=3)
    unit["observation"] = {
        "session_2_observation": {"Ada": [["fifth", "D2:1"]]},
        "session_1_observation": {
            "Ada": [["third", "D1:3"], ["first", ["D1:2", "D1:1"]], ["fourth", "D9:9"]],
            "Ben": [["second", "D1:2"]],
        },
    }
    facts = load(unit).units[0].observations
    assert [fact.text for fact in facts] == ["first", "second", "third", "fourth", "fifth"]
    assert facts[0].turn_ids == ("D1:2", "D1:1")
    assert [fact.speaker for fact in facts] == ["Ada", "Ben", "Ada", "Ada", "Ada"]


def test_a_unit_need_not_be_annotated() -> None:
    unit = locomo_unit()
    del unit["observation"]
    assert load(unit).units[0].observations == ()


def test_empty_texts_and_an_empty_session_are_kept() -> None:
    unit = locomo_unit()
    unit["conversation"]["session_1"][0]["text"] = ""
    unit["conversation"]["session_2"] = []
    unit["observation"] = {}
    sessions = load(unit).units[0].sessions
    assert [[turn.text for turn in session.turns] for session in sessions] == [["", "line 2"], []]


def test_a_caption_is_kept_apart_from_the_text() -> None:
    unit = locomo_unit()
    unit["conversation"]["session_1"][0]["blip_caption"] = "a red boat"
    first, second, *_ = load(unit).units[0].turns
    assert (first.text, first.caption, second.caption) == ("line 1", "a red boat", None)


def test_the_digest_follows_the_content() -> None:
    assert load(locomo_unit()).digest == load(locomo_unit()).digest
    assert load(locomo_unit()).digest != load_rows(question_row(answer="another")).digest
    assert parse_units([locomo_unit()], file="f", digest_of_file="abc").digest == "abc"


def test_text_that_is_no_unicode_is_refused_by_place() -> None:
    unit = locomo_unit()
    unit["conversation"]["session_1"][0]["text"] = "cut \ud83d"
    with pytest.raises(DataError, match=r"^file\.json, u1, session_1\[0\]"):
        load(unit)
