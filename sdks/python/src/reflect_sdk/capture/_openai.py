"""Records the calls of one OpenAI client."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from reflect_sdk.capture._call_recording import CallRecording, begin
from reflect_sdk.capture._chat_calls import ChatCalls
from reflect_sdk.capture._client_check import UnsupportedClientError, check
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Kind
from reflect_sdk.capture._response_calls import ResponseCalls
from reflect_sdk.converters._plain import read

__all__ = ["UnsupportedClientError", "capture", "release"]

ClientT = TypeVar("ClientT")

_STATE = "_reflect_capture"
# `stream` is not listed, because it calls `create`.
_METHODS = ("create", "parse")
_COPIES = ("with_options", "copy")
# Cached properties that hold references to the methods.
_CACHED_ACCESSORS = ("with_raw_response", "with_streaming_response")


def capture(client: ClientT) -> ClientT:
    """Records the calls that this client makes inside `trace()` blocks.

    Returns the same object. The methods `create`, `parse` and `stream` of `chat.completions` and `responses` are
    wrapped; they still return the library's own objects, including streams. Other clients and calls outside a trace
    are not affected. A second call has no effect.

    Clients created later with `with_options()` or `copy()` are captured too. Answers of `with_raw_response` are
    recorded; answers of `with_streaming_response` only if `parse()` is called. Background responses and
    `client.beta` are not recorded.

    Args:
        client: An `openai.OpenAI` or `openai.AsyncOpenAI`, or an instance of a subclass.

    Returns:
        The same client.

    Raises:
        UnsupportedClientError: The object is not such a client, or its version is not supported.

    Example:
        client = capture(OpenAI())
        with reflect.trace("Refund order 1182") as ctx:
            client.responses.create(model="gpt-5.4-mini", input=ctx.augmented_task)
            ctx.review("pass")
    """
    if not _is_captured(client):
        _install(client, check(client), _Switch())
    return client


def release(client: ClientT) -> ClientT:
    """Undoes `capture`, also for copies of this client. Has no effect if the client is not captured.

    Example:
        release(client)
    """
    switch = vars(client).pop(_STATE, None) if _is_captured(client) else None
    if isinstance(switch, _Switch):
        switch.off()
    return client


class _Switch:
    """Whether a client is captured. Switching off the original also switches off its copies."""

    def __init__(self, original: _Switch | None = None) -> None:
        self._original = original
        self._on = True
        self.undoing: list[Callable[[], None]] = []

    @property
    def on(self) -> bool:
        return self._on and (self._original is None or self._original.on)

    def off(self) -> None:
        self._on = False
        for undo in reversed(self.undoing):
            undo()


def _is_captured(client: object) -> bool:
    return isinstance(read(client, "__dict__"), dict) and _STATE in vars(client)


def _install(client: Any, awaiting: bool, switch: _Switch) -> None:
    setattr(client, _STATE, switch)
    wrap = _awaited if awaiting else _called
    for resource, kind in ((client.chat.completions, ChatCalls()), (client.responses, ResponseCalls())):
        for name in _METHODS:
            _put(resource, name, wrap(kind, getattr(resource, name), switch), switch)
    for holder in (client, client.chat, client.chat.completions, client.responses):
        _clear_cached_accessors(holder, switch)
    for name in _COPIES:
        _put(client, name, _copying(getattr(client, name), awaiting, switch), switch)


def _called(kind: Kind, method: Callable[..., Any], switch: _Switch) -> Callable[..., Any]:
    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recording = begin(kind, kwargs) if switch.on else None
        if recording is None:
            return method(*args, **kwargs)
        try:
            result = method(*args, **kwargs)
        except BaseException as error:
            recording.failed(error)
            raise
        recording.succeeded(result)
        return result

    return wrapper


def _awaited(kind: Kind, method: Callable[..., Any], switch: _Switch) -> Callable[..., Any]:
    async def wait(recording: CallRecording, calling: Awaitable[Any]) -> Any:
        try:
            result = await calling
        except BaseException as error:
            recording.failed(error)
            raise
        recording.succeeded(result)
        return result

    @functools.wraps(method)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        recording = begin(kind, kwargs) if switch.on else None
        calling = method(*args, **kwargs)
        return calling if recording is None else wait(recording, calling)

    return wrapper


def _copying(copy: Callable[..., Any], awaiting: bool, switch: _Switch) -> Callable[..., Any]:
    @functools.wraps(copy)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        other = copy(*args, **kwargs)
        if switch.on:
            with guarded("copying a captured client"):
                _install(other, awaiting, _Switch(switch))
        return other

    return wrapper


def _put(holder: object, name: str, value: Callable[..., Any], switch: _Switch) -> None:
    """Sets a method on one instance, not on its class."""
    own: dict[str, Any] = vars(holder)
    before = own.get(name)

    def undo() -> None:
        # Another library may have wrapped our wrapper; then ours stays in place, switched off.
        if own.get(name) is value:
            delattr(holder, name)
            if before is not None:
                setattr(holder, name, before)

    setattr(holder, name, value)
    switch.undoing.append(undo)


def _clear_cached_accessors(holder: object, switch: _Switch) -> None:
    """Clears cached accessors, so they are created again with the current methods."""
    own: dict[str, Any] = vars(holder)

    def undo() -> None:
        for name in _CACHED_ACCESSORS:
            own.pop(name, None)

    undo()
    switch.undoing.append(undo)
