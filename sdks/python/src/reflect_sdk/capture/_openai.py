"""Capturing the calls of one OpenAI client."""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from reflect_sdk.capture._chat_calls import ChatCalls
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Kind
from reflect_sdk.capture._noting import Noting, begin
from reflect_sdk.capture._response_calls import ResponseCalls
from reflect_sdk.capture._shape import UnsupportedClientError, check
from reflect_sdk.converters._plain import read

__all__ = ["UnsupportedClientError", "capture", "release"]

ClientT = TypeVar("ClientT")

_STATE = "_reflect_capture"
# `stream` is not among them: it calls `create`.
_METHODS = ("create", "parse")
_COPIES = ("with_options", "copy")
# Made of the methods as they are when first used, and kept.
_KEPT = ("with_raw_response", "with_streaming_response")


def capture(client: ClientT) -> ClientT:
    """Notes the calls that this client makes inside `trace()` blocks.

    The client stays what it is: this very object is returned, with the methods `create`, `parse` and `stream` of
    `chat.completions` and `responses` looked at. They give the library's own objects, streams included. Other
    clients, and calls outside of a trace, are not touched. Capturing twice is capturing once.

    Clients made with `with_options()` or `copy()` afterwards are captured too. Of `with_raw_response` the answer
    is noted; of `with_streaming_response` only if its `parse()` is called. Not noted are answers that a model gives
    in the background, and what `client.beta` does.

    Args:
        client: An `openai.OpenAI` or `openai.AsyncOpenAI`, or what is derived from them.

    Returns:
        The same client.

    Raises:
        UnsupportedClientError: It is no such client, or of a version that is not known.

    Example:
        client = capture(OpenAI())
        with reflect.trace("Refund order 1182") as ctx:
            client.responses.create(model="gpt-5.4-mini", input=ctx.augmented_task)
            ctx.review("pass")
    """
    if not _is_captured(client):
        _take(client, check(client), _Switch())
    return client


def release(client: ClientT) -> ClientT:
    """Undoes `capture`, also for clients that were copied from this one. Harmless when it was not captured.

    Example:
        release(client)
    """
    switch = vars(client).pop(_STATE, None) if _is_captured(client) else None
    if isinstance(switch, _Switch):
        switch.off()
    return client


class _Switch:
    """Whether a client is captured still. That of a copy goes off with that of the original."""

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


def _take(client: Any, awaiting: bool, switch: _Switch) -> None:
    setattr(client, _STATE, switch)
    looking = _awaited if awaiting else _called
    for resource, kind in ((client.chat.completions, ChatCalls()), (client.responses, ResponseCalls())):
        for name in _METHODS:
            _put(resource, name, looking(kind, getattr(resource, name), switch), switch)
    for holder in (client, client.chat, client.chat.completions, client.responses):
        _forget(holder, switch)
    for name in _COPIES:
        _put(client, name, _copying(getattr(client, name), awaiting, switch), switch)


def _called(kind: Kind, method: Callable[..., Any], switch: _Switch) -> Callable[..., Any]:
    @functools.wraps(method)
    def looked_at(*args: Any, **kwargs: Any) -> Any:
        noting = begin(kind, kwargs) if switch.on else None
        if noting is None:
            return method(*args, **kwargs)
        try:
            result = method(*args, **kwargs)
        except BaseException as error:
            noting.failed(error)
            raise
        noting.gave(result)
        return result

    return looked_at


def _awaited(kind: Kind, method: Callable[..., Any], switch: _Switch) -> Callable[..., Any]:
    async def wait(noting: Noting, calling: Awaitable[Any]) -> Any:
        try:
            result = await calling
        except BaseException as error:
            noting.failed(error)
            raise
        noting.gave(result)
        return result

    @functools.wraps(method)
    def looked_at(*args: Any, **kwargs: Any) -> Any:
        noting = begin(kind, kwargs) if switch.on else None
        calling = method(*args, **kwargs)
        return calling if noting is None else wait(noting, calling)

    return looked_at


def _copying(copy: Callable[..., Any], awaiting: bool, switch: _Switch) -> Callable[..., Any]:
    @functools.wraps(copy)
    def looked_at(*args: Any, **kwargs: Any) -> Any:
        other = copy(*args, **kwargs)
        if switch.on:
            with guarded("copying a captured client"):
                _take(other, awaiting, _Switch(switch))
        return other

    return looked_at


def _put(holder: object, name: str, value: Callable[..., Any], switch: _Switch) -> None:
    """Sets a method on one object, and not on its class."""
    own: dict[str, Any] = vars(holder)
    before = own.get(name)

    def undo() -> None:
        # Somebody else may have put theirs on top; then ours stays below, switched off.
        if own.get(name) is value:
            delattr(holder, name)
            if before is not None:
                setattr(holder, name, before)

    setattr(holder, name, value)
    switch.undoing.append(undo)


def _forget(holder: object, switch: _Switch) -> None:
    """Has the raw accessors made anew, of the methods as they are now."""
    own: dict[str, Any] = vars(holder)

    def undo() -> None:
        for name in _KEPT:
            own.pop(name, None)

    undo()
    switch.undoing.append(undo)
