"""Runs some items inside the virtual environment of one client, in a process of its own.

Two versions of one package cannot live in one interpreter, and a case that hangs or crashes must
not take the harness with it.
"""

from __future__ import annotations

import json
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from report import Result

WORKER = Path(__file__).with_name("worker.py")

# Far above what a healthy run needs; only a hanging case ever meets it.
STAGE_SECONDS = 600.0


@dataclass(frozen=True)
class Stage:
    """Items that run together, through one version of the client."""

    version: str
    items: tuple[int, ...]
    # What the worker is told beside the version.
    arguments: tuple[str, ...] = ()


def run_stage(
    stage: Stage, python: Path, setting: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[Result]:
    """The result of every item of the stage, as each comes in."""
    missing = list(stage.items)
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [str(python), str(WORKER), "--version", stage.version, *stage.arguments],
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
                    json.dump({"items": stage.items, "setting": dict(setting)}, stdin)
            except BrokenPipeError:
                pass  # The worker is gone already; what it wrote to stderr is reported below.
            for line in process.stdout:
                result = Result(**json.loads(line))
                missing.remove(result.item)
                yield result
            code = process.wait()
        finally:
            watchdog.cancel()
            if process.poll() is None:
                process.kill()
                process.wait()
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip().splitlines()[-15:]
    for item in missing:
        reason = "\n".join([f"the worker for {stage.version} ended with {code} before this item", *said])
        yield Result(item, "did not run", False, reason)
