"""The common interface of the chat and responses APIs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol


class Request(NamedTuple):
    """The request of a call: a conversation, or the messages after the answer with the id `after`."""

    messages: list[dict[str, Any]]
    after: str | None = None


class Answer(NamedTuple):
    """The answer of a call: messages, and the provider's id."""

    messages: list[dict[str, Any]]
    id: str | None = None
    parallel: bool = False


class Assembly(Protocol):
    """Assembles the chunks of one answer."""

    def see(self, chunk: object) -> None:
        """Adds one chunk."""
        ...

    def answer(self) -> Answer:
        """The answer so far."""
        ...


class Kind(Protocol):
    """Reads the calls of one API resource."""

    @property
    def source(self) -> str:
        """The name of the adapter."""
        ...

    @property
    def repeated(self) -> str:
        """The name of the argument with the conversation."""
        ...

    def request(self, sent: Mapping[str, Any]) -> Request:
        """The request of a call."""
        ...

    def answer(self, result: object) -> Answer:
        """The answer in a result."""
        ...

    def assembly(self) -> Assembly:
        """A new assembly for a stream."""
        ...
