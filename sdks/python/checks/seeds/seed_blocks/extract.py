"""Finds Python blocks in plain text without code markers.

The rules:

- A statement is the longest sequence of lines that parses as exactly one statement. So brackets, indented
  bodies and docstrings stay together, also if the indentation inside a call was lost.
- Not everything that parses is code: headings, numbers and signatures in a table parse too.
  `statements.py` has the rules.
- Statements that are separated only by blank lines are one block. A block needs at least one statement that
  cannot be prose.
- Comment lines belong to the statement below them, or to the one that they touch from below.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .statements import Sort, read_as_code, sort_of

# A line that continues the statement above although it is not indented.
GOES_ON = re.compile(r"(elif|else|except|finally)\b")


@dataclass(frozen=True)
class Block:
    """Lines of a document that are Python. Lines count from 1; both ends are inclusive."""

    number: int
    first: int
    last: int
    source: str

    def tree(self) -> ast.Module:
        """The parsed block, with the line numbers of the document."""
        return ast.parse(self.in_place())

    def in_place(self) -> str:
        """The source after empty lines, which keep the document's line numbers."""
        return "\n" * (self.first - 1) + self.source

    @property
    def is_program(self) -> bool:
        """Whether it is a complete program: it uses `__name__`."""
        tests = [node.test for node in self.tree().body if isinstance(node, ast.If)]
        names = [part.id for test in tests for part in ast.walk(test) if isinstance(part, ast.Name)]
        return "__name__" in names


@dataclass(frozen=True)
class _Statement:
    # Lines count from 0; `end` is exclusive.
    begin: int
    end: int
    sort: Sort


def blocks_of(text: str) -> list[Block]:
    """The blocks of a document, in order."""
    # Not splitlines, which splits at more characters than Python's tokenizer.
    lines = text.split("\n")
    groups = [group for group in _groups(lines) if any(one.sort is Sort.CODE for one in group)]
    return [
        Block(number, group[0].begin + 1, group[-1].end, "\n".join(lines[group[0].begin : group[-1].end]))
        for number, group in enumerate(groups, start=1)
    ]


def _groups(lines: Sequence[str]) -> Iterator[list[_Statement]]:
    group: list[_Statement] = []
    at = 0
    while at < len(lines):
        if not lines[at].strip():
            at += 1
            continue
        statement = _statement_at(lines, at)
        if statement is None or statement.sort is Sort.PROSE:
            if group:
                yield group
            group = []
            at += 1
        else:
            group.append(statement)
            at = statement.end
    if group:
        yield group


def _statement_at(lines: Sequence[str], begin: int) -> _Statement | None:
    """The longest single statement that starts here."""
    found: ast.stmt | None = None
    for end in range(begin + 1, len(lines) + 1):
        line = lines[end - 1]
        if found is not None and line and not line[0].isspace() and not GOES_ON.match(line):
            break
        tree = read_as_code("\n".join(lines[begin:end]))
        if tree is not None and len(tree.body) == 1:
            found = tree.body[0]
    if found is None:
        return None
    end = begin + (found.end_lineno or 1)
    while end < len(lines) and lines[end].lstrip().startswith("#"):
        end += 1
    return _Statement(begin, end, sort_of(found, "\n".join(lines[begin:end])))
