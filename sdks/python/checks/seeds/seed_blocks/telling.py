"""Prints what became of the blocks, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from .documents import Document
from .extract import Block
from .place import Outcome
from .statements import looks_like_code


class Telling:
    """One line per block, what was changed in it and why it failed below, and the sum."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self.passed = 0
        self.failed = 0

    def say(self, sentence: str) -> None:
        """A line that is about no block."""
        print(sentence, file=self._out, flush=True)

    def add(self, outcome: Outcome, remarks: Sequence[str] = ()) -> None:
        """Prints and counts one block."""
        self.passed += outcome.passed
        self.failed += not outcome.passed
        mark = "ok" if outcome.passed else "FAIL"
        lines = f"lines {outcome.first}-{outcome.last}"
        checked = f"{outcome.checked} checked" if outcome.passed else ""
        self.say(f"{mark:<6}{outcome.document} block {outcome.block:>2}  {lines:<14}  {checked}".rstrip())
        for change in outcome.changes:
            self.say(f"      rewritten: {change}")
        for remark in (*remarks, *outcome.reason.splitlines()):
            self.say(f"      {remark}")

    def lost_lines(self, document: Document, blocks: Sequence[Block]) -> None:
        """Counts every line as failed that looks like Python and is in no block."""
        for line in lost_lines(document, blocks):
            self.failed += 1
            self.say(f"FAIL  {document.number} line {line} looks like Python and is in no block")

    def finish(self) -> bool:
        """Prints the sum; says whether all is well."""
        self.say(f"seed blocks: {self.passed} passed, {self.failed} failed")
        return self.failed == 0 and self.passed > 0


def lost_lines(document: Document, blocks: Sequence[Block]) -> list[int]:
    """The numbers of the lines that look like Python and are in no block."""
    taken = {line for block in blocks for line in range(block.first, block.last + 1)}
    lines = enumerate(document.text.split("\n"), start=1)
    return [number for number, line in lines if number not in taken and looks_like_code(line)]
