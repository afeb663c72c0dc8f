"""Extracts promises from the comments of a block as expressions that can be evaluated.

`# trace.review_status == "reviewed"` is a promise, optionally followed by a remark in parentheses.
`# trace.created_memory_id is set` and `# ctx.trace_id is now available ...` promise that a value is not None.
`promise_checks.py` covers promises in other words.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass

from .extract import Block

THERE = re.compile(r"(?P<what>[A-Za-z_][\w.]*) is (now )?(set|available)\b")
REMARK = re.compile(r"\s+\([^()]*\)$")


@dataclass(frozen=True)
class Promise:
    """An expression that must be true after the block."""

    line: int
    expression: str


def promises_of(block: Block) -> list[Promise]:
    """The promises in the comments of a block."""
    found: list[Promise] = []
    for token in tokenize.generate_tokens(io.StringIO(block.source).readline):
        if token.type == tokenize.COMMENT:
            expression = _expression(token.string.lstrip("# ").rstrip())
            if expression:
                found.append(Promise(block.first + token.start[0] - 1, expression))
    return found


def _expression(comment: str) -> str | None:
    there = THERE.match(comment)
    if there:
        return f"{there['what']} is not None"
    for text in (comment, REMARK.sub("", comment)):
        try:
            tree = ast.parse(text, mode="eval")
        except SyntaxError:
            continue
        if isinstance(tree.body, ast.Compare):
            return text
    return None
