"""Models that reply what a test says."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from memforest.core.chat import ChatFailed, ChatOutcome, ChatReply, ChatRequest


@dataclass
class FakeChat:
    """Replies with a function of the request, and keeps what it was asked."""

    reply: Callable[[ChatRequest], ChatOutcome]
    model: str = "fake-model"
    concurrency: int = 3
    asked: list[ChatRequest] = field(default_factory=list)

    def ask(self, *, request: ChatRequest) -> ChatOutcome:
        """What the function says."""
        self.asked.append(request)
        return self.reply(request)

    @property
    def prompts(self) -> list[str]:
        """The texts of what was asked."""
        return [text_of(request) for request in self.asked]


def text_of(request: ChatRequest) -> str:
    """All messages of a request as one text."""
    return "\n".join(message.text for message in request.messages)


def replying(*texts: str) -> FakeChat:
    """Replies with the texts in turn, the last one for ever."""
    left = list(texts)
    return FakeChat(lambda request: ChatReply(left.pop(0) if len(left) > 1 else left[0]))


def failing(reason: str) -> FakeChat:
    """Never replies."""
    return FakeChat(lambda request: ChatFailed(reason, "what the server said"))


def labelling(*labels: str) -> FakeChat:
    """A judge's model: the label of the sample number, as JSON; FAILURES among the labels are failures. Where no JSON
    is asked for, it says yes for CORRECT and no for the others."""

    def reply(request: ChatRequest) -> ChatOutcome:
        label = labels[request.sample % len(labels)]
        if label.islower():
            return ChatFailed(label, "what the server said")
        if request.schema is None:
            return ChatReply("Yes." if label == "CORRECT" else "No.")
        value = {"label": label}
        return ChatReply(json.dumps(value), value=value)

    return FakeChat(reply)


def copying() -> FakeChat:
    """A merger's model: replies with all that stands between fences, as one line."""

    def reply(request: ChatRequest) -> ChatOutcome:
        return ChatReply(" ".join(" ".join(fenced_parts(text_of(request))).split()))

    return FakeChat(reply)


def conversation(request: ChatRequest) -> list[str]:
    """What we said in a request, message by message."""
    return [message.text for message in request.messages if message.author != "assistant"]


def fenced_parts(prompt: str) -> list[str]:
    """What stands between fences, by the longest line of tildes."""
    lines = prompt.split("\n")
    fence = max((line for line in lines if line and not line.strip("~")), key=len)
    parts, inside = [], False
    for line in lines:
        if line == fence:
            inside = not inside
            if inside:
                parts.append("")
        elif inside:
            parts[-1] += line + "\n"
    assert not inside, "a fence was left open"
    return [part.removesuffix("\n") for part in parts]


def outside_fences(prompt: str) -> str:
    """What stands outside of them: our own sentences."""
    lines = prompt.split("\n")
    fence = max((line for line in lines if line and not line.strip("~")), key=len)
    kept, inside = [], False
    for line in lines:
        inside ^= line == fence
        if not inside and line != fence:
            kept.append(line)
    return "\n".join(kept)
