"""The language-model provider that the server under test is given.

This is the one place where a scripted double is put in: start it, tell the server about it
through `server_environment`, and name in `failing_task` the words that make it fail. Until then
the server runs without a provider.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Provider:
    """What the server and the cases must know of the provider."""

    # Variables for the server's process.
    server_environment: Mapping[str, str] = field(default_factory=dict)
    # A task that holds these words makes the provider fail; none when it cannot be told to.
    failing_task: str | None = None


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider for as long as the run lasts."""
    yield Provider()
