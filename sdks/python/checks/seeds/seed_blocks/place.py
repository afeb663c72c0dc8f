"""The input of the process that runs the blocks of one document, and its result per block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """The settings of a document's blocks."""

    # The folder of the documents, and the number of the one to run.
    seeds: str
    document: str
    base_url: str
    api_key: str
    # Used only by this document.
    project: str
    # An OpenAI-compatible server for the blocks that call a model.
    openai_url: str


@dataclass(frozen=True)
class Outcome:
    """The outcome of one block."""

    document: str
    block: int
    first: int
    last: int
    passed: bool
    # The number of checks after the block.
    checked: int = 0
    changes: Sequence[str] = ()
    reason: str = ""
