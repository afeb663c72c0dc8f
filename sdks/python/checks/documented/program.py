"""Runs one example and keeps its output."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from documented.environment import Environment, Project

# Far above the usual time; only a program that hangs reaches it.
PROGRAM_SECONDS = 300.0


@dataclass(frozen=True)
class Done:
    """The result of a program."""

    code: int
    out: str
    errors: str
    seconds: float

    def lines(self, pattern: str) -> list[re.Match[str]]:
        """All lines of its output that match."""
        return [match for line in self.out.splitlines() if (match := re.fullmatch(pattern, line.rstrip()))]

    @property
    def warnings(self) -> list[str]:
        """Its stderr."""
        return [line for line in self.errors.splitlines() if line]

    def line(self, pattern: str) -> re.Match[str]:
        """The only line that matches."""
        found = self.lines(pattern)
        assert len(found) == 1, f"{len(found)} lines of its output look like `{pattern}`"
        return found[0]


class Program:
    """One example, and its collected output."""

    def __init__(self, environment: Environment, path: Path) -> None:
        self.environment = environment
        self._path = path
        self.written = ""

    def run(self, variables: Mapping[str, str], words: Sequence[str] = (), typed: str = "", *, code: int = 0) -> Done:
        """Runs it with `typed` as its input, and checks its exit code."""
        began = time.monotonic()
        done = subprocess.run(
            [str(self.environment.python), str(self._path), *words],
            env={**self.environment.variables, **variables},
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
        """Runs it in a new project; by default it must not write to stderr."""
        project = self.environment.project(name)
        done = self.run(project.environment())
        assert not quiet or not done.warnings, "it wrote to stderr"
        return project, done
