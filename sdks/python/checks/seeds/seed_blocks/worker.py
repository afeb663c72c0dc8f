"""Runs the blocks of one document, in the Python that has the SDK, and says what became of each.

    python -m seed_blocks.worker

Reads a `Place` as JSON from stdin and writes one `Outcome` as a line of JSON per block to stdout. Blocks
that are whole programs are left to `terminal.py`.
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

from .aftermath import Aftermath
from .documents import Document, read_document
from .extract import Block, blocks_of
from .kept import kept
from .place import Outcome, Place
from .prelude import Prelude
from .promises import promises_of
from .rewrites import Rewritten, rewrite


def main() -> None:
    """Runs every block of the document that stdin names."""
    place = Place(**json.load(sys.stdin))
    # Whatever a block or the SDK prints must not end up between the outcomes.
    out, sys.stdout = sys.stdout, sys.stderr
    for outcome in outcomes(place):
        print(json.dumps(asdict(outcome)), file=out, flush=True)


def outcomes(place: Place) -> Iterator[Outcome]:
    """What became of each block, as it comes."""
    document = read_document(Path(place.seeds), place.document)
    prelude = Prelude(place)
    for block in blocks_of(document.text):
        if not block.is_program:
            yield run_block(document, block, prelude)


def run_block(document: Document, block: Block, prelude: Prelude) -> Outcome:
    """Runs one block and looks at what it did."""
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
    """Raises when the block fails or breaks a promise; says how much was checked."""
    prelude.open_for(block.number)
    aftermath = Aftermath(prelude)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        execute(rewritten, document.path, prelude)
    aftermath.printed = printed.getvalue()

    promises = promises_of(block)
    for promise in promises:
        # What a block calls its response may be inside a function; it is what the model said last.
        holds = eval(promise.expression, {**prelude.names, "response": prelude.said})
        assert holds, f"line {promise.line} promises {promise.expression}, and it is not so"
    if "ctx" in prelude.names:
        inside = f"ctx.trace_id must be None inside the with block; there it was {prelude.inside}"
        assert prelude.inside and not any(prelude.inside), inside
    return len(promises) + kept(document.number, block.number, aftermath)


def execute(rewritten: Rewritten, path: Path, prelude: Prelude) -> None:
    """Runs the text of a block among the names of its document."""
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if rewritten.is_coroutine else 0
    # The document's own path, so that a traceback shows its lines.
    code = compile(rewritten.source, str(path), "exec", flags, dont_inherit=True)
    awaited = eval(code, prelude.names)
    if rewritten.is_coroutine:
        asyncio.run(awaited)


def explain(error: BaseException, path: Path) -> str:
    """What went wrong, and in which line of the document."""
    if isinstance(error, AssertionError):
        return str(error) or f"does not hold: {traceback.extract_tb(error.__traceback__)[-1].line}"
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if frame.filename == str(path)]
    where = f"line {lines[-1]}" if lines else f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
    return f"{where}: {type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
