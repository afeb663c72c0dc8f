"""Records calls whose answers are reported later, from other threads.

Each call repeats the conversation before it. So calls are recorded in the order in which they began.
"""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._recorder import Recorder

# A stream that is not read to its end has no answer, so the wait for streams is shorter.
STREAM_SECONDS = 1.0


class LateCalls:
    """The calls of one run."""

    # Whether this process has had an answer. The first one may take seconds, because libraries load modules for it.
    _answered_once = False

    def __init__(self, recorder: Recorder, source: str) -> None:
        self._recorder = recorder
        self._source = source
        self._changed = threading.Condition()
        # By id, in their order. Ended calls stay until the calls before them have ended.
        self._calls: dict[str, Request] = {}
        self._answers: dict[str, Answer] = {}
        # Calls that are reported by this event loop. A block that stops it cannot wait for them.
        self._awaited: set[str] = set()
        self._streamed: set[str] = set()
        recorder.before_end(self.settle)

    def begin(self, call: str, messages: list[dict[str, Any]], *, awaited: bool, streamed: bool) -> None:
        """A call begins. An attempt to repeat it replaces its request."""
        with self._changed:
            self._calls[call] = Request(messages)
            if awaited:
                self._awaited.add(call)
            if streamed:
                self._streamed.add(call)

    def end(self, call: str, answer: Answer) -> None:
        """A call has ended. The first report counts."""
        LateCalls._answered_once = True
        with self._changed:
            if call in self._calls and call not in self._answers:
                self._answers[call] = answer
                self._record_ended()
                self._changed.notify_all()

    def settle(self, seconds: float) -> None:
        """Waits for the answers, and records the requests of calls without one."""
        with self._changed:
            if LateCalls._answered_once and self._waiting() <= self._streamed:
                seconds = min(seconds, STREAM_SECONDS)
            self._changed.wait_for(self._is_done, seconds)
            for call in list(self._calls):
                self._record(call)

    def _waiting(self) -> set[str]:
        return set(self._calls) - set(self._answers)

    def _is_done(self) -> bool:
        waiting = self._waiting()
        return not waiting or (_in_event_loop() and waiting <= self._awaited)

    def _record_ended(self) -> None:
        while self._calls and (call := next(iter(self._calls))) in self._answers:
            self._record(call)

    def _record(self, call: str) -> None:
        self._awaited.discard(call)
        self._streamed.discard(call)
        request, answer = self._calls.pop(call), self._answers.pop(call, Answer([]))
        self._recorder.exchange(request, answer, source=self._source)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
