"""Prints and counts the outcomes of the blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from .documents import Document
from .extract import Block
from .place import Outcome
from .statements import looks_like_code


class Report:
    """Prints one line per block with its changes and failure, and the total."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.passed = 0
        self.failed = 0

    def print(self, sentence: str) -> None:
        """Prints a line that belongs to no block."""
        print(sentence, file=self._out, flush=True)

    def add(self, outcome: Outcome, remarks: Sequence[str] = ()) -> None:
        """Prints and counts one block."""
        self.passed += outcome.passed
        self.failed += not outcome.passed
        mark = "ok" if outcome.passed else "FAIL"
        lines = f"lines {outcome.first}-{outcome.last}"
        checked = f"{outcome.checked} checked" if outcome.passed else ""
        self.print(f"{mark:<6}{outcome.document} block {outcome.block:>2}  {lines:<14}  {checked}".rstrip())
        for change in outcome.changes:
            self.print(f"      rewritten: {change}")
        for remark in (*remarks, *outcome.reason.splitlines()):
            self.print(f"      {remark}")

    def lost_lines(self, document: Document, blocks: Sequence[Block]) -> None:
        """Counts each line as failed that looks like Python and is in no block."""
        for line in lost_lines(document, blocks):
            self.failed += 1
            self.print(f"FAIL  {document.number} line {line} looks like Python and is in no block")

    def finish(self) -> bool:
        """Prints the total; returns whether all passed."""
        self.print(f"seed blocks: {self.passed} passed, {self.failed} failed")
        return self.failed == 0 and self.passed > 0


def lost_lines(document: Document, blocks: Sequence[Block]) -> list[int]:
    """The numbers of the lines that look like Python and are in no block."""
    taken = {line for block in blocks for line in range(block.first, block.last + 1)}
    lines = enumerate(document.text.split("\n"), start=1)
    return [number for number, line in lines if number not in taken and looks_like_code(line)]
