"""Runs a program that prints its address on standard output, and stops it."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from surroundings import ROOT

STOP_SECONDS = 10.0


class NotReached(Exception):
    """The program ended, or did not print its address in time."""


@contextmanager
def announced(
    command: Sequence[str], environment: Mapping[str, str], *, log: Path, says: str, seconds: float
) -> Iterator[str]:
    """Runs the program and yields the text after `says` in its output."""
    with log.open("wb") as errors:
        # Its own session, so Ctrl-C in the terminal reaches only the harness.
        process = subprocess.Popen(
            command,
            env=dict(environment),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
    try:
        yield _address(process, command, log, says, seconds)
    finally:
        _stop(process)


def _address(
    process: subprocess.Popen[str], command: Sequence[str], log: Path, says: str, seconds: float
) -> str:
    # A read has no timeout, but it returns when the program ends.
    watchdog = threading.Timer(seconds, process.kill)
    watchdog.start()
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(says):
                return line.removeprefix(says).strip()
        code = process.wait()
    finally:
        watchdog.cancel()
    said = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
    what = f"`{' '.join(command)}` ended with {code} and did not print `{says.strip()}` within {seconds:g} s"
    raise NotReached(f"{what}\n{said}")


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is not None:
        return
    # Signal the whole group: the program may have started others.
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
