"""Vectors from a server that speaks OpenAI's /embeddings: OpenAI itself, vLLM, llama.cpp, text-embeddings-inference."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from memforest.core.checks import require
from memforest.core.digests import digest
from memforest.core.errors import ConfigError, ServiceError
from memforest.core.progress import Progress
from memforest.core.protocols import Embedding
from memforest.core.vectors import Matrix, normalised
from memforest.embedding.retries import MalformedReplyError, Pause, with_retries

if TYPE_CHECKING:
    from openai import APIStatusError

_CHARACTERS_OF_A_TOKEN = 4
_LENGTH = re.compile(r"tokens|(context|input|sequence) (length|size)|too (long|large)|batch size", re.IGNORECASE)
_TOO_LARGE = re.compile(r"too (long|large)", re.IGNORECASE)
_REFUSALS = {400: _LENGTH, 413: _LENGTH, 422: _LENGTH, 500: _TOO_LARGE}
"""What a server says, by status, of a request that is too long; llama.cpp says so with 500."""


class Served:
    """The vectors of `model` as the server at `base_url` gives them, scaled to length 1; a blank text gets zeros.

    dimensions: asked of the server, for models that offer several; None takes the model's own. max_tokens: what the
    model reads of a text. api_key_env: the environment variable that holds the key, None for a server without.
    batch_texts texts go in one request, `concurrency` requests run at once. A request that fails in
    a way that may pass is made up to `attempts` times, each for `timeout_seconds` at most.

    Texts are sent whole. The server knows best what is too long, and a text that it refuses for its length is cut: to
    4 max_tokens characters, then to three quarters until it is accepted. A text counts as truncated when it was cut,
    or when it has more bytes than max_tokens (with fewer it cannot have more tokens) and the server says that it read
    max_tokens tokens. Servers do not give equal bits for equal texts in all batches; the vector cache keeps the first.
    """

    def __init__(
        self,
        *,
        base_url: str,
        model: str,
        dimensions: int | None,
        max_tokens: int,
        api_key_env: str | None,
        batch_texts: int,
        concurrency: int,
        timeout_seconds: float,
        attempts: int,
    ) -> None:
        require(
            base_url.startswith(("http://", "https://")),
            f"embedder.base_url must begin with http:// or https://, got {base_url!r}",
        )
        require(bool(model), "embedder.model must name the model as the server knows it")
        require(dimensions is None or dimensions >= 1, f"embedder.dimensions must be at least 1, got {dimensions}")
        require(max_tokens >= 1, f"embedder.max_tokens must be at least 1, got {max_tokens}")
        require(1 <= batch_texts <= 2048, f"embedder.batch_texts must be from 1 to 2048, got {batch_texts}")
        require(concurrency >= 1, f"embedder.concurrency must be at least 1, got {concurrency}")
        require(timeout_seconds > 0, f"embedder.timeout_seconds must be above 0, got {timeout_seconds}")
        require(attempts >= 1, f"embedder.attempts must be at least 1, got {attempts}")
        self._base_url = base_url
        self._model = model
        self._dimensions = self._length = dimensions
        self._max_tokens = max_tokens
        self._api_key_env = api_key_env
        self._batch_texts = batch_texts
        self._concurrency = concurrency
        self._timeout_seconds = timeout_seconds
        self._attempts = attempts

    @property
    def identity(self) -> str:
        """Model, dimensions and reading length; the same model is the same wherever it is served."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self._model).strip("-.")
        settings = digest([self._model, self._dimensions, self._max_tokens])[:12]
        return f"served-{readable}-{settings}"

    @property
    def dimension(self) -> int:
        """The dimensions asked for, else those of the first vector, of one word if there is none yet."""
        if self._length is None:
            self._length = int(self.embed(texts=["dimensions"]).vectors.shape[1])
        return self._length

    def embed(self, *, texts: Sequence[str]) -> Embedding:
        """Vectors [texts, dimension]. Raises ConfigError without a key, ServiceError when the server fails for good."""
        rows: dict[int, tuple[Any, bool]] = {}
        for places, made in self.batches(texts=texts):
            rows.update(zip(places, zip(made.vectors, map(bool, made.truncated), strict=True), strict=True))
        vectors = [rows[place][0] for place in range(len(texts))]
        return Embedding(
            vectors=np.stack(vectors) if vectors else np.zeros((0, self.dimension), np.float32),
            truncated=np.array([rows[place][1] for place in range(len(texts))], dtype=bool),
        )

    def batches(self, *, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Embedding]]:
        """Places of some texts and their vectors, as requests are answered: what is there when another request fails
        for good has been handed out before the error is raised."""
        filled = [place for place, text in enumerate(texts) if text.strip()]
        blank = [place for place, text in enumerate(texts) if not text.strip()]
        yield from self._answered(texts, filled)
        if blank:
            zeros = np.zeros((len(blank), self.dimension), np.float32)
            yield blank, Embedding(vectors=zeros, truncated=np.zeros(len(blank), dtype=bool))

    def _answered(self, texts: Sequence[str], places: Sequence[int]) -> Iterator[tuple[Sequence[int], Embedding]]:
        groups = list(self._groups(texts, places))
        if not groups:
            return
        _ = self._client  # a missing key is met here, once
        stopped = threading.Event()
        failure: ServiceError | None = None

        def work(group: Sequence[int]) -> Embedding | None:
            if stopped.is_set():
                return None
            try:
                return self._embedded([texts[place] for place in group], stopped.wait)
            except ServiceError:
                stopped.set()
                raise

        with ThreadPoolExecutor(self._concurrency) as pool, Progress("embed", len(places)) as progress:
            requests = {pool.submit(work, group): group for group in groups}
            try:
                for request in as_completed(requests):
                    try:
                        made = request.result()
                    except ServiceError as error:
                        failure = failure or error
                        continue
                    if made is not None:
                        progress.advance(len(made.vectors))
                        yield requests[request], made
            finally:
                stopped.set()
        if failure is not None:
            raise failure

    def _groups(self, texts: Sequence[str], places: Sequence[int]) -> Iterator[Sequence[int]]:
        """Texts that are sure to fit in batches; others alone, so that the server's count of tokens is theirs."""
        sure = [place for place in places if not self._may_be_long(texts[place])]
        yield from ([place] for place in places if self._may_be_long(texts[place]))
        yield from (sure[start : start + self._batch_texts] for start in range(0, len(sure), self._batch_texts))

    def _may_be_long(self, text: str) -> bool:
        return len(text.encode()) > self._max_tokens

    def _embedded(self, texts: Sequence[str], pause: Pause) -> Embedding:
        """One request; when it is refused for its length, one for each half, or for the beginning of a single text."""
        try:
            vectors, tokens = self._asked(texts, pause)
        except _TooLongError as refusal:
            if len(texts) > 1:
                halves = texts[: len(texts) // 2], texts[len(texts) // 2 :]
                return _joined([self._embedded(half, pause) for half in halves])
            return Embedding(vectors=self._beginning(texts[0], refusal, pause), truncated=np.ones(1, dtype=bool))
        cut = len(texts) == 1 and self._may_be_long(texts[0]) and tokens >= self._max_tokens
        return Embedding(vectors=vectors, truncated=np.full(len(texts), cut))

    def _beginning(self, text: str, refusal: _TooLongError, pause: Pause) -> Matrix:
        """The vector of the longest beginning of `text` that is accepted, of those that are tried."""
        length = min(_CHARACTERS_OF_A_TOKEN * self._max_tokens, len(text) * 3 // 4)
        while length >= 1:
            try:
                return self._asked([text[:length]], pause)[0]
            except _TooLongError as again:
                refusal = again
                length = length * 3 // 4
        raise ServiceError(f"{self._server} finds every beginning of a text too long: {refusal}")

    def _asked(self, texts: Sequence[str], pause: Pause) -> tuple[Matrix, int]:
        """Vectors [texts, dimension] and the number of tokens that the server read. Raises _TooLongError."""
        import openai

        try:
            return with_retries(lambda: self._request(texts), attempts=self._attempts, pause=pause)
        except openai.APIStatusError as error:
            raise ServiceError(self._explained(error)) from error
        except openai.APIConnectionError as error:
            reason = error.__cause__ or error
            raise ServiceError(
                f"{self._server} does not answer ({reason}) after {self._attempts} tries; start it, wait for it, "
                "or name another with embedder.base_url=URL"
            ) from error
        except MalformedReplyError as error:
            raise ServiceError(
                f"{self._server} does not answer as /embeddings should, after {self._attempts} tries: {error}; "
                "check embedder.base_url and embedder.dimensions"
            ) from error

    def _request(self, texts: Sequence[str]) -> tuple[Matrix, int]:
        import openai

        try:
            reply = self._client.embeddings.create(
                model=self._model,
                input=list(texts),
                # Some servers know no other format.
                encoding_format="float",
                **({"dimensions": self._dimensions} if self._dimensions else {}),
            )
        except openai.APIStatusError as error:
            refusal = _REFUSALS.get(error.status_code)
            if refusal is not None and refusal.search(error.message):
                raise _TooLongError(error.message) from error
            raise
        except ValueError as error:
            raise MalformedReplyError(f"no JSON: {error}") from error
        vectors, tokens = _read(reply, count=len(texts), dimensions=self._length)
        self._length = vectors.shape[1]
        return vectors, tokens

    @cached_property
    def _client(self) -> Any:
        import openai

        return openai.OpenAI(base_url=self._base_url, api_key=self._key(), timeout=self._timeout_seconds, max_retries=0)

    def _key(self) -> str:
        if self._api_key_env is None:
            return "none"
        key = os.environ.get(self._api_key_env)
        if not key:
            raise ConfigError(
                f"{self._server} needs a key: put it into the environment variable {self._api_key_env}, or name "
                "another variable with embedder.api_key_env=NAME (null for a server without keys)"
            )
        return key

    @property
    def _server(self) -> str:
        return f"the server of {self._model} at {self._base_url}"

    def _explained(self, error: APIStatusError) -> str:
        remedy = {
            401: f"set a valid key in {self._api_key_env}",
            403: f"the key in {self._api_key_env} may not use this model",
            404: "check embedder.model and embedder.base_url (it ends with /v1 as a rule)",
            429: "wait, ask for less at once with embedder.concurrency=1, or raise the account's limit",
        }.get(error.status_code, "check embedder.model, embedder.dimensions and the server's log")
        return f"{self._server} refuses with status {error.status_code}: {error.message}; {remedy}"


class _TooLongError(Exception):
    """The server refuses a request for its length."""


def _read(reply: Any, *, count: int, dimensions: int | None) -> tuple[Matrix, int]:
    """The vectors of a reply in the order of the texts, and its tokens (0 where it names none)."""
    try:
        rows = sorted(reply.data, key=lambda row: int(row.index))
        places = [int(row.index) for row in rows]
        vectors = np.array([row.embedding for row in rows], dtype=np.float64)
        tokens = int(getattr(reply.usage, "prompt_tokens", None) or 0)
    except (AttributeError, TypeError, ValueError) as error:
        raise MalformedReplyError(f"a reply without vectors ({error})") from error
    if places != list(range(count)) or vectors.ndim != 2 or dimensions not in (None, vectors.shape[1]):
        raise MalformedReplyError(f"vectors of shape {list(vectors.shape)}, expected {count} of {dimensions or 'any'}")
    if not np.isfinite(vectors).all():
        raise MalformedReplyError("a vector holds NaN or infinity")
    return normalised(vectors), tokens


def _joined(parts: Sequence[Embedding]) -> Embedding:
    return Embedding(
        vectors=np.concatenate([part.vectors for part in parts]),
        truncated=np.concatenate([part.truncated for part in parts]),
    )
