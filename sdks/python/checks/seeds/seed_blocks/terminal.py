"""Runs a program in a terminal and answers its questions."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class NotAnswered(Exception):
    """The program did not print an expected question, or did not end."""


@dataclass(frozen=True)
class Session:
    """The exit code of a program, and its terminal output."""

    code: int
    screen: str


def converse(
    command: Sequence[str],
    environment: Mapping[str, str],
    folder: Path,
    answers: Sequence[tuple[str, str]],
    seconds: float,
) -> Session:
    """Waits for each question and types its answer; then waits for the end."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        command,
        env=dict(environment),
        cwd=folder,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    screen = _Screen(ours, time.monotonic() + seconds)
    try:
        for question, answer in answers:
            if not screen.shows(question):
                raise NotAnswered(f"it never asked {question!r} within {seconds:g} s:\n{screen.text}")
            os.write(ours, f"{answer}\n".encode())
        if not screen.ends():
            raise NotAnswered(f"it did not end within {seconds:g} s:\n{screen.text}")
        return Session(process.wait(), screen.text)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(ours)


class _Screen:
    """The output so far."""

    def __init__(self, terminal: int, deadline: float) -> None:
        self._terminal = terminal
        self._deadline = deadline
        self._seen = 0
        self._written = b""

    @property
    def text(self) -> str:
        return self._written.decode(errors="replace").replace("\r\n", "\n")

    def shows(self, words: str) -> bool:
        """Reads until the words appear after the previous match."""
        while words not in self.text[self._seen :]:
            if not self._read():
                return False
        self._seen = self.text.index(words, self._seen) + len(words)
        return True

    def ends(self) -> bool:
        """Reads until the program has closed the terminal."""
        while self._read():
            pass
        return time.monotonic() < self._deadline

    def _read(self) -> bool:
        left = max(0.0, self._deadline - time.monotonic())
        if not select.select([self._terminal], [], [], left)[0]:
            return False
        try:
            part = os.read(self._terminal, 65536)
        except OSError:
            # Linux reports EIO when the last program has closed the terminal.
            return False
        self._written += part
        return bool(part)
