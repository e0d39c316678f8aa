"""A server of the chat-completions protocol in a thread of the test, with faults."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Reaction:
    """What the server does with one call: wait, then drop the connection or send a body."""

    content: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    wait: float = 0.0
    drop: bool = False


def says(text: str | None, *, finish_reason: str = "stop", wait: float = 0.0, **message: Any) -> Reaction:
    """A chat completion."""
    return Reaction(
        wait=wait,
        content={
            "id": "reply-1",
            "object": "chat.completion",
            "model": "served-model-0613",
            "system_fingerprint": "fp_44709d6fcb",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": finish_reason,
                    "message": {"role": "assistant", "content": text, **message},
                }
            ],
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "total_tokens": 110,
                "prompt_tokens_details": {"cached_tokens": 60},
            },
        },
    )


def refuses(status: int, message: str = "no", *, code: str | None = None, **headers: str) -> Reaction:
    """An error as OpenAI sends it."""
    return Reaction(
        status=status,
        content={"error": {"message": message, "type": "error", "code": code}},
        headers={name.replace("_", "-"): value for name, value in headers.items()},
    )


React = Callable[[dict[str, Any], int], Reaction]


class ChatServer:
    """`react` is given the body of a call and its number, from 1."""

    def __init__(self, react: React) -> None:
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.most_at_once = 0
        self._at_once = 0
        self._react = react
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @contextmanager
    def running(self) -> Iterator[ChatServer]:
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()

    def meet(self, body: dict[str, Any], key: str | None) -> Reaction:
        with self._lock:
            self.bodies.append(body)
            self.keys.append(key)
            number = len(self.bodies)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            reaction = self._react(body, number)
            time.sleep(reaction.wait)
        finally:
            with self._lock:
                self._at_once -= 1
        return reaction


def _handler(server: ChatServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            assert self.path == "/v1/chat/completions"
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reaction = server.meet(body, self.headers.get("Authorization"))
            if reaction.drop:
                self.close_connection = True
                self.connection.close()
                return
            text = reaction.content if isinstance(reaction.content, str) else json.dumps(reaction.content)
            sent = text.encode()
            head = {"Content-Type": "application/json", "Content-Length": str(len(sent)), **reaction.headers}
            try:
                self.send_response(reaction.status)
                for name, value in head.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(sent)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
