"""Runs items inside the virtual environment of one client, in a separate process.

One interpreter cannot load two versions of a package, and a case that hangs or crashes must
not stop the harness.
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

# Far above the usual time; only a case that hangs reaches it.
RUN_SECONDS = 600.0


@dataclass(frozen=True)
class ClientRun:
    """Items that run together with one version of the client."""

    version: str
    items: tuple[int, ...]
    # Further arguments of the worker.
    arguments: tuple[str, ...] = ()


def run_items(
    client_run: ClientRun, python: Path, setting: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[Result]:
    """Yields the result of every item as it arrives."""
    missing = list(client_run.items)
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            [str(python), str(WORKER), "--version", client_run.version, *client_run.arguments],
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        watchdog = threading.Timer(RUN_SECONDS, process.kill)
        watchdog.start()
        try:
            assert process.stdin is not None and process.stdout is not None
            try:
                with process.stdin as stdin:
                    json.dump({"items": client_run.items, "setting": dict(setting)}, stdin)
            except BrokenPipeError:
                pass  # The worker has already ended; its stderr is reported below.
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
        reason = "\n".join([f"the worker for {client_run.version} ended with {code} before this item", *said])
        yield Result(item, "did not run", False, reason)
