"""PersonaMem's files: a table of multiple-choice questions, and the chats that they are asked about."""

from __future__ import annotations

import ast
import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from string import ascii_lowercase

from memforest.core.errors import DataError
from memforest.core.files import lines_of
from memforest.core.json_keys import unique_keys
from memforest.core.types import Gold, Question, Session, Turn, Unit
from memforest.datasets.schema import Schema, kind_of, valid

TYPES = (
    "recall_user_shared_facts",
    "recalling_facts_mentioned_by_the_user",
    "recalling_the_reasons_behind_previous_updates",
    "track_full_preference_evolution",
    "suggest_new_ideas",
    "generalizing_to_new_scenarios",
    "provide_preference_aligned_recommendations",
)
SPEAKERS = ("user", "assistant")
_COLUMNS = (
    *("persona_id", "question_id", "question_type", "user_question_or_message", "correct_answer", "all_options"),
    *("shared_context_id", "end_index_in_shared_context"),
)
_SCHEMA = Schema("PersonaMem")
_field = _SCHEMA.field
_LETTERED = re.compile(r"\(([a-z])\)\s*(.*?)\s*", re.DOTALL)
_NAMED = {"user": "User: ", "assistant": "Assistant: "}
"""How most messages begin although their role says it; the words go, since backbones write the speaker's name."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a shared context; the role is user, assistant or system."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its gold, and the chat that it is asked about: the first `end` messages of `context`."""

    persona: str
    context: str
    end: int
    question: Question
    gold: Gold

    @property
    def chat(self) -> tuple[str, int]:
        """What identifies the unit."""
        return self.context, self.end


def read_contexts(path: Path) -> dict[str, tuple[Message, ...]]:
    """Messages by the id of their shared context; a line is an object from ids to lists of messages."""
    contexts: dict[str, tuple[Message, ...]] = {}
    for number, line in enumerate(lines_of(_text(path)), 1):
        where = f"{path.name}, line {number}"
        if not line.strip():
            continue
        try:
            raw = json.loads(line, object_pairs_hook=unique_keys)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{where} is not JSON: {error}") from error
        for context, messages in valid(raw, dict, where=where).items():
            if context in contexts:
                raise DataError(f"{where}: the context {context!r:.80} occurs more than once; ids must be unique")
            contexts[context] = _messages(messages, where=f"{where}, {context:.12}")
    return contexts


def read_rows(path: Path) -> Iterator[Row]:
    """Questions of a CSV file in its order."""
    table = csv.DictReader(StringIO(_text(path), newline=""), strict=True)
    try:
        missing = [column for column in _COLUMNS if column not in (table.fieldnames or ())]
        if missing:
            raise DataError(f"{path.name}: the column {missing[0]} is missing; this is not PersonaMem's schema")
        for number, row in enumerate(table):
            yield _row(row, where=f"{path.name}, row {number}")
    except csv.Error as error:
        raise DataError(f"{path.name}, line {table.line_num} is not CSV: {error}") from error


def chat_unit(row: Row, messages: Sequence[Message], *, index: int, where: str) -> Unit:
    """The unit of a question: what was said before it, without times.

    A system message begins a session and is no turn: it describes the persona, which a memory is to find out.
    """
    if row.end > len(messages):
        raise DataError(f"{where}: end_index_in_shared_context is {row.end}, the context has {len(messages)} messages")
    sittings: list[list[Message]] = [[]]
    for message in messages[: row.end]:
        if message.role == "system":
            sittings.append([])
        else:
            sittings[-1].append(message)
    kept = [sitting for sitting in sittings if sitting]
    return Unit(
        id=unit_id(row.chat),
        index=index,
        speakers=SPEAKERS,
        sessions=tuple(_session(sitting, number) for number, sitting in enumerate(kept, 1)),
        cluster=f"persona {row.persona}",
    )


