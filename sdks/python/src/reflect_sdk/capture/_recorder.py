"""Records messages from adapters in a trace: each message once, although every call repeats the conversation."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._message_identity import Mark, alike, arguments_of, is_instruction, mark_of, overlap
from reflect_sdk.converters._content import tool_call
from reflect_sdk.converters._plain import as_text
from reflect_sdk.tracing.current import current_trace

if TYPE_CHECKING:
    from reflect_sdk.tracing.context import TraceContext

Conversation: TypeAlias = list[Mark]

# With more concurrent conversations, some messages would be recorded twice.
MOST_CONVERSATIONS = 64
# The number of recent answer ids that are remembered.
MOST_ANSWERS = 256


def current_recorder() -> Recorder | None:
    """The recorder of the current trace; None outside a trace."""
    context = current_trace()
    return None if context is None else recorder_of(context)


def recorder_of(context: TraceContext) -> Recorder:
    """The recorder of a trace."""
    # Stored on the trace, so it has the same lifetime; `setdefault` is atomic.
    own = vars(context)
    found: Recorder = own.get("_recorder") or own.setdefault("_recorder", Recorder(context))
    return found


class Recorder:
    """One per trace, for all adapters, threads and tasks."""

    def __init__(self, context: TraceContext) -> None:
        # A weak reference, because the trace owns the recorder.
        self._context = weakref.ref(context)
        self._lock = threading.Lock()
        # Adapter state between the start and the end of a call.
        self.begun: dict[object, Any] = {}
        self._instructions: set[Mark] = set()
        self._conversations: list[Conversation] = []
        self._by_answer: dict[str, Conversation] = {}
        # Tool results that were recorded when the tool ended, before a request contained them.
        self._early: Counter[str] = Counter()
        # Tool calls without a result so far.
        self._asked: list[tuple[str, str, str]] = []
        self._sources: dict[str, str] = {}
        # The recorded errors of attempts, by call.
        self._attempts: dict[str, dict[str, Any]] = {}

    def ask(self, request: Sequence[dict[str, Any]], *, after: str | None = None) -> Conversation:
        """Records the new messages of a request whose answer is streamed."""
        with self._lock:
            new, conversation = self._new_of(request, after)
            self._write(new)
            self._remember(conversation)
            return conversation

    def answer(self, conversation: Conversation, answer: Answer, *, source: str) -> None:
        """Records a complete answer."""
        with self._lock:
            if not self._noted_by_another(answer, source):
                self._write(answer.messages)
                self._go_on(conversation, answer, source)

    def exchange(self, request: Request, answer: Answer, *, source: str) -> None:
        """Records one model call: the new messages of its request, and its answer.

        `source` is the adapter. A call that another adapter has already recorded is skipped.
        """
        with self._lock:
            if not self._noted_by_another(answer, source):
                new, conversation = self._new_of(request.messages, request.after)
                self._write([*new, *answer.messages])
                self._go_on(conversation, answer, source)

    def tool_result(self, message: dict[str, Any], arguments: object) -> None:
        """Records a tool result. Also records the call if no model requested it."""
        identity, name = str(message.get("tool_call_id") or ""), str(message.get("name") or "")
        with self._lock:
            call = self._open_call(identity, name, arguments)
            if call is None:
                calling = {
                    "role": "assistant",
                    "content": "",
                    "tool_calls": [tool_call(identity, name, arguments)],
                }
                self._write([calling, message])
            else:
                self._asked.remove(call)
                identity = call[0]
                # A framework may report only the id of a call.
                named = {} if name else {"name": call[1]}
                self._write([{**message, "tool_call_id": identity, **named}])
            if identity:
                self._early[identity] += 1

    def note(self, message: dict[str, Any]) -> None:
        """Records a message that belongs to no conversation."""
        with self._lock:
            self._write([message])

    def attempt_failed(self, call: str, error: dict[str, Any]) -> None:
        """Records the error of an attempt. `attempt_again` removes it."""
        with self._lock:
            for kept in self._write([error]):
                self._attempts[call] = kept

    def attempt_again(self, call: str) -> None:
        """The library repeats a call that failed: only the error of its last attempt is kept."""
        with self._lock:
            error, context = self._attempts.pop(call, None), self._context()
            if error is not None and context is not None:
                context._withdraw(error)  # pyright: ignore[reportPrivateUsage]

    def before_end(self, settle: Callable[[float], None]) -> None:
        """Registers what must happen before the trace is built. The argument is how many seconds it may take."""
        context = self._context()
        if context is not None:
            context._before_end(settle)  # pyright: ignore[reportPrivateUsage]

    def _new_of(
        self, request: Sequence[dict[str, Any]], after: str | None
    ) -> tuple[list[dict[str, Any]], Conversation]:
        head = 0
        while head < len(request) and is_instruction(request[head]):
            head += 1
        body = request[head:]
        marks = [mark_of(message) for message in body]
        earlier = self._by_answer.get(after) if after else None
        known = 0 if after else self._known(marks)
        new = [*self._new_instructions(request[:head]), *self._not_early(body[known:])]
        return new, [*(earlier or ()), *marks]

    def _go_on(self, conversation: Conversation, answer: Answer, source: str) -> None:
        marks = [mark_of(message) for message in answer.messages]
        # If there are alternative answers, the conversation continues with one of them.
        for way in [[mark] for mark in marks] if answer.parallel else [marks]:
            self._remember(conversation + way)
        if answer.id:
            self._by_answer[answer.id] = conversation + marks
            self._sources[answer.id] = source
            if len(self._by_answer) > MOST_ANSWERS:
                oldest = next(iter(self._by_answer))
                del self._by_answer[oldest], self._sources[oldest]
        self._asked.extend(call for mark in marks for call in mark[3])

    def _noted_by_another(self, answer: Answer, source: str) -> bool:
        if not answer.id or self._sources.get(answer.id, source) == source:
            return False
        # Some servers use the same id for different answers.
        marks = [mark_of(message) for message in answer.messages]
        return self._by_answer[answer.id][-len(marks) :] == marks

    def _known(self, marks: Sequence[Mark]) -> int:
        """How many messages of a conversation are already recorded."""
        best = 0
        for conversation in self._conversations:
            same = alike(conversation, marks)
            best = max(best, same)
            if same < len(conversation):
                # The application may have removed older messages.
                cut = overlap(conversation[same:], marks[same:])
                best = max(best, same + cut)
        return best

    def _new_instructions(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        new: list[dict[str, Any]] = []
        for message in messages:
            mark = mark_of(message)
            if mark not in self._instructions:
                self._instructions.add(mark)
                new.append(message)
        return new

    def _not_early(self, messages: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        new: list[dict[str, Any]] = []
        for message in messages:
            identity = str(message.get("tool_call_id") or "")
            if identity and self._early[identity] > 0:
                self._early[identity] -= 1
            else:
                new.append(message)
                self._asked = [call for call in self._asked if call[0] != identity or not identity]
        return new

    def _remember(self, conversation: Conversation) -> None:
        # A longer conversation replaces its shorter version.
        kept = [known for known in self._conversations if alike(known, conversation) < len(known)]
        self._conversations = [*kept[-MOST_CONVERSATIONS + 1 :], conversation]

    def _open_call(self, identity: str, name: str, arguments: object) -> tuple[str, str, str] | None:
        for call in self._asked:
            if identity and call[0] == identity:
                return call
        if identity:
            return None
        named = [call for call in self._asked if call[1] == name]
        wanted = arguments_of("{}" if arguments is None else as_text(arguments))
        # The framework may change the arguments of a tool; then match by name.
        return next((call for call in named if call[2] == wanted), named[0] if named else None)

    def _write(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        context = self._context()
        if context is None or not messages:
            return []
        return context._extend(messages)  # pyright: ignore[reportPrivateUsage]
