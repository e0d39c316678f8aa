"""When an answer says that the memory does not tell: a rule of words, the same for every answerer."""

from __future__ import annotations

import re

_MEMORY = r"(?:memory|memories|conversations?|context|history|entries|information|messages|sessions|excerpts)"
_SAY = r"(?:say|tell|mention|contain|include|specify|state|provide|give|show|record|discuss|hold|indicate|cover)s?"
_DO_NOT = r"(?:do not|does not|did not|don't|doesn't|didn't|never)"
_GIVEN = r"(?:mentioned|specified|stated|provided|given|known|recorded|discussed|available)"
_OBJECT = (
    r"(?:the (?:answer|exact|name|date|time)|that|this|from|based|because|as|since|who|whose|what|when|where|which"
    r"|whether|if|why|about|how (?:many|much|long|often|old|far))"
)
_FORMS = re.compile(
    "|".join(
        (
            r"unknown",
            r"n/a",
            rf"(?:i|we) (?:do not|don't) know(?:,? {_OBJECT}\b.*)?",
            rf"(?:(?:it|that|this)(?: is|'s) )?not {_GIVEN}(?: (?:in|by) .*)?",
            r"(?:there is |there's |i have )?(?:no|not enough|insufficient) (?:information|mention|record|evidence)"
            r"(?: (?:is|was|are|were|available|about|on|of|in|given|provided|found|regarding|to|that)\b.*)?",
            rf"(?:(?:the|these|your|our|provided|given|available) )*{_MEMORY} {_DO_NOT} {_SAY}\b.*",
            r"(?:i|we) (?:cannot|can't|could not|couldn't) (?:tell|determine|answer)\b.*",
            r"(?:i|we) (?:do not|don't) have (?:any |enough |the |that )*(?:information|records?|memory|mention)\b.*",
            r"you (?:did not|didn't|have not|haven't|never) (?:mention|tell|specif|provid|share|state)\w*\b.*",
        )
    )
)
"""Whole first sentences that say so, in lower case and without their full stop."""

_CONTRAST = re.compile(r"\b(?:but|however|although|though|nevertheless|likely|probably|perhaps|suggests?)\b")
_SENTENCE_END = re.compile(r"[.!?](?:\s|$)|\n")


def abstains(answer: str) -> bool:
    """Whether the first sentence is one of a few forms of `I do not know`, and no word of contrast follows anywhere.

    `The memory does not say` abstains; `The memory does not say, but probably Oslo` answers. In doubt it is an answer.
    """
    text = answer.strip().lower().replace("’", "'")
    first = _SENTENCE_END.split(text, maxsplit=1)[0].strip().rstrip(".!,;:")
    return bool(_FORMS.fullmatch(first)) and not _CONTRAST.search(text)
