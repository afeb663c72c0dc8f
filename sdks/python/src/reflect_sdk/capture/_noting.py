"""One call of a model, from what is sent to what came back."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeGuard

from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Kind, Request
from reflect_sdk.capture._recorder import Conversation, Recorder, current_recorder
from reflect_sdk.capture._streams import is_stream, watch
from reflect_sdk.converters._plain import read

SOURCE = "openai"
# The words of an error; its type says most of it.
LONGEST_ERROR = 2000


def begin(kind: Kind, sent: dict[str, Any]) -> Noting | None:
    """Starts noting a call; None outside of any trace. An iterator among what is sent becomes a list."""
    recorder = None
    with guarded("finding the current trace"):
        recorder = current_recorder()
    if recorder is None:
        return None
    conversation = sent.get(kind.repeated)
    if _is_iterator(conversation):
        # It can be read once, and two want to. If it raises, it does so where the call would have.
        sent[kind.repeated] = list(conversation)
    with guarded("reading a request"):
        return Noting(recorder, kind, kind.request(sent))
    return None


def _is_iterator(conversation: object) -> TypeGuard[Iterator[object]]:
    return isinstance(conversation, Iterator)


class Noting:
    """Looks at what a call gives, and leaves it as it is."""

    def __init__(self, recorder: Recorder, kind: Kind, request: Request) -> None:
        self._recorder = recorder
        self._kind = kind
        self._request = request
        self._conversation: Conversation | None = None

    def failed(self, error: BaseException) -> None:
        """The call raised."""
        with guarded("noting a failed call"):
            self._tell(Answer([]), error)

    def gave(self, result: Any) -> None:
        """The call returned: an answer, a stream of one, or the HTTP response of either."""
        with guarded("reading an answer"):
            if is_stream(result):
                self._ask()
                watch(result, self._kind.assembly(), self._tell)
            elif read(result, "http_response") is not None and callable(read(result, "parse")):
                self._raw(result)
            else:
                self._tell(self._kind.answer(result))

    def _raw(self, raw: Any) -> None:
        body = _body(raw.http_response)
        if body is not None:
            self._tell(self._kind.answer(json.loads(body)))
            return
        # Not read yet. What the user does not have parsed is not noted.
        self._ask()
        parse: Callable[..., Any] = raw.parse
        seen = False

        def look(parsed: Any) -> Any:
            nonlocal seen
            if not seen:
                seen = True
                self.gave(parsed)
            return parsed

        async def look_later(parsing: Awaitable[Any]) -> Any:
            return look(await parsing)

        @functools.wraps(parse)
        def looked_at(*args: Any, **kwargs: Any) -> Any:
            parsed = parse(*args, **kwargs)
            return look_later(parsed) if inspect.isawaitable(parsed) else look(parsed)

        raw.parse = looked_at

    def _ask(self) -> None:
        """At once: whoever throws a stream away has still asked."""
        if self._conversation is None:
            self._conversation = self._recorder.ask(self._request.messages, after=self._request.after)

    def _tell(self, answer: Answer, error: BaseException | None = None) -> None:
        if error is not None:
            answer = answer._replace(messages=[*answer.messages, error_message(error)])
        if self._conversation is None:
            self._recorder.exchange(self._request, answer, source=SOURCE)
        elif answer.messages:
            self._recorder.answer(self._conversation, answer, source=SOURCE)


def error_message(error: BaseException) -> dict[str, Any]:
    """A call that came to nothing, as what the model said."""
    said = {"type": type(error).__name__, "message": str(error)[:LONGEST_ERROR]}
    return {"role": "assistant", "content": "", "error": said}


def _body(response: Any) -> bytes | None:
    """The body of an HTTP response that has been read."""
    if not read(response, "is_closed"):
        return None
    try:
        body: bytes = response.content
    except Exception:
        # Closed without having been read.
        return None
    return body
