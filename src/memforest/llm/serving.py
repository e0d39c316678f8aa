"""The `serve` settings of a model as arguments of vLLM: of its engine in this process, and of its server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

SERVER_ONLY = ("reasoning_parser",)
"""For a server's own parsing, which the engine does not do; the client takes thinking out."""


def engine_arguments(serve: Mapping[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `vllm.LLM`; what is null is left to it."""
    return {name: value for name, value in _all(serve).items() if name not in SERVER_ONLY}


def server_command(settings: Mapping[str, Any]) -> list[str]:
    """The command that serves the model of a file of conf/llm."""
    command = ["vllm", "serve", str(settings["model"])]
    for name, value in _all(settings["serve"]).items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            command.append(flag)
        elif value is False:
            command.append("--no-" + flag[2:])
        else:
            command += [flag, str(value)]
    return command


def _all(serve: Mapping[str, Any]) -> dict[str, Any]:
    named = {name: value for name, value in serve.items() if name != "arguments"}
    return {name: value for name, value in {**named, **(serve.get("arguments") or {})}.items() if value is not None}
