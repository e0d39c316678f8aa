"""The client: cache, budget, limits, attempts, checks and one repair around a provider, the same for all of them."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass

from memforest.core.chat import ChatFailed, ChatOutcome, ChatReply, ChatRequest
from memforest.core.digests import digest
from memforest.core.errors import MemforestError, ReplayError
from memforest.llm.cache import Entry, Replies, asked
from memforest.llm.completions import RawReply, Usage
from memforest.llm.faults import CallError
from memforest.llm.flights import FLIGHTS
from memforest.llm.gate import Gate, expected_tokens, said_tokens
from memforest.llm.ledger import Ledger, Row
from memforest.llm.pace import LONGEST_WAIT, Pace
from memforest.llm.prices import price_of
from memforest.llm.replies import checked, repair
from memforest.llm.settings import RoleSettings
from memforest.llm.transport import Transport

FIRST_WORDS = 12


@dataclass(frozen=True, slots=True)
class _Met:
    """What a model wrote, usable or not, and whether it was found or asked for."""

    entry: Entry
    found: bool


class ModelChat:
    """One model in one role (`core.chat.Chat`).

    `stage` None: the one that the ledger is in when a question is asked. `transport` None: nothing may be asked, and a
    reply that is not kept is an error.
    """

    def __init__(
        self,
        *,
        settings: RoleSettings,
        role: str,
        stage: str | None,
        transport: Transport | None,
        gate: Gate,
        kept: Replies,
        ledger: Ledger,
        pace: Pace,
    ) -> None:
        self._settings = settings
        self._identity = settings.identity()
        if self._identity["script"] is not None:
            # Unlike a model, a script is told the role.
            self._identity["role"] = role
        self._role = role
        self._stage = stage
        self._transport = transport
        self._gate = gate
        self._kept = kept
        self._ledger = ledger
        self._pace = pace
        self._price = price_of(settings)

    @property
    def model(self) -> str:
        """The model's name."""
        return self._settings.name

    @property
    def concurrency(self) -> int:
        """How many calls the server may have in flight, all roles together."""
        return self._settings.concurrency

    def key(self, request: ChatRequest) -> str:
        """The address of the reply to `request` in the cache and in recordings."""
        return digest(asked(identity=self._identity, request=request))

    def ask(self, *, request: ChatRequest) -> ChatOutcome:
        """The kept reply, or a new one, which is kept; equal questions of several threads are asked once.

        Raises BudgetError, ReplayError, ConfigError and StoreError.
        """
        key = self.key(request)
        met, shared = FLIGHTS.share(f"{self._kept.place} {key}", lambda: self._meet(key, request))
        outcome = met if isinstance(met, ChatFailed) else checked(met.entry.raw, request)
        if isinstance(outcome, ChatFailed):
            with self._row() as row:
                row.fail(outcome.reason, outcome.detail)
        elif isinstance(met, _Met) and (shared or met.found):
            with self._row() as row:
                row.cached_calls += 1
                row.found.add(met.entry.usage, self._price)
        if isinstance(met, _Met):
            self._ledger.used(key)
        return outcome

    def _meet(self, key: str, request: ChatRequest) -> _Met | ChatFailed:
        """The kept reply, or a new one; where nothing may be asked, also what was no reply when it was asked."""
        kept = self._kept.find(key, final=self._transport is None)
        if kept is not None:
            return _Met(kept, found=True)
        if self._transport is None:
            raise ReplayError(self._not_kept(key, request))
        try:
            entry = self._entry(request, self._transport)
        except CallError as fault:
            return ChatFailed(fault.reason, fault.detail)
        self._kept.keep(entry, usable=isinstance(checked(entry.raw, request), ChatReply))
        return _Met(entry, found=False)

    def _not_kept(self, key: str, request: ChatRequest) -> str:
        words = " ".join(request.messages[-1].text.split()[:FIRST_WORDS])
        return (
            f"no reply is kept for the role {self._role}, and llm.replay_only or llm.provider=replay forbid asking for "
            f"one: key {key}, request {words!r} ... to {self.model}{self._kept.hint(self._identity)}"
        )

    def _entry(self, request: ChatRequest, transport: Transport) -> Entry:
        """What the model writes, repaired once where it is malformed. Raises CallError."""
        raw, seconds = self._answered(request, transport)
        outcome, usage, repaired = checked(raw, request), raw.usage, None
        if (mended := repair(request, raw, outcome)) is not None:
            with self._row() as row:
                row.repairs += 1
            repaired = raw.text
            raw, more = self._answered(mended, transport, first=False)
            usage, seconds = _sum(usage, raw.usage), seconds + more
        question = asked(identity=self._identity, request=request)
        return Entry(asked=question, raw=raw, usage=usage, seconds=round(seconds, 3), repaired=repaired)

    def _answered(self, request: ChatRequest, transport: Transport, *, first: bool = True) -> tuple[RawReply, float]:
        """What the model says, after as many attempts as it may take, and the seconds of the one that counted."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return self._send(request, transport, question=first and attempt == 1)
            except CallError as fault:
                wait = fault.retry_after or 0.0
                if not fault.may_pass or attempt == self._settings.attempts or wait > LONGEST_WAIT:
                    raise
                with self._row() as row:
                    row.retries += 1
                if wait:
                    self._gate.close(seconds=wait)
                self._pace.sleep(self._pace.pause(attempt, fault.retry_after))

    def _send(self, request: ChatRequest, transport: Transport, *, question: bool) -> tuple[RawReply, float]:
        """One attempt. `question`: the first one, which a spent budget forbids; what is under way goes on."""
        expected = expected_tokens(request, self._settings)
        with self._gate.place(tokens=expected):
            if question:
                self._ledger.require_budget(self._settings.budget)
                with self._row() as row:
                    row.calls += 1
            begun = self._pace.now()
            try:
                raw = transport.send(request=request)
            except (CallError, MemforestError):
                raise
            except Exception as error:
                raise CallError("exception", f"{type(error).__name__}: {error}") from error
            finally:
                seconds = self._pace.now() - begun
                with self._row() as row:
                    row.seconds += seconds
        self._gate.used(expected=expected, raw=raw)
        with self._row() as row:
            row.paid.add(raw.usage, self._price)
        self._pay(request, raw)
        return raw, seconds

    def _pay(self, request: ChatRequest, raw: RawReply) -> None:
        """Take the reply's price from the purse; where the server does not say what it took, that of the most that it
        can have taken."""
        if self._price is not None:
            most = Usage(input=round(said_tokens(request)), cached=0, output=self._settings.max_tokens or 0)
            self._ledger.purse.pay(self._price.cost(raw.usage or most))

    def _row(self) -> AbstractContextManager[Row]:
        return self._ledger.row(role=self._role, model=self.model, stage=self._stage)


def _sum(first: Usage | None, second: Usage | None) -> Usage | None:
    if first is None or second is None:
        return None
    return Usage(first.input + second.input, first.cached + second.cached, first.output + second.output)
