"""Requests to one project: paths, timeout, retries, mask, and typed responses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote, urlencode

from reflect_sdk._wire.decode import decoded
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.exchange import RequestPolicy, exchange
from reflect_sdk._wire.http import MAX_BYTES, Answer, Flow, Request
from reflect_sdk._wire.mask import Mask

T = TypeVar("T")

QueryValue: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, slots=True)
class ProjectApi:
    """The API of one project of one server."""

    project_id: str
    policy: RequestPolicy
    mask: Mask | None = None
    # The method that the user called; error messages begin with it.
    call: str = "request"

    def named(self, call: str) -> ProjectApi:
        """The same API for another method of the client."""
        return replace(self, call=call)

    def path(self, *segments: str, **query: QueryValue) -> str:
        """The path of a resource in the project; every segment is percent-encoded."""
        path = "/".join(["/v1/projects", quote(self.project_id, safe=""), *(quote(s, safe="") for s in segments)])
        given = {name: _in_query(value) for name, value in query.items() if value is not None}
        return f"{path}?{urlencode(given)}" if given else path

    def send(self, request: Request, *, absent_ok: bool = False) -> Flow[Answer]:
        """Sends a request and returns the whole response, including headers."""
        return (yield from exchange(self.policy, request, self.call, absent_ok=absent_ok))

    def read(self, answer: Answer, read: Callable[[Any], T]) -> T:
        """The typed body of a response; raises `InvalidResponseError` if it has another form."""
        return decoded(answer, self.call, self.policy.base_url, read)

    def get(self, read: Callable[[Any], T], *segments: str, **query: QueryValue) -> Flow[T]:
        """Sends a GET and returns the typed body."""
        answer = yield from self.send(Request("GET", self.path(*segments, **query)))
        return self.read(answer, read)

    def post(self, read: Callable[[Any], T], path: str, body: object, **options: Any) -> Flow[T]:
        """Sends a POST and returns the typed body."""
        answer = yield from self.posted(path, body, **options)
        return self.read(answer, read)

    def posted(
        self,
        path: str,
        body: object,
        *,
        method: str = "POST",
        idempotency_key: str | None = None,
        max_bytes: int = MAX_BYTES,
    ) -> Flow[Answer]:
        """Sends a POST and returns the whole response, including headers."""
        headers: Mapping[str, str] = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        return (yield from self.send(Request(method, path, encode(body), headers, max_bytes=max_bytes)))


def _in_query(value: QueryValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
