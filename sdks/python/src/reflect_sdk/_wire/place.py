"""Where calls go: a server, a project, and how patient to be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.exchange import Manners, exchange
from reflect_sdk._wire.http import Answer, Flow, Request
from reflect_sdk._wire.mask import Mask


@dataclass(frozen=True, slots=True)
class Place:
    """One project of one server, as a client sees it."""

    project_id: str
    manners: Manners
    mask: Mask | None = None

    def path(self, *segments: str, **query: str | int | float | None) -> str:
        """The path of something in the project; every segment is encoded, so an odd id stays an id."""
        path = "/".join(["/v1/projects", quote(self.project_id, safe=""), *(quote(s, safe="") for s in segments)])
        given = {name: value for name, value in query.items() if value is not None}
        return f"{path}?{urlencode(given)}" if given else path

    def get(self, what: str, *segments: str, **query: str | int | float | None) -> Flow[Any]:
        """The JSON of a GET."""
        answer = yield from exchange(self.manners, Request("GET", self.path(*segments, **query)), what)
        return answer.json()

    def post(self, what: str, path: str, body: object, **options: Any) -> Flow[Any]:
        """The JSON that a POST is answered with."""
        answer = yield from self.posted(what, path, body, **options)
        return answer.json()

    def posted(
        self,
        what: str,
        path: str,
        body: object,
        *,
        method: str = "POST",
        idempotency_key: str | None = None,
        timeout: float | None = None,
    ) -> Flow[Answer]:
        """The whole answer to a POST, with its headers."""
        headers: Mapping[str, str] = {} if idempotency_key is None else {"Idempotency-Key": idempotency_key}
        request = Request(method, path, encode(body), headers, timeout)
        return (yield from exchange(self.manners, request, what))
