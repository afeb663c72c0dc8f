"""Where the server is and what lets one in."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """A server with real models behind it."""

    base_url: str
    key: str
    # What the server calls the model that writes lessons.
    text_model: str
