"""Runs the blocks of one document in a Python with the SDK, and reports the outcomes.

    python -m seed_blocks.worker

Reads a `Place` as JSON from stdin and writes one `Outcome` as a line of JSON per block to stdout. Blocks
that are complete programs are run by `program.py`.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import io
import json
import sys
import traceback
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from .block_result import BlockResult
from .documents import Document, read_document
from .extract import Block, blocks_of
from .place import Outcome, Place
from .prelude import Prelude
from .promise_checks import check_promises
from .promises import promises_of
from .rewrites import Rewritten, rewrite


def main() -> None:
    """Runs every block of the document from stdin."""
    place = Place(**json.load(sys.stdin))
    # The output of a block or of the SDK must not mix with the outcomes.
    out, sys.stdout = sys.stdout, sys.stderr
    for outcome in outcomes(place):
        print(json.dumps(asdict(outcome)), file=out, flush=True)


def outcomes(place: Place) -> Iterator[Outcome]:
    """Yields the outcome of each block."""
    document = read_document(Path(place.seeds), place.document)
    prelude = Prelude(place)
    for block in blocks_of(document.text):
        if not block.is_program:
            yield run_block(document, block, prelude)


def run_block(document: Document, block: Block, prelude: Prelude) -> Outcome:
    """Runs one block and checks its effects."""
    rewritten = rewrite(block, prelude.stored_trace_id)
    checked, reason = 0, ""
    try:
        checked = run_and_check(document, block, rewritten, prelude)
    except Exception as error:
        reason = explain(error, document.path)
    return Outcome(
        document=document.number,
        block=block.number,
        first=block.first,
        last=block.last,
        passed=not reason,
        checked=checked,
        changes=rewritten.changes,
        reason=reason,
    )


def run_and_check(document: Document, block: Block, rewritten: Rewritten, prelude: Prelude) -> int:
    """Raises if the block fails or breaks a promise; returns the number of checks."""
    prelude.open_for(block.number)
    result = BlockResult(prelude)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        execute(rewritten, document.path, prelude)
    result.printed = printed.getvalue()

    promises = promises_of(block)
    for promise in promises:
        # `response` may be local to a function; its value is the model's last answer.
        holds = eval(promise.expression, {**prelude.names, "response": prelude.said})
        assert holds, f"line {promise.line} promises {promise.expression}, which is false"
    if "ctx" in prelude.names:
        inside = f"ctx.trace_id must be None inside the with block; there it was {prelude.inside}"
        assert prelude.inside and not any(prelude.inside), inside
    return len(promises) + check_promises(document.number, block.number, result)


def execute(rewritten: Rewritten, path: Path, prelude: Prelude) -> None:
    """Runs a block with the names of its document."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if rewritten.is_coroutine else 0
    # The document's path, so a traceback shows its lines.
    code = compile(rewritten.source, str(path), "exec", flags, dont_inherit=True)
    awaited = eval(code, prelude.names)
    if rewritten.is_coroutine:
        asyncio.run(awaited)


def explain(error: BaseException, path: Path) -> str:
    """The error, and its line in the document."""
    if isinstance(error, AssertionError):
        return str(error) or f"does not hold: {traceback.extract_tb(error.__traceback__)[-1].line}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    where = f"line {lines[-1]}" if lines else f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return f"{where}: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
