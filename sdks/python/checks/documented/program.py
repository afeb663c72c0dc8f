"""Runs one program, as a user would, and keeps what it wrote."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from documented.stage import Project, Stage

# Far above what a program needs; only a hanging one ever meets it.
PROGRAM_SECONDS = 300.0


@dataclass(frozen=True)
class Done:
    """How a program ended."""

    code: int
    out: str
    errors: str
    seconds: float

    def lines(self, pattern: str) -> list[re.Match[str]]:
        """All lines of its output that have this form."""
        return [match for line in self.out.splitlines() if (match := re.fullmatch(pattern, line.rstrip()))]

    @property
    def warnings(self) -> list[str]:
        """What it wrote to stderr."""
        return [line for line in self.errors.splitlines() if line]

    def line(self, pattern: str) -> re.Match[str]:
        """The one line that has it."""
        found = self.lines(pattern)
        assert len(found) == 1, f"{len(found)} lines of its output look like `{pattern}`"
        return found[0]


class Program:
    """One example, and everything that it wrote when it was run."""

    def __init__(self, stage: Stage, path: Path) -> None:
        self.stage = stage
        self._path = path
        self.written = ""

    def run(self, variables: Mapping[str, str], words: Sequence[str] = (), typed: str = "", *, code: int = 0) -> Done:
        """Runs it; `typed` is what somebody at the keyboard answers. It must end with that code."""
        began = time.monotonic()
        done = subprocess.run(
            [str(self.stage.python), str(self._path), *words],
            env={**self.stage.environment, **variables},
            input=typed,
            capture_output=True,
            text=True,
            timeout=PROGRAM_SECONDS,
            check=False,
        )
        self.written += f"--- output\n{done.stdout}--- errors\n{done.stderr}"
        assert done.returncode == code, f"it ended with {done.returncode}"
        assert "Traceback" not in done.stderr, "it wrote a traceback"
        return Done(done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def alone(self, name: str, *, quiet: bool = True) -> tuple[Project, Done]:
        """Runs it in a new project; unless told otherwise, it must not warn of anything."""
        project = self.stage.project(name)
        done = self.run(project.environment())
        assert not quiet or not done.warnings, "it wrote to stderr"
        return project, done
