"""Drives a flow by hand: a script of answers instead of a network, and a clock that only moves when told."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from reflect_sdk._wire.exchange import RequestPolicy
from reflect_sdk._wire.http import Answer, Flow, Pause, Request, Unreachable

T = TypeVar("T")


@dataclass
class Clock:
    """Seconds that pass only in pauses and while a request waits."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Script:
    """Answers in order; what was asked and how long was waited is kept."""

    answers: Iterable[Answer | Unreachable]
    clock: Clock = field(default_factory=Clock)
    # Seconds that each request takes.
    takes: float = 0.0
    asked: list[Request] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)

    def policy(self, timeout: float = 60.0, max_retries: int = 2) -> RequestPolicy:
        return RequestPolicy("http://reflect.test", timeout, max_retries, self.clock)

    def drive(self, flow: Flow[T]) -> T:
        answers = iter(self.answers)
        outcome: Any = None
        try:
            while True:
                step = flow.throw(outcome) if isinstance(outcome, Unreachable) else flow.send(outcome)
                if isinstance(step, Pause):
                    self.pauses.append(step.seconds)
                    self.clock.now += step.seconds
                    outcome = None
                    continue
                self.asked.append(step)
                self.clock.now += self.takes if step.timeout is None else min(self.takes, step.timeout)
                outcome = next(answers)
        except StopIteration as end:
            return end.value


def answer(status: int = 200, body: Any = None, **headers: str) -> Answer:
    return Answer(
        status, {name.replace("_", "-"): value for name, value in headers.items()}, json.dumps(body).encode()
    )


def refused(status: int, code: str = "unavailable", **headers: str) -> Answer:
    return answer(status, {"error": {"code": code, "message": "words", "request_id": "r"}}, **headers)
