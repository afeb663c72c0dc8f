"""Calls about signals: outcomes of runs that other systems report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypedDict

from reflect_sdk._arguments import named_arguments, require_text
from reflect_sdk._calls.base import BaseClient, require_trace_id
from reflect_sdk._wire import bodies
from reflect_sdk._wire import signals as wire
from reflect_sdk.models import AcceptedSignal, FeedbackToken, Signal, SignalSource


class _NamedSource(TypedDict):
    source: str


class OutgoingSignal(_NamedSource, total=False):
    """One signal for `send_signals`: `source`, `trace_id` or `key`, `outcome` or `score`, plus optional fields."""

    trace_id: str | None
    key: tuple[str, str]
    outcome: str
    score: float
    occurred_at: datetime | str
    idempotency_key: str
    comment: str
    url: str
    metadata: Mapping[str, Any]


class SignalCalls(BaseClient):
    """Send signals, read what they mean, and issue feedback tokens."""

    @named_arguments
    def send_signal(
        self,
        source: str,
        *,
        trace_id: str | None = None,
        key: tuple[str, str] | None = None,
        outcome: str | None = None,
        score: float | None = None,
        occurred_at: datetime | str | None = None,
        idempotency_key: str | None = None,
        comment: str | None = None,
        url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AcceptedSignal:
        """Reports the outcome of a run. It becomes a review later, if the rules of the project say so.

        The run may arrive later. Pass exactly one of `trace_id` and `key`, and exactly one of `outcome` and `score`.

        Args:
            source: The system that reports it: "ci", "tests", "user", "ticket", "merge", "evaluation", or another
                name.
            trace_id: The run.
            key: The name and the value of a key that the run declares, such as ("commit", "4f2a9c1").
            outcome: "pass" or "fail".
            score: A score from 0 to 1; the thresholds of the project make a result of it.
            occurred_at: When it happened; now when absent.
            idempotency_key: Two signals of a source with the same key are one.
            comment: What was right or wrong; it becomes the feedback of the review.
            url: Where to read more.
            metadata: A small JSON object to show with it.

        Example:
            client.send_signal("ci", key=("commit", "4f2a9c1"), outcome="fail", comment="2 tests failed: ...")
        """
        api = self._called("send_signal")
        return self._run(wire.send(api, _body(api.call, locals())))

    @named_arguments
    async def send_signal_async(
        self: BaseClient,
        source: str,
        *,
        trace_id: str | None = None,
        key: tuple[str, str] | None = None,
        outcome: str | None = None,
        score: float | None = None,
        occurred_at: datetime | str | None = None,
        idempotency_key: str | None = None,
        comment: str | None = None,
        url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AcceptedSignal:
        """The same as `send_signal`, awaited."""
        api = self._awaited("send_signal")
        return await self._run_async(wire.send(api, _body(api.call, locals())))

    def send_signals(self, signals: Sequence[OutgoingSignal | Mapping[str, Any]]) -> list[AcceptedSignal]:
        """Reports many outcomes. Returns one result for each, in order; a refused one has `error`.

        Args:
            signals: Each has the arguments of `send_signal`. An unknown field raises `UnknownFieldError`, and
                nothing is sent.
        """
        api = self._called("send_signals")
        return self._run(wire.send_several(api, [bodies.signal(api.call, given) for given in signals]))

    async def send_signals_async(
        self: BaseClient, signals: Sequence[OutgoingSignal | Mapping[str, Any]]
    ) -> list[AcceptedSignal]:
        """The same as `send_signals`, awaited."""
        api = self._awaited("send_signals")
        sent = [bodies.signal(api.call, given) for given in signals]
        return await self._run_async(wire.send_several(api, sent))

    def list_signals(self, trace_id: str | None) -> list[Signal]:
        """The signals about a run, oldest first, and what each means now. Empty while they are withheld."""
        api = self._called("list_signals")
        trace_id = require_trace_id(api, trace_id)
        self._flush_pending(trace_id)
        return self._run(wire.of_trace(api, trace_id))

    async def list_signals_async(self: BaseClient, trace_id: str | None) -> list[Signal]:
        """The same as `list_signals`, awaited."""
        api = self._awaited("list_signals")
        trace_id = require_trace_id(api, trace_id)
        await self._flush_pending_async(trace_id)
        return await self._run_async(wire.of_trace(api, trace_id))

    def list_signal_sources(self) -> list[SignalSource]:
        """The sources of signals: their rules, and how well each agrees with people."""
        return self._run(wire.sources(self._called("list_signal_sources")))

    async def list_signal_sources_async(self: BaseClient) -> list[SignalSource]:
        """The same as `list_signal_sources`, awaited."""
        return await self._run_async(wire.sources(self._awaited("list_signal_sources")))

    def create_feedback_token(self, trace_id: str | None, *, expires_in_seconds: int | None = None) -> FeedbackToken:
        """Issues a token with which a browser can vote on one run, without a key. The run may arrive later.

        Args:
            trace_id: The run.
            expires_in_seconds: How long it works, 60 to 2592000; 7 days when absent.
        """
        api = self._called("create_feedback_token")
        return self._run(wire.feedback_token(api, require_trace_id(api, trace_id), expires_in_seconds))

    async def create_feedback_token_async(
        self: BaseClient, trace_id: str | None, *, expires_in_seconds: int | None = None
    ) -> FeedbackToken:
        """The same as `create_feedback_token`, awaited."""
        api = self._awaited("create_feedback_token")
        trace_id = require_trace_id(api, trace_id)
        return await self._run_async(wire.feedback_token(api, trace_id, expires_in_seconds))


def _body(call: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The request body, from the arguments of the calls that send one signal."""
    require_text(call, "source", given["source"])
    return bodies.signal(call, {name: given[name] for name in bodies.SIGNAL_FIELDS if given[name] is not None})
