"""The only changes to a block before it runs, and a record of each.

- `trajectory=[...]` is not a trajectory: it is replaced by two messages. Other elisions are not changed.
- `trace_id="abc-123"` is the id of a trace that does not exist: it is replaced by the id of a stored trace.
- `await` outside a function is not valid Python: the block runs as a coroutine. Its text is not changed.
"""

from __future__ import annotations

import ast
import inspect
from dataclasses import dataclass

from .extract import Block

MESSAGES = '[{"role": "user", "content": "..."}, {"role": "assistant", "content": "..."}]'
COROUTINE = "awaits outside a function: runs as a coroutine"


@dataclass(frozen=True)
class Rewritten:
    """A block that can be run."""

    # With the line numbers of the document.
    source: str
    # One sentence per change.
    changes: tuple[str, ...]
    is_coroutine: bool


@dataclass(frozen=True)
class _Change:
    node: ast.expr
    put: str
    sentence: str


def rewrite(block: Block, stored_trace_id: str) -> Rewritten:
    """The block with the replacements."""
    changes = [
        change
        for node in ast.walk(block.tree())
        if isinstance(node, ast.keyword) and (change := _change(node, stored_trace_id))
    ]
    # From the end, so the remaining positions stay valid.
    changes.sort(key=lambda change: (change.node.lineno, change.node.col_offset))
    lines = [line.encode() for line in block.in_place().split("\n")]
    for change in reversed(changes):
        node, line = change.node, lines[change.node.lineno - 1]
        lines[node.lineno - 1] = line[: node.col_offset] + change.put.encode() + line[node.end_col_offset :]
    sentences = [change.sentence for change in changes]
    source = b"\n".join(lines).decode()
    is_coroutine = _awaits(source)
    if is_coroutine:
        sentences.append(COROUTINE)
    return Rewritten(source, tuple(sentences), is_coroutine)


def _change(argument: ast.keyword, stored_trace_id: str) -> _Change | None:
    value = argument.value
    if value.end_lineno != value.lineno:
        return None
    where = f"line {value.lineno}: {argument.arg}"
    match argument.arg, value:
        case "trajectory", ast.List(elts=[ast.Constant(value=element)]) if element is ...:
            return _Change(value, MESSAGES, f"{where}=[...] became two messages")
        case "trace_id", ast.Constant(value=str(placeholder)):
            put = f"{where}={placeholder!r} became the id of a stored trace, {stored_trace_id}"
            return _Change(value, repr(stored_trace_id), put)
        case _:
            return None


def _awaits(source: str) -> bool:
    """Whether the block has `await` outside a function."""
    code = compile(source, "<document>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return bool(code.co_flags & inspect.CO_COROUTINE)
