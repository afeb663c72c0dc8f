"""A test user with an empty home and a minimal environment.

Postgres does not run as root. If this process is root, the test user is an unprivileged system user.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class User:
    """The home folder, the environment with the package, and the settings that the user exports."""

    home: Path
    venv: Path
    settings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def create(cls, home: Path, venv: Path, settings: Mapping[str, str] | None = None) -> User:
        """Creates a user with an empty home."""
        home.mkdir()
        if os.geteuid() == 0:
            account = pwd.getpwnam("nobody")
            os.chown(home, account.pw_uid, account.pw_gid)
        return cls(home, venv, settings or {})

    def environment(self) -> dict[str, str]:
        """The complete environment: no other settings, no provider keys, no path to the repository."""
        path = f"{self.venv / 'bin'}:/usr/local/bin:/usr/bin:/bin"
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", **self.settings}

    def start(self, *words: str, **options: Any) -> subprocess.Popen[str]:
        """Starts a program in its own session, which can be interrupted as a process group."""
        who: dict[str, Any] = {}
        if os.geteuid() == 0:
            account = pwd.getpwnam("nobody")
            who = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
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

    def run_python(self, program: str, exports: dict[str, str], name: str) -> str:
        """Runs a program with the package's client and returns its output."""
        # As the current user, because the interpreter may be in a folder that the test user cannot read. It
        # gets its own home for the spool.
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
