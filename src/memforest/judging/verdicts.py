"""How a judge's model is asked for its verdict, and how its reply is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from memforest.core.chat import ChatReply
from memforest.core.types import Json

LABELS = ("CORRECT", "WRONG")

_LABEL: Mapping[str, Json] = {"type": "string", "enum": list(LABELS)}
_REASON: Mapping[str, Json] = {"type": "string"}
_REPLY = 'Reply with a JSON object and nothing else. It has the key "label", whose value is "CORRECT" or "WRONG".'
_REPLY_WITH_REASON = (
    'Reply with a JSON object and nothing else. It has two keys: first "reason", one short sentence, then "label", '
    'whose value is "CORRECT" or "WRONG".'
)


@dataclass(frozen=True, slots=True)
class Form:
    """`reply` ends the prompt, `schema` is that of the reply if it is to be JSON, `parse` says in words what `accepts`
    does: whether a reply accepts the answer; None for one that is no verdict."""

    reply: str
    schema: Mapping[str, Json] | None
    parse: str
    accepts: Callable[[ChatReply], bool | None]


def labelled(*, explain: bool) -> Form:
    """JSON with a label, after a short reason if `explain`."""
    return Form(
        reply=_REPLY_WITH_REASON if explain else _REPLY,
        schema=_schema(explain=explain),
        parse="`label` of a JSON reply; CORRECT in more than half of the votes",
        accepts=_label_accepts,
    )


def _label_accepts(reply: ChatReply) -> bool | None:
    label = reply.value.get("label") if isinstance(reply.value, Mapping) else None
    return label == LABELS[0] if label in LABELS else None


def _schema(*, explain: bool) -> Mapping[str, Json]:
    """The reason comes first, so that the label can follow from it."""
    properties: dict[str, Json] = {"reason": _REASON, "label": _LABEL} if explain else {"label": _LABEL}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


YES = Form(
    reply="Reply with one word: yes if it is CORRECT, no if it is WRONG.",
    schema=None,
    parse="`yes` anywhere in the reply, in any case; so in more than half of the votes",
    accepts=lambda reply: "yes" in reply.text.lower(),
)
"""M3-Agent's: yes or no in words. Every reply is a verdict, and one that holds `yes` accepts, whatever else it says:
`No, yesterday` too."""
