"""Records one model call: its request and its answer."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeGuard

from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Kind, Request
from reflect_sdk.capture._recorder import Conversation, Recorder, current_recorder
from reflect_sdk.capture._streams import is_stream, observe
from reflect_sdk.converters._plain import read

# The maximum length of an error message.
MAX_ERROR = 2000


def begin(kind: Kind, sent: dict[str, Any]) -> CallRecording | None:
    """Starts recording a call; None outside a trace. Replaces an iterator in the arguments by a list."""
    recorder = None
    with guarded("finding the current trace"):
        recorder = current_recorder()
    if recorder is None:
        return None
    conversation = sent.get(kind.repeated)
    if _is_iterator(conversation):
        # An iterator can be read only once, but both the call and the recording need it.
        sent[kind.repeated] = list(conversation)
    with guarded("reading a request"):
        return CallRecording(recorder, kind, kind.request(sent))
    return None


def _is_iterator(conversation: object) -> TypeGuard[Iterator[object]]:
    return isinstance(conversation, Iterator)


class CallRecording:
    """Observes the result of a call without changing it."""

    def __init__(self, recorder: Recorder, kind: Kind, request: Request) -> None:
        self._recorder = recorder
        self._kind = kind
        self._request = request
        self._conversation: Conversation | None = None

    def failed(self, error: BaseException) -> None:
        """The call raised an exception."""
        with guarded("recording a failed call"):
            self._record_answer(Answer([]), error)

    def succeeded(self, result: Any) -> None:
        """The call returned an answer, a stream, or a raw HTTP response."""
        with guarded("reading an answer"):
            if is_stream(result):
                self._record_request()
                observe(result, self._kind.assembly(), self._record_answer)
            elif read(result, "http_response") is not None and callable(read(result, "parse")):
                self._raw(result)
            else:
                self._record_answer(self._kind.answer(result))

    def attempt_failed(self, call: str, error: dict[str, Any]) -> None:
        """An attempt failed that the library may repeat. `call` identifies the call."""
        with guarded("recording a failed attempt"):
            self._record_request()
            self._recorder.attempt_failed(call, error)

    def repeated(self, call: str) -> None:
        """The library repeats a call."""
        with guarded("recording a repeated call"):
            self._recorder.attempt_again(call)

    def _raw(self, raw: Any) -> None:
        body = _body(raw.http_response)
        if body is not None:
            self._record_answer(self._kind.answer(json.loads(body)))
            return
        # Not read yet. It is recorded only if the user calls `parse()`.
        self._record_request()
        parse: Callable[..., Any] = raw.parse
        seen = False

        def record(parsed: Any) -> Any:
            nonlocal seen
            if not seen:
                seen = True
                self.succeeded(parsed)
            return parsed

        async def record_async(parsing: Awaitable[Any]) -> Any:
            return record(await parsing)

        @functools.wraps(parse)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            parsed = parse(*args, **kwargs)
            return record_async(parsed) if inspect.isawaitable(parsed) else record(parsed)

        raw.parse = wrapper

    def _record_request(self) -> None:
        """Records the request immediately, because the user may never read the stream."""
        if self._conversation is None:
            self._conversation = self._recorder.ask(self._request.messages, after=self._request.after)

    def _record_answer(self, answer: Answer, error: BaseException | None = None) -> None:
        if error is not None:
            answer = answer._replace(messages=[*answer.messages, error_message(error)])
        if self._conversation is None:
            self._recorder.exchange(self._request, answer, source=self._kind.source)
        elif answer.messages:
            self._recorder.answer(self._conversation, answer, source=self._kind.source)


def error_message(error: BaseException) -> dict[str, Any]:
    """A failed call as an assistant message."""
    details = {"type": type(error).__name__, "message": str(error)[:MAX_ERROR]}
    return {"role": "assistant", "content": "", "error": details}


def _body(response: Any) -> bytes | None:
    """The body of an HTTP response that has been read."""
    if not read(response, "is_closed"):
        return None
    try:
        body: bytes = response.content
    except Exception:
        # Closed without being read.
        return None
    return body
