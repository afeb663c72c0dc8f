"""What the two ways of calling OpenAI's models have in common."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class Request(NamedTuple):
    """What a call sends: a conversation, or what it adds to the one that ended with the answer `after`."""

    messages: list[dict[str, Any]]
    after: str | None = None


class Answer(NamedTuple):
    """What a call gave: messages, and the provider's id of it."""

    messages: list[dict[str, Any]]
    id: str | None = None
    parallel: bool = False


class Assembly(Protocol):
    """Puts the chunks of one answer together."""

    def see(self, chunk: object) -> None:
        """Takes one chunk."""
        ...

    def answer(self) -> Answer:
        """What has been said so far."""
        ...


class Kind(Protocol):
    """How the calls of one resource are read."""

    @property
    def repeated(self) -> str:
        """The argument that holds the conversation."""
        ...

    def request(self, sent: Mapping[str, Any]) -> Request:
        """What a call sends."""
        ...

    def answer(self, result: object) -> Answer:
        """What a result says."""
        ...

    def assembly(self) -> Assembly:
        """Something new to put chunks together."""
        ...
