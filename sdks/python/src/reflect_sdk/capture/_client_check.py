"""Checks that a client can be captured, before its first call."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from reflect_sdk.capture._guard import logger
from reflect_sdk.capture._streams import ITERATOR
from reflect_sdk.converters._plain import read, read_text
from reflect_sdk.errors import ReflectError

# The oldest and the newest major versions that are tested.
OLDEST = (2, 0)
NEWEST = 3

RESOURCES = ("chat.completions", "responses")
METHODS = ("create", "parse", "stream")


class UnsupportedClientError(ReflectError, TypeError):
    """The client is not supported by `capture`."""


def check(client: object) -> bool:
    """Returns whether the client is asynchronous. Raises if it is not a supported client."""
    library = sys.modules.get("openai")
    blocking, awaiting = read(library, "OpenAI"), read(library, "AsyncOpenAI")
    if isinstance(client, type) or not isinstance(client, _types(blocking, awaiting)):
        raise UnsupportedClientError(
            f"capture() takes an OpenAI or AsyncOpenAI client, not {_named(client)}.",
            hint="Pass the instance, such as capture(OpenAI()). For Anthropic's client see "
            "reflect_sdk.capture.anthropic; frameworks have modules of their own in reflect_sdk.capture.",
        )
    _check_version(read_text(library, "__version__") or "")
    for path in RESOURCES:
        resource: object = client
        for name in path.split("."):
            resource = read(resource, name)
        for name in METHODS:
            _require(callable(read(resource, name)), f"its client has no {path}.{name}()")
    for kind, step in (("Stream", "__next__"), ("AsyncStream", "__anext__")):
        _require(_reads_iterator(read(library, kind), step), f"its {kind} class has a different implementation")
    return isinstance(client, _types(awaiting))


def _types(*found: Any) -> tuple[type, ...]:
    return tuple(kind for kind in found if isinstance(kind, type))


def _named(client: object) -> str:
    kind = client if isinstance(client, type) else type(client)
    what = "the class" if isinstance(client, type) else "an instance of"
    return f"{what} {kind.__module__}.{kind.__qualname__}"


def _check_version(version: str) -> None:
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    _require(numbers >= OLDEST, f"it is older than {OLDEST[0]}.{OLDEST[1]}")
    if numbers[0] > NEWEST:
        logger.warning(
            "capture() is not tested with openai %s; the newest tested major version is %s.", version, NEWEST
        )


def _reads_iterator(stream: object, step: str) -> bool:
    code = read(read(stream, step), "__code__")
    return isinstance(code, CodeType) and ITERATOR in code.co_names


def _require(holds: bool, otherwise: str) -> None:
    if not holds:
        version = read_text(sys.modules.get("openai"), "__version__")
        raise UnsupportedClientError(
            f"capture() does not support openai {version}: {otherwise}.",
            hint="Install a version that the extra reflect-memory-client[openai] allows, or record messages "
            "with ctx.step().",
        )
