"""`provider=vllm_engine`: vLLM in this process, for batch runs on a machine with a GPU."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from functools import cache
from typing import Any

from memforest.core.chat import ChatRequest
from memforest.core.digests import canonical_json
from memforest.core.errors import MissingExtraError
from memforest.core.types import Json
from memforest.llm.completions import RawReply, Usage, spoken
from memforest.llm.serving import engine_arguments
from memforest.llm.settings import RoleSettings

GATHERING_SECONDS = 0.01
NOT_SAMPLING = ("chat_template_kwargs",)
"""What `extra_body` may hold that is for the chat template; all else are sampling parameters."""


class Engine:
    """Questions that several threads ask within a few milliseconds are given to the engine as one batch."""

    def __init__(self, settings: RoleSettings) -> None:
        assert settings.model is not None
        self._settings = settings
        self._batches = _batches(settings.model, canonical_json(settings.serve))

    def send(self, *, request: ChatRequest) -> RawReply:
        """The engine's reply. What the engine raises is raised for every question of the batch."""
        messages = [
            {"role": message.author, "content": message.text} for message in spoken(request, self._settings.structured)
        ]
        template = self._settings.extra_body.get("chat_template_kwargs")
        output = self._batches.ask(messages, _sampling(self._settings, request), template)
        completion = output.outputs[0]
        usage = Usage(
            input=len(output.prompt_token_ids or ()),
            cached=getattr(output, "num_cached_tokens", None) or 0,
            output=len(completion.token_ids),
        )
        return RawReply(completion.text, completion.finish_reason, None, self._settings.model, None, usage)


class Batches:
    """One engine and the thread that feeds it; the engine is loaded at the first question."""

    def __init__(self, *, model: str, serve: Mapping[str, Any]) -> None:
        self._model = model
        self._serve = serve
        self._waiting: queue.Queue[tuple[Any, Any, Any, Future[Any]]] = queue.Queue()
        self._thread = threading.Thread(target=self._run, name="vllm-engine", daemon=True)
        self._thread.start()

    def ask(self, messages: list[dict[str, str]], sampling: Any, template: Json) -> Any:
        """vLLM's RequestOutput for one conversation."""
        future: Future[Any] = Future()
        self._waiting.put((messages, sampling, template, future))
        return future.result()

    def _run(self) -> None:
        engine = None
        while True:
            batch = self._gather()
            try:
                engine = engine or _load(self._model, self._serve)
            except BaseException as error:
                for *_, future in batch:
                    future.set_exception(error)
                continue
            for part in _by_template(batch):
                _answer(engine, part)

    def _gather(self) -> list[tuple[Any, Any, Any, Future[Any]]]:
        """What is asked until nothing has come for a few milliseconds."""
        batch = [self._waiting.get()]
        until = time.monotonic() + 10 * GATHERING_SECONDS
        while time.monotonic() < until:
            try:
                batch.append(self._waiting.get(timeout=GATHERING_SECONDS))
            except queue.Empty:
                break
        return batch


@cache
def _batches(model: str, serve: str) -> Batches:
    """One engine a process for one model and its serving settings."""
    import json

    return Batches(model=model, serve=json.loads(serve))


def _load(model: str, serve: Mapping[str, Any]) -> Any:
    try:
        from vllm import LLM
    except ImportError as error:
        raise MissingExtraError("llm.provider=vllm_engine needs vLLM: pip install 'memforest[vllm]'") from error
    return LLM(model=model, **engine_arguments(serve))


def _by_template(batch: Sequence[Any]) -> list[list[Any]]:
    """The questions in groups with equal settings of the chat template, of which the engine takes one at a time."""
    groups: dict[str, list[Any]] = {}
    for item in batch:
        groups.setdefault(canonical_json(item[2]), []).append(item)
    return list(groups.values())


def _answer(engine: Any, questions: Sequence[Any]) -> None:
    conversations = [messages for messages, *_ in questions]
    sampling = [parameters for _, parameters, *_ in questions]
    template = questions[0][2]
    try:
        outputs = engine.chat(conversations, sampling, use_tqdm=False, chat_template_kwargs=template)
        answered = list(zip(questions, outputs, strict=True))
    except BaseException as error:
        # Whoever asks is told: he waits, and nobody waits for this thread.
        for *_, future in questions:
            future.set_exception(error)
        return
    for (*_, future), output in answered:
        future.set_result(output)


def _sampling(settings: RoleSettings, request: ChatRequest) -> Any:
    try:
        from vllm import SamplingParams
    except ImportError as error:
        raise MissingExtraError("llm.provider=vllm_engine needs vLLM: pip install 'memforest[vllm]'") from error
    given = {
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": settings.max_tokens,
        "seed": None if settings.seed is None else settings.seed + request.sample,
    }
    further = {name: value for name, value in settings.extra_body.items() if name not in NOT_SAMPLING}
    if request.schema is not None and settings.structured == "json_schema":
        from vllm.sampling_params import StructuredOutputsParams

        further["structured_outputs"] = StructuredOutputsParams(json=dict(request.schema))
    return SamplingParams(**{name: value for name, value in given.items() if value is not None}, **further)
