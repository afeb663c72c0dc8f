"""Decodes a response into typed data. It is the only place that reads response bodies.

Every problem of a body becomes an `InvalidResponseError`: HTML of a proxy, an empty body, truncated JSON, a missing
field or a field of the wrong type. The other modules of this package never see undecoded data.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from reflect_sdk._body_kind import body_kind, proxy_hint
from reflect_sdk._wire.http import Answer
from reflect_sdk.errors import InvalidResponseError
from reflect_sdk.models._base import InvalidData, expect_list, expect_object

T = TypeVar("T")

_SHOWN = 2000


def decoded(answer: Answer, call: str, base_url: str, read: Callable[[Any], T]) -> T:
    """The body as the data that `read` builds, for example `Trace.from_dict`."""
    try:
        if answer.problem is not None:
            raise InvalidData(answer.problem)
        return read(json_of(answer))
    except InvalidData as problem:
        raise InvalidResponseError(
            f"{call}: the response from {base_url} (status {answer.status}) is not valid: {problem}.",
            status_code=answer.status,
            body=text_of(answer),
            hint=proxy_hint(base_url),
            request_id=answer.headers.get("x-request-id"),
        ) from problem


def json_of(answer: Answer) -> Any:
    """The JSON of a body; raises `InvalidData` if it has none."""
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError) as problem:
        kind = body_kind(answer.body, answer.headers.get("content-type", ""))
        raise InvalidData(f"the server returned {kind}, not JSON") from problem


def text_of(answer: Answer) -> str:
    """The beginning of a body as text, for error messages."""
    return answer.body[:_SHOWN].decode("utf-8", "replace")


def list_of(read: Callable[[Any], T]) -> Callable[[Any], list[T]]:
    """Reads a JSON array whose entries `read` builds."""

    def read_all(value: Any) -> list[T]:
        return [read(entry) for entry in expect_list(value)]

    return read_all


def requiring(read: Callable[[Any], T], *names: str) -> Callable[[Any], T]:
    """Reads a JSON object that must have these fields, also if the class has defaults for them."""

    def read_complete(value: Any) -> T:
        fields = expect_object(value)
        for name in names:
            if fields.get(name) is None:
                raise InvalidData(f"the field `{name}` is missing")
        return read(fields)

    return read_complete


def field_of(name: str, read: Callable[[Any], T]) -> Callable[[Any], T]:
    """Reads one field of a JSON object."""

    def read_field(value: Any) -> T:
        fields = expect_object(value)
        if name not in fields:
            raise InvalidData(f"the field `{name}` is missing")
        return read(fields[name])

    return read_field
