"""`provider=local`: a GGUF file, served in this process by xllamacpp and asked like any other server."""

from __future__ import annotations

import atexit
import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from memforest.core.chat import ChatRequest
from memforest.core.checks import require
from memforest.core.errors import MissingExtraError
from memforest.llm.completions import RawReply
from memforest.llm.http import Http
from memforest.llm.settings import RoleSettings, weights_digest

CONTEXT_TOKENS = 8192

_servers: dict[tuple[str, int, int], Any] = {}
_lock = threading.Lock()


class Local:
    """A file of weights; its server starts at the first question and ends with the process.

    Raises ConfigError where the file is missing or is not the one that `llm.weights_sha256` names.
    """

    def __init__(self, settings: RoleSettings) -> None:
        assert settings.weights is not None
        found, expected = weights_digest(settings.weights), settings.weights_sha256
        require(
            expected in (None, found),
            f"llm.weights={settings.weights} has sha256 {found}, but llm.weights_sha256={expected}",
        )
        self._settings = settings
        self._server: Http | None = None
        self._lock = threading.Lock()

    def send(self, *, request: ChatRequest) -> RawReply:
        """The model's reply over the server's own port. Raises CallError."""
        return self._started().send(request=request)

    def _started(self) -> Http:
        with self._lock:
            if self._server is None:
                address = _address(self._settings)
                self._server = Http(replace(self._settings, base_url=f"{address}/v1", api_key_env=None))
            return self._server


def _address(settings: RoleSettings) -> str:
    """The address of the server of a file, started if need be: one a process."""
    assert settings.weights is not None
    context = settings.serve.get("max_model_len") or CONTEXT_TOKENS
    key = (str(Path(settings.weights).resolve()), context, settings.concurrency)
    with _lock:
        if key not in _servers:
            _servers[key] = _start(*key, settings.name, settings.serve.get("arguments") or {})
        return str(_servers[key].listening_address)


def _start(weights: str, context: int, slots: int, name: str, arguments: Mapping[str, Any]) -> Any:
    try:
        from xllamacpp import CommonParams, Server
    except ImportError as error:
        raise MissingExtraError("llm.provider=local needs xllamacpp: pip install 'memforest[local-llm]'") from error
    parameters = CommonParams()
    parameters.model.path = weights
    # Otherwise every reply would carry the path of the file.
    parameters.model_alias = {name}
    # The server divides its context among the calls that it has in flight.
    parameters.n_ctx = context * slots
    parameters.n_parallel = slots
    parameters.cpuparams.n_threads = len(os.sched_getaffinity(0))
    parameters.hostnames = ["127.0.0.1"]
    parameters.verbosity = 0
    for argument, value in arguments.items():
        setattr(parameters, argument, value)
    return Server(parameters)


@atexit.register
def _stop() -> None:
    """End all servers: their threads would outlive the interpreter."""
    _servers.clear()
