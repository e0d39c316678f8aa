"""Vectors from a server: batches, what goes wrong, what is too long, and what is paid for once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memforest.config.folder import settings
from memforest.core.errors import ConfigError, ServiceError
from memforest.embedding.cache import CachedEmbedder
from memforest.embedding.hashing import Hashing
from memforest.embedding.retries import LONGEST_PAUSE, MalformedReplyError, pause_before_retry, with_retries
from memforest.embedding.served import Served
from tests.builders import WORDS
from tests.embedding_server import Fault, Server, embedding_server, failure

TEXTS = [f"{WORDS[place % 10]} {place}" for place in range(20)]


@pytest.fixture
def server() -> Iterator[Server]:
    with embedding_server() as running:
        yield running


def served(server: Server, **changes: Any) -> Served:
    own = {key: value for key, value in settings("embedder", "endpoint").items() if key in SETTINGS}
    return Served(**{**own, "base_url": server.url, "batch_texts": 4, "attempts": 4, **changes})


SETTINGS = (
    *("base_url", "model", "dimensions", "max_tokens", "api_key_env"),
    *("batch_texts", "concurrency", "timeout_seconds", "attempts"),
)


def expected(texts: list[str], dimensions: int = 48) -> np.ndarray:
    return Hashing(buckets=dimensions).embed(texts=texts).vectors


def test_every_text_gets_its_vector_of_length_one_in_batches(server: Server) -> None:
    made = served(server).embed(texts=TEXTS)
    assert np.allclose(made.vectors, expected(TEXTS), atol=1e-6)
    assert not made.truncated.any()
    assert sorted(len(request["input"]) for request in server.requests) == [4] * 5


def test_dimensions_are_asked_for_only_when_set(server: Server) -> None:
    assert served(server).embed(texts=TEXTS).vectors.shape == (20, 48)
    assert served(server).dimension == 48
    assert all("dimensions" not in request for request in server.requests)
    server.requests.clear()
    assert served(server, dimensions=8).dimension == 8
    assert not server.requests
    assert served(server, dimensions=8).embed(texts=TEXTS).vectors.shape == (20, 8)
    assert {request["dimensions"] for request in server.requests} == {8}


def test_blank_texts_are_not_sent_and_get_zeros(server: Server) -> None:
    made = served(server).embed(texts=["violin", "", " \n"])
    assert server.texts == ["violin"]
    assert np.linalg.norm(made.vectors, axis=1) == pytest.approx([1, 0, 0])


@pytest.mark.parametrize("concurrency", [1, 3])
def test_no_more_requests_run_at_once_than_allowed(server: Server, concurrency: int) -> None:
    served(server, concurrency=concurrency, batch_texts=1).embed(texts=TEXTS)
    assert server.most_at_once <= concurrency


FAULTS: dict[str, Fault] = {
    "too many requests": failure(429),
    "an error of the server": failure(500),
    "an overloaded server": failure(503),
    "a dropped connection": "drop",
    "a reply that is cut off": "cut",
    "a reply that is no JSON": (200, {}, b"<html>"),
    "a reply of another kind": (200, {}, b'{"choices": []}'),
    "an empty list": (200, {}, b'{"data": []}'),
    "a vector for another text": (200, {}, json.dumps({"data": [{"index": 1, "embedding": [1.0]}]}).encode()),
    "a vector that is no number": (200, {}, b'{"data": [{"index": 0, "embedding": [NaN, 1.0]}]}'),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_may_pass_is_tried_again(server: Server, name: str) -> None:
    server.faults = [FAULTS[name]]
    made = served(server).embed(texts=TEXTS[:1])
    assert np.allclose(made.vectors, expected(TEXTS[:1]), atol=1e-6)
    assert len(server.requests) == 2


def test_a_server_that_is_too_slow_is_asked_again(server: Server) -> None:
    server.lock.acquire()
    try:
        with pytest.raises(ServiceError, match="does not answer"):
            served(server, timeout_seconds=0.05, attempts=2).embed(texts=TEXTS[:1])
    finally:
        server.lock.release()


@pytest.mark.parametrize(
    ("fault", "tries", "message"),
    [
        (failure(401), 1, "set a valid key in KEY"),
        (failure(403), 1, "may not use this model"),
        (failure(404), 1, "check embedder.model and embedder.base_url"),
        (failure(400, "dimensions are not supported"), 1, "dimensions are not supported"),
        (failure(429, code="insufficient_quota"), 1, "429"),
        (failure(429), 4, "embedder.concurrency=1"),
        (failure(500), 4, "status 500"),
        ((200, {}, b'{"data": 3}'), 4, "does not answer as /embeddings should"),
    ],
)
def test_what_does_not_pass_is_told_with_what_to_do(
    server: Server, monkeypatch: pytest.MonkeyPatch, fault: Fault, tries: int, message: str
) -> None:
    monkeypatch.setenv("KEY", "secret")
    monkeypatch.setattr("memforest.embedding.retries.random.random", lambda: 1.0)
    server.faults = [fault] * 10
    with pytest.raises(ServiceError, match=message) as caught:
        served(server, api_key_env="KEY").embed(texts=TEXTS[:1])
    assert len(server.requests) == tries
    assert server.url in str(caught.value)
    assert "secret" not in str(caught.value)


def test_no_server_at_all_is_told() -> None:
    with pytest.raises(ServiceError, match=r"embedder\.base_url=URL"):
        served(Server("http://127.0.0.1:9/v1"), attempts=1).embed(texts=TEXTS[:1])


def test_the_key_comes_from_its_variable(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sesame")
    served(server, api_key_env="MY_KEY").embed(texts=TEXTS[:1])
    assert server.keys == ["Bearer sesame"]


@pytest.mark.parametrize("value", [None, ""])
def test_without_a_key_nothing_is_sent(server: Server, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ConfigError, match="needs a key: put it into the environment variable MY_KEY"):
        served(server, api_key_env="MY_KEY").embed(texts=TEXTS)
    assert not server.requests


def test_a_batch_that_is_refused_for_its_size_is_halved(server: Server) -> None:
    server.largest_batch = 3
    made = served(server, batch_texts=8).embed(texts=TEXTS)
    assert np.allclose(made.vectors, expected(TEXTS), atol=1e-6)
    assert not made.truncated.any()


def test_a_text_that_is_refused_for_its_length_is_cut_and_counted(server: Server) -> None:
    server.largest_tokens = 8
    long = "violin harbour " * 10
    made = served(server, max_tokens=8).embed(texts=["orchard", long, "copper"])
    assert list(made.truncated) == [False, True, False]
    assert np.allclose(made.vectors, expected(["orchard", long[:32], "copper"]), atol=1e-6)


def test_a_server_that_reads_less_than_it_should_still_gets_what_it_takes(server: Server) -> None:
    server.largest_tokens = 2
    made = served(server, max_tokens=8).embed(texts=["orchard", "violin harbour copper"])
    assert list(made.truncated) == [False, True]
    taken = min((text for text in server.texts if "violin".startswith(text[:6])), key=len)
    assert np.allclose(made.vectors[1], expected([taken])[0], atol=1e-6)
    assert len(taken.encode()) <= 8


def test_a_server_that_cuts_in_silence_is_found_out_by_its_count_of_tokens(server: Server) -> None:
    server.largest_tokens, server.cuts_in_silence = 8, True
    made = served(server, max_tokens=8).embed(texts=["orchard", "violin harbour " * 10, "twelve bytes and more, fits"])
    assert list(made.truncated) == [False, True, False]


def test_llama_cpp_refuses_length_with_500_and_is_not_asked_again(server: Server) -> None:
    server.faults = [failure(500, "input is too large to process. increase the physical batch size")]
    assert served(server).embed(texts=["violin"]).truncated.all()
    assert server.texts == ["violin", "viol"]


def test_a_text_of_which_nothing_is_accepted_is_an_error(server: Server) -> None:
    server.faults = [failure(413, "too large")] * 100
    with pytest.raises(ServiceError, match="every beginning"):
        served(server).embed(texts=["violin"])


def test_what_was_answered_before_a_failure_is_kept_and_not_asked_again(server: Server, tmp_path: Path) -> None:
    server.faults = [server.reply({"input": TEXTS[:4], "model": "m"}), failure(401)]
    cached = CachedEmbedder(embedder=served(server, concurrency=1), folder=tmp_path)
    with pytest.raises(ServiceError):
        cached.embed(texts=TEXTS)
    cached.flush()
    server.requests.clear()
    again = CachedEmbedder(embedder=served(server), folder=tmp_path)
    assert np.allclose(again.embed(texts=TEXTS).vectors, expected(TEXTS), atol=1e-6)
    assert sorted(server.texts) == sorted(TEXTS[4:])


def test_cached_texts_need_neither_key_nor_server(server: Server, tmp_path: Path) -> None:
    first = CachedEmbedder(embedder=served(server), folder=tmp_path)
    vectors = first.embed(texts=TEXTS).vectors
    first.flush()
    nobody = served(Server("http://127.0.0.1:9/v1"), api_key_env="NO_SUCH_VARIABLE")
    cached = CachedEmbedder(embedder=nobody, folder=tmp_path)
    assert cached.embed(texts=[]).vectors.shape == (0, 48)
    assert np.array_equal(cached.embed(texts=TEXTS).vectors, vectors)


def test_identity_is_model_dimensions_and_reading_length(server: Server) -> None:
    own = served(server).identity
    for changes in ({"model": "another"}, {"dimensions": 8}, {"max_tokens": 9}):
        assert served(server, **changes).identity != own
    elsewhere = {"base_url": "https://elsewhere/v1", "api_key_env": "KEY", "batch_texts": 9, "attempts": 1}
    assert served(server, **elsewhere).identity == own


def test_a_name_of_a_model_never_leads_out_of_the_cache(server: Server) -> None:
    assert "/" not in served(server, model="../../etc/passwd").identity
    assert not served(server, model="../..").identity.startswith(".")


@pytest.mark.parametrize(
    "changes",
    [
        {"base_url": "127.0.0.1:8000"},
        {"model": ""},
        {"dimensions": 0},
        {"max_tokens": 0},
        {"batch_texts": 0},
        {"batch_texts": 4000},
        {"concurrency": 0},
        {"timeout_seconds": 0},
        {"attempts": 0},
    ],
)
def test_impossible_settings_are_refused_by_name(server: Server, changes: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=f"embedder.{next(iter(changes))}"):
        served(server, **changes)


def test_pauses_grow_differ_and_do_what_the_server_asks() -> None:
    error = MalformedReplyError()
    pauses = [[pause_before_retry(error, attempt) for _ in range(50)] for attempt in range(12)]
    assert all(0.25 * 2**attempt <= pause <= 0.5 * 2**attempt for attempt in range(7) for pause in pauses[attempt])
    assert all(len(set(drawn)) > 1 for drawn in pauses)
    assert max(pauses[11]) <= LONGEST_PAUSE
    for asked, pause in (("3", 3.0), ("900", LONGEST_PAUSE), ("-1", 0.0)):
        assert pause_before_retry(_AskingError(asked), 5) == pause
    assert pause_before_retry(_AskingError("Wed, 21 Oct 2026 07:28:00 GMT"), 0) <= 0.5


class _AskingError(Exception):
    """An error with a response that asks to wait."""

    def __init__(self, seconds: str) -> None:
        self.response = type("Response", (), {"headers": {"retry-after": seconds}})()


def test_a_pause_may_give_up() -> None:
    tries: list[int] = []

    def ask() -> int:
        tries.append(1)
        raise MalformedReplyError

    with pytest.raises(MalformedReplyError):
        with_retries(ask, attempts=6, pause=lambda seconds: len(tries) == 2)
    assert len(tries) == 2
