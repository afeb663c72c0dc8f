"""The return values of the client, with their fields as attributes."""

from __future__ import annotations

from typing import Any


class Answer:
    """An object as the client parsed it, with exactly its fields."""

    def __init__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        # Also for type checkers: the fields are those of the client.
        raise AttributeError(f"{type(self).__name__} of the client has no {name}")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.__dict__!r})"


class Memory(Answer):
    """A memory."""


class Trace(Answer):
    """A recorded run, with its review as a nested object."""

    def __init__(self, fields: dict[str, Any]) -> None:
        review = fields["review"]
        super().__init__({**fields, "review": None if review is None else Answer(review)})


class ApiKeyInfo(Answer):
    """A key without its secret."""


class CreatedApiKey(Answer):
    """A key with its secret."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__({**fields, "key": ApiKeyInfo(fields["key"])})


class BootstrapInfo(Answer):
    """The first project and its master key."""


class AugmentedTask(Answer):
    """A task with its memories."""

    def __init__(self, fields: dict[str, Any]) -> None:
        super().__init__({**fields, "memories": [Memory(one) for one in fields["memories"]]})


class Submission(Answer):
    """The response to a submitted trace."""
