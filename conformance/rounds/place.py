"""The server's address and credentials."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A server with real models."""

    base_url: str
    key: str
    # The name of the model that writes lessons.
    text_model: str
