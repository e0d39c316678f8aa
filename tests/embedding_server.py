"""A server on this machine that speaks OpenAI's /embeddings, and fails on demand."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from memforest.embedding.hashing import Hashing

Fault = tuple[int, dict[str, str], bytes] | str
"""What the next request gets: status, headers and body, or the name of something worse (see `Handler.misbehave`)."""


def failure(status: int, message: str = "a fault", *, code: str | None = None, **headers: str) -> Fault:
    """An error as OpenAI words it; it may be repeated at once unless `headers` say otherwise."""
    body = json.dumps({"error": {"message": message, "code": code}}).encode()
    return status, {"Retry-After": "0", **headers}, body


class Server:
    """Vectors are hashed bags of words; four bytes are a token. `faults` are used up one by one, by any request."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.faults: list[Fault] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.largest_tokens = 10**9
        self.largest_batch = 10**9
        self.cuts_in_silence = False
        self.own_dimensions = 48
        self.at_once = 0
        self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def texts(self) -> list[str]:
        """All texts that were sent, in the order of arrival."""
        return [text for request in self.requests for text in request["input"]]

    def reply(self, request: dict[str, Any]) -> Fault:
        """An answer to a request without a fault."""
        texts, dimensions = request["input"], request.get("dimensions", self.own_dimensions)
        if any(not text for text in texts):
            return failure(400, "'$.input' is invalid")
        if len(texts) > self.largest_batch:
            return failure(422, f"batch size {len(texts)} > maximum allowed batch size {self.largest_batch}")
        tokens = [-(-len(text.encode()) // 4) for text in texts]
        if max(tokens) > self.largest_tokens:
            if not self.cuts_in_silence:
                return failure(400, f"This model's maximum context length is {self.largest_tokens} tokens")
            texts = [text.encode()[: 4 * self.largest_tokens].decode(errors="ignore") for text in texts]
            tokens = [min(count, self.largest_tokens) for count in tokens]
        # Not of length 1, and not in the order of the texts: both are for the client to put right.
        vectors = 2 * Hashing(buckets=dimensions).embed(texts=texts).vectors
        data = [{"index": place, "embedding": row.tolist()} for place, row in enumerate(vectors)][::-1]
        body = {"data": data, "model": request["model"], "usage": {"prompt_tokens": sum(tokens)}}
        return 200, {}, json.dumps(body).encode()


@contextmanager
def embedding_server() -> Iterator[Server]:
    """A running server; it ends with the block."""
    listening = _Listening(("127.0.0.1", 0), Handler)
    server = Server(f"http://127.0.0.1:{listening.server_address[1]}/v1")
    listening.state = server  # type: ignore[attr-defined]
    thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown()
        listening.server_close()
        thread.join()


class _Listening(ThreadingHTTPServer):
    """Says nothing of clients that have gone."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: a client that no longer waits is part of some tests."""


class Handler(BaseHTTPRequestHandler):
    """POST /v1/embeddings, and nothing else."""

    def do_POST(self) -> None:
        server: Server = self.server.state  # type: ignore[attr-defined]
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with server.lock:
            server.requests.append(request)
            server.keys.append(self.headers.get("Authorization"))
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            reply = server.faults.pop(0) if server.faults else None
        reply = server.reply(request) if reply is None else reply
        # Before the answer is sent: the client may ask again as soon as it has it.
        with server.lock:
            server.at_once -= 1
        self.answer(reply)

    def answer(self, reply: Fault) -> None:
        if isinstance(reply, str):
            self.misbehave(reply)
            return
        status, headers, body = reply if self.path == "/v1/embeddings" else (404, {}, b"{}")
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def misbehave(self, how: str) -> None:
        """drop: the connection ends without an answer; cut: in the middle of one."""
        if how == "cut":
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "100000")
            self.end_headers()
            self.wfile.write(b'{"data": [')
        self.close_connection = True

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nothing: a test's output is its own."""