def unit_id(chat: tuple[str, int]) -> str:
    """The beginning of the context's id, and how many of its messages were sent before the question."""
    context, end = chat
    return f"{context[:12]}/{end}"


def _session(messages: Sequence[Message], number: int) -> Session:
    turns = tuple(
        Turn(id=f"D{number}:{place}", session_id=f"D{number}", speaker=message.role, text=message.text)
        for place, message in enumerate(messages, 1)
    )
    return Session(id=f"D{number}", number=number, time=None, turns=turns)


def _messages(raw: object, *, where: str) -> tuple[Message, ...]:
    messages = []
    for place, item in enumerate(valid(raw, list, where=where)):
        here = f"{where}[{place}]"
        role = _field(item, "role", str, where=here)
        if role not in (*SPEAKERS, "system"):
            raise DataError(f"{here}: unknown role {role!r:.80}; PersonaMem has user, assistant and system")
        text = _field(item, "content", str, where=here)
        messages.append(Message(role, text.removeprefix(_NAMED.get(role, ""))))
    return tuple(messages)


def _row(row: Mapping[str, str | None], *, where: str) -> Row:
    values = {column: valid(row[column], str, where=f"{where}: `{column}`") for column in _COLUMNS}
    identity, context, end = values["question_id"], values["shared_context_id"], values["end_index_in_shared_context"]
    if not re.fullmatch("[0-9]{1,9}", end):
        raise DataError(f"{where}: `end_index_in_shared_context` must be a count of messages, got {end!r:.80}")
    if values["question_type"] not in TYPES:
        raise DataError(
            f"{where}: unknown question_type {values['question_type']!r:.80}; PersonaMem has {', '.join(TYPES)}"
        )
    options = _options(values["all_options"], where=f"{where}: `all_options`")
    letter = _letter(values["correct_answer"], options, where=f"{where}: `correct_answer`")
    answer = options[ascii_lowercase.index(letter)]
    return Row(
        persona=values["persona_id"],
        context=context,
        end=int(end),
        question=Question(
            id=identity,
            unit_id=unit_id((context, int(end))),
            text=values["user_question_or_message"],
            options=options,
        ),
        gold=Gold(
            question_id=identity,
            category=values["question_type"],
            answerable=True,
            answer=answer,
            adversarial_answer=None,
            evidence=(),
            letter=letter,
            ungradable="the correct option's text occurs twice" if options.count(answer) > 1 else None,
        ),
    )


def _options(text: str, *, where: str) -> tuple[str, ...]:
    """Texts of options written as JSON or as a Python literal, without their letters, which must be in order."""
    try:
        raw: object = json.loads(text)
    except (ValueError, RecursionError):
        try:
            raw = ast.literal_eval(text)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
            raise DataError(f"{where} is neither JSON nor a Python literal: {text!r:.80}") from error
    options = [valid(option, str, where=f"{where}[{place}]") for place, option in enumerate(_listed(raw, where=where))]
    found = [_LETTERED.fullmatch(option) for option in options]
    letters = [match[1] if match else None for match in found]
    if len(options) < 2 or letters != list(ascii_lowercase[: len(options)]):
        raise DataError(f"{where} must be two options or more that begin with (a), (b), ... in order, got {raw!r:.80}")
    return tuple(match[2] for match in found if match)


def _listed(raw: object, *, where: str) -> Sequence[object]:
    if not isinstance(raw, list | tuple):
        raise DataError(f"{where} must be a list, got {kind_of(raw)}")
    return raw


def _letter(text: str, options: Sequence[str], *, where: str) -> str:
    match = re.fullmatch(r"\s*\(?([a-z])\)?\s*", text)
    if match is None or match[1] not in ascii_lowercase[: len(options)]:
        raise DataError(f"{where} must name one of the {len(options)} options, such as (c), got {text!r:.80}")
    return match[1]


def _text(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            return stream.read()
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"{path} cannot be read as UTF-8 text: {error}") from error
