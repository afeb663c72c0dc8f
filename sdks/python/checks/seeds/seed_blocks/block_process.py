"""Starts the process that runs the blocks of one document, and yields its results."""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from .extract import Block
from .place import Outcome, Place

# Far above the usual time; only a block that hangs reaches it.
STAGE_SECONDS = 600.0


def run_document(
    python: Path, place: Place, blocks: Sequence[Block], environment: Mapping[str, str]
) -> Iterator[Outcome]:
    """Yields the outcome of every block. A block without a result has failed."""
    missing = {block.number: block for block in blocks}
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [str(python), "-m", "seed_blocks.worker"],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        watchdog = threading.Timer(STAGE_SECONDS, process.kill)
        watchdog.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            try:
                with process.stdin as stdin:
                    json.dump(asdict(place), stdin)
            except BrokenPipeError:
                pass  # The process has already ended; its stderr is reported below.
            for line in process.stdout:
                outcome = Outcome(**json.loads(line))
                del missing[outcome.block]
                yield outcome
            code = process.wait()
        finally:
            watchdog.cancel()
            if process.poll() is None:
                process.kill()
                process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()[-15:]
    for block in missing.values():
        reason = "\n".join([f"the process ended with {code} before this block", *said])
        # Once is enough.
        said = []
        yield Outcome(place.document, block.number, block.first, block.last, False, reason=reason)
    if code != 0 and not missing:
        # All blocks ran, but the process ended with an error.
        last = blocks[-1]
        reason = "\n".join([f"the process ended with {code} after the last block", *said])
        yield Outcome(place.document, last.number, last.first, last.last, False, reason=reason)
