"""What the merger that asks a model asks for, and what it makes of replies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memforest.core.chat import FAILURES
from memforest.core.errors import ConfigError
from memforest.core.outcomes import MergedSegments, MergeFailed, MergeResult
from memforest.core.protocols import WaitingMerger
from memforest.core.types import Pair, Segment
from memforest.mergers.llm import TAG_DROPPED, ModelMerger
from tests.builders import DAY, START, node, pair
from tests.chats import FakeChat, copying, failing, fenced_parts, outside_fences, replying

OLDER, NEWER = "Ada rowed to the harbour yesterday.", "Ada sold the boat for 300 crowns."


def merger(chat: FakeChat, *, max_words: int | None = None) -> ModelMerger:
    return ModelMerger(chat=chat, max_words=max_words, failures_in_a_row=5)


def two(older: str = OLDER, newer: str = NEWER, *, times: Sequence[float | None] = (START, START + DAY)) -> Pair:
    return pair(
        node("a", older, time=times[0], sources=("D1:1", "D1:2")),
        node("b", newer, time=times[1], sources=("D2:1", "D1:2")),
    )


def result(reply: str, of: Pair | None = None) -> MergeResult:
    return merger(replying(reply)).merge_one(pair=of or two())


def test_the_merged_node_rests_on_all_and_takes_the_newer_time() -> None:
    assert result("  Ada rowed, then sold the boat.\n") == MergedSegments(
        (Segment("Ada rowed, then sold the boat.", ("D1:1", "D1:2", "D2:1"), START + DAY),)
    )


@pytest.mark.parametrize(("times", "expected"), [((START, None), START), ((None, START), START), ((None, None), None)])
def test_an_absent_time_gives_way_to_the_other(times: Sequence[float | None], expected: float | None) -> None:
    made = result("Ada rowed.", two(times=times))
    assert isinstance(made, MergedSegments) and made.segments[0].time == expected


def test_both_texts_are_shown_older_first_each_with_its_date() -> None:
    chat = copying()
    merger(chat).merge_one(pair=two())
    (prompt,) = chat.prompts
    assert fenced_parts(prompt) == [OLDER, NEWER]
    ours = outside_fences(prompt)
    assert ours.index("older entry (Tuesday 14 November 2023, 10:13 pm)") < ours.index(
        "newer entry (Wednesday 15 November 2023, 10:13 pm)"
    )


def test_a_video_has_clips_and_no_dates() -> None:
    chat = copying()
    merger(chat).merge_one(pair=replace(two(times=(29.0, 371.0)), clock="video"))
    ours = outside_fences(chat.prompts[0])
    assert "(clip 0 (29 s))" in ours and "(clip 12 (371 s))" in ours
    assert "1970" not in ours


def test_without_times_no_date_is_shown() -> None:
    chat = copying()
    merger(chat).merge_one(pair=two(times=(None, None)))
    assert "The older entry:" in chat.prompts[0] and "The newer entry:" in chat.prompts[0]


@pytest.mark.parametrize(("max_words", "asked"), [(None, 13), (40, 13), (5, 5)])
def test_the_joint_length_is_asked_for_unless_the_setting_is_lower(max_words: int | None, asked: int) -> None:
    chat = copying()
    merger(chat, max_words=max_words).merge_one(pair=two())
    assert len(OLDER.split()) + len(NEWER.split()) == 13
    assert f"at most {asked} words" in chat.prompts[0]


def test_a_longer_text_is_taken() -> None:
    long = "word " * 50
    made = result(long)
    assert isinstance(made, MergedSegments) and made.segments[0].text == long.strip()


@pytest.mark.parametrize("reason", FAILURES)
def test_a_failed_call_is_a_failure_to_try_again(reason: str) -> None:
    assert merger(failing(reason)).merge_one(pair=two()) == MergeFailed(reason, retry=True)


@pytest.mark.parametrize("tag", ["<face_3>", "<voice_7>", "<char_12>", "<speaker_0>"])
def test_a_tag_must_be_kept(tag: str) -> None:
    of = two(f"{tag} rows.", "He sells a boat.")
    assert result("He rows and sells a boat.", of) == MergeFailed(TAG_DROPPED)
    assert result(f"{tag}0 rows and sells a boat.".replace(">0", "0>"), of) == MergeFailed(TAG_DROPPED)
    assert isinstance(result(f"{tag} rows and sells a boat.", of), MergedSegments)


@pytest.mark.parametrize("word", ["<b>", "a < b_1", "<not a tag_1>"])
def test_other_brackets_are_no_tags(word: str) -> None:
    assert isinstance(result("He rows.", two(f"{word} rows")), MergedSegments)


@pytest.mark.parametrize("reply", ["Merged entry:", "Here is the merged entry:", "Summary: ", "**", " "])
def test_a_label_without_a_text_is_malformed(reply: str) -> None:
    if reply == "**":
        assert isinstance(result(reply), MergedSegments), "what is not surely a label is taken"
    else:
        assert result(reply) == MergeFailed("reply malformed")


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Here is the merged entry:\nAda rows.", "Ada rows."),
        ("Summary: Ada rows.", "Ada rows."),
        ("Ada: I row.", "Ada: I row."),
        ("The new text that Ada wrote: a poem.", "The new text that Ada wrote: a poem."),
    ],
)
def test_a_label_is_taken_off_and_a_speakers_name_is_not(reply: str, text: str) -> None:
    made = result(reply)
    assert isinstance(made, MergedSegments) and made.segments[0].text == text


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't do this.",
        "I cannot assist with merging these entries.",
        "As an AI language model, I am unable to rewrite that.",
        "I’m sorry, I can’t help with that.",
    ],
)
def test_a_refusal_is_refused(reply: str) -> None:
    assert result(reply) == MergeFailed("reply refused")


@pytest.mark.parametrize(
    ("reply", "older"),
    [
        ("Ada is sorry that she cannot come.", OLDER),
        ("I can't help Ben move on Sunday.", "I can't help Ben move on Sunday."),
        ("I cannot row.", OLDER),
    ],
)
def test_what_the_memory_itself_says_is_no_refusal(reply: str, older: str) -> None:
    assert isinstance(result(reply, two(older)), MergedSegments)


def test_nothing_to_write_needs_no_call() -> None:
    chat = copying()
    of = two("", NEWER)
    assert merger(chat).merge_one(pair=of) == MergedSegments(of.segments)
    assert not chat.asked


@given(st.text(alphabet="~$\n{}<> abo%fence", max_size=60), st.text(alphabet="~$\n{}<> abo%newer", max_size=60))
def test_no_text_leaves_its_fence_or_is_filled_in(older: str, newer: str) -> None:
    chat, plain = copying(), copying()
    merger(chat).merge_one(pair=two(f"x {older}", f"y {newer}"))
    words = "z " * (len(f"x {older}".split()) - 1)
    more = "z " * (len(f"y {newer}".split()) - 1)
    merger(plain).merge_one(pair=two(f"x {words}", f"y {more}"))
    assert fenced_parts(chat.prompts[0]) == [f"x {older}", f"y {newer}"]
    shorter = outside_fences(chat.prompts[0]).replace("~", "")
    assert shorter == outside_fences(plain.prompts[0]).replace("~", "")


def test_it_waits_for_as_many_calls_as_the_model_takes() -> None:
    made = merger(copying())
    assert isinstance(made, WaitingMerger)
    assert (made.concurrency, made.failures_in_a_row) == (3, 5)


@pytest.mark.parametrize(("max_words", "failures", "name"), [(0, 1, "max_words"), (None, 0, "failures_in_a_row")])
def test_settings_are_checked(max_words: int | None, failures: int, name: str) -> None:
    with pytest.raises(ConfigError, match=rf"merger\.{name}"):
        ModelMerger(chat=copying(), max_words=max_words, failures_in_a_row=failures)
