"""A server on this machine that speaks the OpenAI protocol, answers from a script, and keeps what it was asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memforest.embedding.hashing import Hashing

Messages = list[dict[str, str]]
Script = Callable[[Messages], str | int]
"""The messages of a chat request -> the text of the reply, or an HTTP status to fail with."""


class OpenAIServer:
    """Chat completions by `script`, embeddings by hashed words; `chats` are the messages received, in order."""

    def __init__(self, script: Script, *, dimension: int) -> None:
        self.script = script
        self.chats: list[Messages] = []
        self.embedded: list[str] = []
        self.keys: set[str] = set()
        self.finish_reason = "stop"
        self._embedder = Hashing(buckets=dimension)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    @contextmanager
    def serving(self) -> Iterator[OpenAIServer]:
        """Answer requests in a thread until the block ends."""
        thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def chat(self, request: dict[str, Any]) -> dict[str, Any] | int:
        """The body of a reply to a chat request, or a status."""
        self.chats.append(request["messages"])
        text = self.script(request["messages"])
        if isinstance(text, int):
            return text
        message = {"role": "assistant", "content": text}
        return {
            "id": "chat",
            "object": "chat.completion",
            "created": 0,
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish_reason}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10},
        }

    def embed(self, request: dict[str, Any]) -> dict[str, Any] | int:
        """The body of a reply to an embeddings request."""
        given = request["input"]
        texts = [given] if isinstance(given, str) else given
        self.embedded += texts
        vectors = self._embedder.embed(texts=texts).vectors
        data = [
            {"object": "embedding", "index": place, "embedding": [float(value) for value in vector]}
            for place, vector in enumerate(vectors)
        ]
        return {
            "object": "list",
            "model": request["model"],
            "data": data,
            "usage": {"prompt_tokens": 1, "total_tokens": 1},
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.keys.add(self.headers.get("Authorization", ""))
                answer = server.embed if self.path.endswith("/embeddings") else server.chat
                self._send(answer(request))

            def _send(self, body: dict[str, Any] | int) -> None:
                failed = isinstance(body, int)
                content = json.dumps({"error": {"message": "scripted"}} if failed else body).encode()
                self.send_response(body if isinstance(body, int) else 200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(content)))
                # The client's own waiting between retries is not what is tested.
                self.send_header("Retry-After-Ms", "1")
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler
