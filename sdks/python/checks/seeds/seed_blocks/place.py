"""What the process that runs the blocks of one document is told, and what it tells about each block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where the blocks of a document run."""

    # The folder of the documents, and the number of the one to run.
    seeds: str
    document: str
    base_url: str
    api_key: str
    # No other document uses it.
    project: str
    # An OpenAI-compatible server for the blocks that ask a model.
    openai_url: str


@dataclass(frozen=True)
class Outcome:
    """What became of one block."""

    document: str
    block: int
    first: int
    last: int
    passed: bool
    # How many things were looked at after the block.
    checked: int = 0
    changes: Sequence[str] = ()
    reason: str = ""
