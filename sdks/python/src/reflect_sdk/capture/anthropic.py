"""Records the calls of Anthropic's client through its middleware.

    client = Anthropic(middleware=[ReflectMiddleware()])
    with reflect.trace("Refund order 1182") as ctx:
        client.messages.create(model="claude-sonnet-5", max_tokens=1000, messages=[...])
        ctx.review("pass")

Needs the package `anthropic`: `pip install 'reflect-memory-client[anthropic]'`. `AsyncAnthropic` takes the same
middleware. `client.with_middleware(ReflectMiddleware())` adds it to a copy of an existing client.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reflect_sdk.capture._anthropic_calls import MessageCalls, continued
from reflect_sdk.capture._call_recording import MAX_ERROR, CallRecording, begin, error_message
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._prompt_memories import memories_for
from reflect_sdk.converters._plain import is_list, is_mapping, read, read_text

try:
    # Type checkers must work without the package.
    from anthropic import Middleware  # type: ignore[import-not-found,unused-ignore]
except ImportError as _missing:
    raise ImportError(
        "Capture for Anthropic needs anthropic 2.0 or newer: pip install 'reflect-memory-client[anthropic]'."
    ) from _missing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["ReflectMiddleware"]

_PATH = "/v1/messages"


class ReflectMiddleware(Middleware):  # type: ignore[misc,unused-ignore]
    """Records the calls of `messages` and `beta.messages`, also streamed ones, in the current trace.

    Outside a `trace()` block it does nothing. If the client repeats a call after an error, only the error of the last
    attempt is recorded. Batches and token counts are not recorded.

    Args:
        add_memories: Adds the memories of the run to the system prompt, unless the request contains them.

    Example:
        client = Anthropic(middleware=[ReflectMiddleware()])
    """

    def __init__(self, *, add_memories: bool = True) -> None:
        self._add_memories = add_memories

    def handle(self, request: Any, call_next: Callable[[Any], Any]) -> Any:
        """Handles one attempt of a call of `Anthropic`."""
        attempt = self._begin(request)
        if attempt is None:
            return call_next(request)
        try:
            response = call_next(attempt.request)
        except BaseException as error:
            attempt.failed(error_message(error))
            raise
        if attempt.refused(response):
            with guarded("reading an error of Anthropic"):
                response.http_response.read()
                attempt.failed(_refusal(response))
        else:
            attempt.succeeded(response)
        return response

    async def handle_async(self, request: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """Handles one attempt of a call of `AsyncAnthropic`."""
        attempt = self._begin(request)
        if attempt is None:
            return await call_next(request)
        try:
            response = await call_next(attempt.request)
        except BaseException as error:
            attempt.failed(error_message(error))
            raise
        if attempt.refused(response):
            with guarded("reading an error of Anthropic"):
                await response.http_response.aread()
                attempt.failed(_refusal(response))
        else:
            attempt.succeeded(response)
        return response

    def _begin(self, request: Any) -> _Attempt | None:
        with guarded("reading a request to Anthropic"):
            if str(request.url).partition("?")[0] != _PATH or not is_mapping(request.json):
                return None
            if self._add_memories:
                request = _with_memories(request)
            body: Any = request.json
            recording = begin(MessageCalls(), body)
            return None if recording is None else _Attempt(request, recording)
        return None


class _Attempt:
    """One HTTP request of a call."""

    def __init__(self, request: Any, recording: CallRecording) -> None:
        self.request = request
        self._recording = recording
        # The same for all attempts of a call.
        self._call = read_text(read(request, "options"), "idempotency_key") or ""
        if read(request, "retries_taken"):
            recording.repeated(self._call)

    def refused(self, response: object) -> bool:
        """Whether the response is an error. Another middleware may return something else than a response."""
        status = read(response, "status_code")
        return isinstance(status, int) and status >= 400

    def succeeded(self, response: Any) -> None:
        self._recording.succeeded(response)

    def failed(self, error: dict[str, Any]) -> None:
        self._recording.attempt_failed(self._call, error)


def _with_memories(request: Any) -> Any:
    """The request with the memories at the end of its system prompt, where they do not change a cached prefix."""
    # A conversation that the provider keeps got them with its first request.
    block = "" if continued(request.json) else memories_for(request.json)
    if not block:
        return request
    system = request.json.get("system")
    blocks = list(system) if is_list(system) else [{"type": "text", "text": system}] if system else []
    return request.copy(body={**request.json, "system": [*blocks, {"type": "text", "text": block}]})


def _refusal(response: Any) -> dict[str, Any]:
    text = response.http_response.text
    try:
        error = read(json.loads(text), "error")
    except ValueError:
        error = None
    said = {
        "type": read_text(error, "type") or f"status {response.status_code}",
        "message": (read_text(error, "message") or text)[:MAX_ERROR],
    }
    return {"role": "assistant", "content": "", "error": said}
