"""Which rule judges which question, and what the rules ask for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memforest.core.errors import ConfigError
from memforest.core.outcomes import Answered, Correct, Incorrect, Unscored
from memforest.core.prompts import Prompt, load_prompt
from memforest.core.types import Gold, Question
from memforest.judging import model_judge
from memforest.judging.longmemeval import TYPES, LongMemEval
from memforest.judging.model_judge import ModelJudge
from memforest.judging.rubric import RULES, M3Agent, Rubric
from tests.chats import fenced_parts, labelling, outside_fences, replying

QUESTION = Question(id="u/q", unit_id="u", text="What did Ada sell?")
GOLD = Gold("u/q", "single-hop", True, "a boat", None, ())


def prompt_of(judge: Rubric | LongMemEval, gold: Gold) -> str:
    chat = labelling("CORRECT")
    judge._chat = chat
    assert judge.judge(question=QUESTION, gold=gold, answer=Answered("a ship")) == Correct()
    return chat.prompts[0]


def rubric(rule: str) -> Rubric:
    return Rubric(chat=labelling("CORRECT"), rule=rule, votes=1, explain=False)


def longmemeval() -> LongMemEval:
    return LongMemEval(chat=labelling("CORRECT"), votes=1, explain=False)


def beginning(name: str) -> str:
    return load_prompt("judging", name).text.split("\n", maxsplit=1)[0]


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_has_its_own_prompt(rule: str) -> None:
    prompt = prompt_of(rubric(rule), GOLD)
    assert prompt.startswith(beginning(f"rubric_{rule}"))
    assert fenced_parts(prompt) == [QUESTION.text, "a boat", "a ship"]


def test_rules_differ_in_how_generous_they_are() -> None:
    said = {rule: outside_fences(prompt_of(rubric(rule), GOLD)) for rule in RULES}
    assert len(set(said.values())) == len(RULES)
    assert "same topic" in said["eventtree"] and "same date or the same period" in said["eventtree"]
    assert "vaguer" in said["memtree_strict"]


@pytest.mark.parametrize("rule", RULES)
def test_an_adversarial_question_has_a_rubric_that_shows_the_trap_as_wrong(rule: str) -> None:
    trap = replace(GOLD, category="adversarial", answerable=False, answer=None, adversarial_answer="a ferry")
    prompt = prompt_of(rubric(rule), trap)
    assert prompt.startswith(beginning("rubric_unanswerable"))
    assert fenced_parts(prompt) == [QUESTION.text, "a ferry", "(not given)", "a ship"]
    assert fenced_parts(prompt_of(rubric(rule), replace(trap, answer="No")))[2] == "No"


@pytest.mark.parametrize("kind", [*TYPES, "single-hop"])
def test_only_the_strict_judge_is_told_the_type_and_only_longmemevals(kind: str) -> None:
    told = {
        rule: f"Type of the question: {kind}" in prompt_of(rubric(rule), replace(GOLD, category=kind)) for rule in RULES
    }
    assert told == {rule: rule == "memtree_strict" and kind in TYPES for rule in RULES}


@pytest.mark.parametrize(
    ("reply", "correct"),
    [
        ("Yes", True),
        ("no", False),
        ("YES.", True),
        ("", False),
        ("It cannot be inferred.", False),
        ("No, this was yesterday.", True),
        ("No. The answer would have to be yes.", True),
    ],
)
def test_the_released_judge_of_videos_takes_any_yes_for_one(reply: str, correct: bool) -> None:
    judge = M3Agent(chat=replying(reply), votes=1)
    verdict = judge.judge(question=QUESTION, gold=GOLD, answer=Answered("a ship"))
    assert verdict == (Correct() if correct else Incorrect())


def test_the_released_judge_of_videos_asks_for_inference_and_no_json() -> None:
    chat = replying("yes")
    M3Agent(chat=chat, votes=1).judge(question=QUESTION, gold=GOLD, answer=Answered("a ship"))
    (request,) = chat.asked
    assert request.schema is None and "inferred" in outside_fences(chat.prompts[0])
    assert fenced_parts(chat.prompts[0]) == [QUESTION.text, "a boat", "a ship"]


def test_the_strict_judge_of_videos_wants_the_same_answer() -> None:
    said = outside_fences(prompt_of(rubric("m3_agent_strict"), GOLD))
    assert "could be true together with the correct answer but does not say it" in said


def test_an_unknown_rule_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"judge\.rule"):
        rubric("kind")


@pytest.mark.parametrize(("kind", "prompt"), TYPES.items())
def test_longmemeval_has_a_rule_for_each_type(kind: str, prompt: str) -> None:
    assert prompt_of(longmemeval(), replace(GOLD, category=kind)).startswith(beginning(prompt))


@pytest.mark.parametrize("kind", [*TYPES, "anything"])
def test_abstention_comes_before_the_type(kind: str) -> None:
    gold = replace(GOLD, category=kind, answerable=False, answer="No boat was mentioned.")
    prompt = prompt_of(longmemeval(), gold)
    assert prompt.startswith(beginning("longmemeval_abstention"))
    assert fenced_parts(prompt)[1] == "No boat was mentioned."


def test_longmemeval_does_not_judge_types_that_it_has_no_rule_for() -> None:
    verdict = longmemeval().judge(question=QUESTION, gold=GOLD, answer=Answered("a boat"))
    assert verdict == Unscored("LongMemEval has no rule for questions of the type 'single-hop'")


def test_the_tolerances_stand_where_the_official_rules_have_them() -> None:
    texts = {name: load_prompt("judging", name).text for name in (*TYPES.values(), "longmemeval_abstention")}
    assert [name for name, text in texts.items() if "off by one" in text] == ["longmemeval_temporal"]
    assert [name for name, text in texts.items() if "latest state" in text] == ["longmemeval_update"]
    assert [name for name, text in texts.items() if "rubric" in text] == ["longmemeval_preference"]


@pytest.mark.parametrize("judge", [rubric("eventtree"), longmemeval(), M3Agent(chat=replying("yes"), votes=1)])
def test_another_prompt_is_another_judge(judge: ModelJudge, monkeypatch: pytest.MonkeyPatch) -> None:
    before = judge.identity
    for changed in judge.prompts:
        monkeypatch.setattr(
            model_judge,
            "load_prompt",
            lambda room, name, changed=changed: (
                Prompt(load_prompt(room, name).text + "!") if name == changed else load_prompt(room, name)
            ),
        )
        assert judge.identity != before, changed
