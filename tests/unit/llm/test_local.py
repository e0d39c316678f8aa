"""A GGUF file in the process: with a stand-in for xllamacpp, and with the real one where there are weights."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from memforest.core.chat import ChatReply
from memforest.core.errors import ConfigError, MissingExtraError
from memforest.llm import local
from memforest.llm.ledger import Ledger
from tests.chat_server import ChatServer, says
from tests.unit.llm.support import YES_OR_NO, ask, chat, files

WEIGHTS = os.environ.get("MEMFOREST_GGUF", "")
"""A file of weights for the test of the real library."""

real = pytest.mark.skipif(
    not WEIGHTS or importlib.util.find_spec("xllamacpp") is None,
    reason="needs xllamacpp and a GGUF file in MEMFOREST_GGUF",
)


@pytest.fixture
def weights(tmp_path: Path) -> str:
    path = tmp_path / "tiny-model.gguf"
    path.write_bytes(b"GGUF")
    return str(path)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """Parameters of the servers that were started; each answers from a thread of the test."""
    parameters: list[Any] = []
    with ChatServer(lambda *_: says("from the file")).running() as server:

        def start(given: Any) -> Any:
            parameters.append(given)
            return SimpleNamespace(listening_address=server.url.removesuffix("/v1"))

        def empty() -> Any:
            return SimpleNamespace(model=SimpleNamespace(), cpuparams=SimpleNamespace())

        module = ModuleType("xllamacpp")
        vars(module).update(CommonParams=empty, Server=start)
        monkeypatch.setitem(sys.modules, "xllamacpp", module)
        local._stop()
        yield parameters
        local._stop()


def test_one_server_for_all_roles_started_at_the_first_question(
    tmp_path: Path, weights: str, started: list[Any]
) -> None:
    ledger = Ledger()
    models = [chat(tmp_path, option="local", weights=weights, role=role, ledger=ledger) for role in ("merge", "judge")]
    assert not started
    assert {model.ask(request=ask(f"{place}")) for place, model in enumerate(models)} == {ChatReply("from the file")}
    (given,) = started
    assert given.model.path == str(Path(weights).resolve())
    assert (given.n_ctx, given.n_parallel, given.hostnames) == (8192, 1, ["127.0.0.1"])
    assert {model.model for model in models} == {"tiny-model"}
    assert given.model_alias == {"tiny-model"}
    assert ledger.as_json()["total"]["paid"]["cost_dollars"] == 0
    assert weights not in files(tmp_path)[0].read_text()


def test_what_is_kept_needs_no_server(tmp_path: Path, weights: str, started: list[Any]) -> None:
    chat(tmp_path, option="local", weights=weights).ask(request=ask())
    local._stop()
    assert chat(tmp_path, option="local", weights=weights).ask(request=ask()) == ChatReply("from the file")
    assert len(started) == 1


def test_context_and_arguments_are_those_of_serve(tmp_path: Path, weights: str, started: list[Any]) -> None:
    serve = {"max_model_len": 2048, "arguments": {"n_gpu_layers": 99}}
    chat(tmp_path, option="local", weights=weights, serve=serve, concurrency=3).ask(request=ask())
    assert (started[0].n_ctx, started[0].n_parallel, started[0].n_gpu_layers) == (6144, 3, 99)


def test_a_file_that_is_missing_or_another_is_named(tmp_path: Path, weights: str) -> None:
    with pytest.raises(ConfigError, match=r"llm\.weights=nowhere\.gguf is no file; set it"):
        chat(tmp_path, option="local", weights="nowhere.gguf")
    with pytest.raises(ConfigError, match=r"has sha256 [0-9a-f]{64}, but llm\.weights_sha256=abc"):
        chat(tmp_path, option="local", weights=weights, weights_sha256="abc")


def test_without_xllamacpp_the_extra_is_named(tmp_path: Path, weights: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'memforest\[local-llm\]'"):
        chat(tmp_path, option="local", weights=weights).ask(request=ask())


@real
@pytest.mark.slow
def test_a_real_file_answers_in_text_and_in_json(tmp_path: Path) -> None:
    model = chat(tmp_path, option="local", weights=WEIGHTS, max_tokens=60)
    reply = model.ask(request=ask("Say hello."))
    assert isinstance(reply, ChatReply) and reply.text
    judged = model.ask(request=ask("Is the sky blue?", schema=YES_OR_NO))
    assert isinstance(judged, ChatReply) and judged.value in ({"label": "YES"}, {"label": "NO"})
    fresh = chat(tmp_path / "again", option="local", weights=WEIGHTS, max_tokens=60)
    assert fresh.ask(request=ask("Say hello.")) == reply
