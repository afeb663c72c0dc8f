"""The test environment: a server, a home folder for each scenario, and calls of hooks."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from project_api import ProjectApi
from server import Server

PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.05
PROJECT = "coding"
LESSON = "Read the fixture of the test before you change the code."
TASK = "Make the failing test pass"


class Broken(Exception):
    """A check failed."""


@dataclass
class Place:
    """Everything that a scenario needs."""

    binary: Path
    server: Server
    key: str
    folder: Path
    inherited: Mapping[str, str]
    passed: int = 0
    homes: int = 0
    notes: list[str] = field(default_factory=list)

    def check(self, good: bool, what: str, seen: object = "") -> None:
        """Counts a check that passed; ends the run at one that failed."""
        if not good:
            raise Broken(f"{what}\n{seen}")
        self.passed += 1
        print(f"  ok  {what}", flush=True)

    def api(self, project: str = PROJECT) -> ProjectApi:
        """The API of a project."""
        return ProjectApi(self.server.base_url, self.key, project)

    def user(self, project: str = PROJECT) -> User:
        """A new user with an empty home, and a repository in it."""
        self.homes += 1
        user = User(self, self.folder / f"home-{self.homes}", project)
        user.repository.mkdir(parents=True)
        git = ["git", "-C", str(user.repository)]
        identity = ["-c", "user.name=Ana", "-c", "user.email=ana@example.com"]
        for command in (
            [*git, "init", "--quiet", "--initial-branch", "main"],
            [*git, "remote", "add", "origin", "https://ana:secret@git.example/shop/till.git"],
            [*git, *identity, "commit", "--quiet", "--allow-empty", "--message", "begin"],
        ):
            # The commit is older than the runs.
            environment = user.environment(GIT_COMMITTER_DATE="2026-01-01T00:00:00Z")
            subprocess.run(command, env=environment, check=True, capture_output=True)
        return user

    def traces(self, count: int, project: str = PROJECT) -> list[dict[str, Any]]:
        """The runs of a project, newest first, as soon as there are so many."""
        api = self.api(project)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(rows := api.call("GET", "/traces")) < count:
            if time.monotonic() > deadline:
                raise Broken(f"{len(rows)} of {count} runs after {PATIENCE_SECONDS:g} s")
            time.sleep(PAUSE_SECONDS)
        return list(rows)


@dataclass
class User:
    """A person with a home folder, who uses a coding agent."""

    place: Place
    home: Path
    project: str

    @property
    def repository(self) -> Path:
        """Where the agent works."""
        return self.home / "till"

    def environment(self, **more: str) -> dict[str, str]:
        """The environment of the agent and of its hooks."""
        path = f"{self.place.binary.parent}{os.pathsep}{self.place.inherited.get('PATH', os.defpath)}"
        return {
            **self.place.inherited,
            "PATH": path,
            "HOME": str(self.home),
            "REFLECT_BASE_URL": self.place.server.base_url,
            "REFLECT_API_KEY": self.place.key,
            "REFLECT_PROJECT_ID": self.project,
            "NO_PROXY": "*",
            **more,
        }

    def reflect(self, *arguments: str) -> str:
        """The output of a command that must succeed."""
        done = subprocess.run(
            [str(self.place.binary), *arguments],
            env=self.environment(),
            cwd=self.repository,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        if done.returncode != 0:
            raise Broken(f"`reflect {' '.join(arguments)}` ended with {done.returncode}: {done.stderr}")
        return done.stdout

    def hook(self, agent: str, event: dict[str, Any], *flags: str) -> subprocess.CompletedProcess[str]:
        """Calls a hook as its agent does: in a shell, with the event on stdin."""
        return subprocess.run(
            " ".join(["reflect", "hook", agent, *flags]),
            shell=True,
            input=json.dumps(event),
            env=self.environment(),
            cwd=self.repository,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )

    def spooled(self) -> int:
        """How many runs wait on this machine."""
        items = json.loads(self.reflect("spool", "status", "--json"))["items"]
        return sum(item["runs"] for item in items)

    def wait_recorded(self) -> None:
        """Waits until every event is handled, and every run is sent."""
        state = self.home / ".local/state/reflect"
        deadline = time.monotonic() + PATIENCE_SECONDS
        while left := [
            *state.rglob("stopped-*"),
            *state.rglob("*.run"),
            *state.glob("hooks/outcomes/*/*.json"),
        ]:
            if time.monotonic() > deadline:
                raise Broken(f"not handled after {PATIENCE_SECONDS:g} s: {left}")
            time.sleep(PAUSE_SECONDS / 5)
