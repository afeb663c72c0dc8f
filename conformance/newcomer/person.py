"""Somebody who uses the package: a home of their own, and nothing in their environment but that and a path.

Postgres does not run as root. Where this program is root, the person is `nobody`.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Person:
    """Where they live, and where the package is installed."""

    home: Path
    venv: Path

    @classmethod
    def moves_in(cls, home: Path, venv: Path) -> Person:
        """A person with an empty home."""
        home.mkdir()
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            os.chown(home, nobody.pw_uid, nobody.pw_gid)
        return cls(home, venv)

    def environment(self) -> dict[str, str]:
        """All of it: no settings of Reflect, no keys of providers, no way to the repository."""
        path = f"{self.venv / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8"}

    def starts(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """A program of theirs in the foreground of a terminal, which can be interrupted as a group."""
        who: dict[str, Any] = {}
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            who = {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}
        return subprocess.Popen(
            [str(self.venv / "bin" / words[0]), *words[1:]],
            env=self.environment(),
            cwd=self.home,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            **who,
            **options,
        )

    def runs_python(self, program: str, exports: dict[str, str], name: str) -> str:
        """What a program of theirs prints that uses the client that came with the package."""
        # Not as `nobody`: the interpreter of this machine may lie in a folder that is closed to others. So it
        # has a home of its own to keep unsent runs in.
        home = self.home.with_name(f"{self.home.name}-programs")
        home.mkdir(exist_ok=True)
        done = subprocess.run(
            [self.venv / "bin" / "python", "-I", "-c", program],
            env={**self.environment(), "HOME": str(home), **exports},
            cwd=home,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise AssertionError(f"{name} ended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout
