"""vLLM in the process, with a stand-in for the library."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from memforest.core.chat import ChatFailed, ChatReply
from memforest.core.errors import MissingExtraError
from memforest.llm import engine
from memforest.llm.ledger import Ledger
from tests.unit.llm.support import YES_OR_NO, ask, chat

OPTION = "qwen3_4b_instruct_2507"


@dataclass
class FakeEngine:
    """What vllm.LLM does here: remembers how it was made and asked, and repeats the last message."""

    arguments: dict[str, Any]
    batches: list[tuple[list[Any], list[Any], Any]]

    def chat(self, conversations: list[Any], sampling: list[Any], *, use_tqdm: bool, chat_template_kwargs: Any) -> Any:
        assert not use_tqdm
        assert len(conversations) == len(sampling)
        self.batches.append((conversations, sampling, chat_template_kwargs))
        if any("broken" in messages[-1]["content"] for messages in conversations):
            raise RuntimeError("out of memory")
        if any("lost" in messages[-1]["content"] for messages in conversations):
            return []
        return [
            _output(messages[-1]["content"], parameters)
            for messages, parameters in zip(conversations, sampling, strict=True)
        ]


def _output(said: str, parameters: Any) -> Any:
    cut = "long" in said
    text = '{"label": "NO"}' if hasattr(parameters, "structured_outputs") else f"<think>hm</think>re: {said}"
    completion = SimpleNamespace(text=text, finish_reason="length" if cut else "stop", token_ids=[1, 2, 3])
    return SimpleNamespace(outputs=[completion], prompt_token_ids=[1] * 7, num_cached_tokens=4)


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FakeEngine]]:
    made: list[FakeEngine] = []

    def make(**arguments: Any) -> FakeEngine:
        made.append(FakeEngine(arguments, []))
        return made[-1]

    vllm = ModuleType("vllm")
    parameters = ModuleType("vllm.sampling_params")
    vars(vllm).update(LLM=make, SamplingParams=SimpleNamespace, sampling_params=parameters)
    vars(parameters).update(StructuredOutputsParams=SimpleNamespace)
    monkeypatch.setitem(sys.modules, "vllm", vllm)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", parameters)
    engine._batches.cache_clear()
    yield made
    engine._batches.cache_clear()


def test_questions_of_many_threads_become_few_batches_of_one_engine(tmp_path: Path, engines: list[FakeEngine]) -> None:
    ledger = Ledger()
    models = [
        chat(tmp_path, option=OPTION, provider="vllm_engine", role=role, ledger=ledger) for role in ("merge", "judge")
    ]
    with ThreadPoolExecutor(32) as pool:
        outcomes = list(pool.map(lambda n: models[n % 2].ask(request=ask(f"{n}")), range(64)))
    assert outcomes == [ChatReply(f"re: {n}") for n in range(64)]
    (made,) = engines
    assert made.arguments == {
        "model": "Qwen/Qwen3-4B-Instruct-2507-FP8",
        "max_model_len": 65536,
        "dtype": "auto",
        "tensor_parallel_size": 1,
        "gpu_memory_utilization": 0.9,
        "max_num_seqs": 512,
        "generation_config": "vllm",
    }
    assert sum(len(conversations) for conversations, *_ in made.batches) == 64
    assert len(made.batches) < 32
    total = ledger.as_json()["total"]["paid"]
    assert (total["input_tokens_cached_by_server"], total["output_tokens"], total["cost_dollars"]) == (256, 192, 0)


def test_sampling_and_template_are_those_of_the_settings(tmp_path: Path, engines: list[FakeEngine]) -> None:
    extra = {"top_k": 20, "chat_template_kwargs": {"enable_thinking": False}}
    model = chat(tmp_path, option=OPTION, provider="vllm_engine", extra_body=extra)
    assert model.ask(request=ask("a", schema=YES_OR_NO, sample=2)) == ChatReply('{"label": "NO"}', {"label": "NO"})
    ((_, (sampling,), template),) = engines[0].batches
    assert template == {"enable_thinking": False}
    assert (sampling.temperature, sampling.top_p, sampling.max_tokens, sampling.seed) == (0.0, 0.8, 4096, 2)
    assert sampling.top_k == 20
    assert sampling.structured_outputs.json == YES_OR_NO


def test_replies_of_a_server_and_of_the_engine_are_the_same_replies(tmp_path: Path, engines: list[FakeEngine]) -> None:
    assert not engines
    served = chat(tmp_path, option=OPTION)
    assert served.key(ask()) == chat(tmp_path, option=OPTION, provider="vllm_engine").key(ask())


def test_what_the_engine_raises_is_a_failure_of_those_it_concerns(tmp_path: Path, engines: list[FakeEngine]) -> None:
    model = chat(tmp_path, option=OPTION, provider="vllm_engine")
    outcome = model.ask(request=ask("broken"))
    assert outcome == ChatFailed("exception", "RuntimeError: out of memory")
    assert model.ask(request=ask("whole")) == ChatReply("re: whole")
    cut = model.ask(request=ask("long"))
    assert isinstance(cut, ChatFailed) and cut.reason == "reply cut off"
    assert len(engines) == 1


def test_without_vllm_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memforest\[vllm\]'"):
        chat(tmp_path, option=OPTION, provider="vllm_engine").ask(request=ask())


def test_an_engine_that_loses_a_question_fails_it_and_goes_on(tmp_path: Path, engines: list[FakeEngine]) -> None:
    model = chat(tmp_path, option=OPTION, provider="vllm_engine")
    lost = model.ask(request=ask("lost"))
    assert isinstance(lost, ChatFailed) and lost.reason == "exception"
    assert model.ask(request=ask("found")) == ChatReply("re: found")
    assert len(engines) == 1
