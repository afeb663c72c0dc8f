"""Runs a program that says on its standard output where it can be reached, and ends it."""

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
    """The program ended, or did not say in time where it is."""


@contextmanager
def announced(
    command: Sequence[str], environment: Mapping[str, str], *, log: Path, says: str, seconds: float
) -> Iterator[str]:
    """What follows the words `says` in the program's output, for as long as the program is needed."""
    with log.open("wb") as errors:
        # Its own session, so that an interrupt at the terminal reaches the harness alone.
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
    # Reading cannot be given a time limit, but the end of the program ends it.
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
    what = f"`{' '.join(command)}` ended with {code} and did not say `{says.strip()}` within {seconds:g} s"
    raise NotReached(f"{what}\n{said}")


def _stop(process: subprocess.Popen[str]) -> None:
    if process.poll() is not None:
        return
    # The group, which is the program's own: it may have started others.
    os.killpg(process.pid, signal.SIGTERM)
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
