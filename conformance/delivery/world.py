"""The environment of the scenarios: the real server, a fresh database, the spool, and the test programs."""

from __future__ import annotations

import json
import subprocess
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from database import fresh_database
from delivery.accounting import Produced, read_run_log
from server import Server
from surroundings import Surroundings

# Far above the usual time; only a process that hangs reaches it.
PATIENCE = 150.0


class Broken(Exception):
    """A test program failed, so the runs cannot be counted."""


class World(ABC):
    """The environment of the scenarios. What depends on the SDK is in a subclass."""

    big_runs: ClassVar[Mapping[str, Any]]
    """The order of a burst with more than the spool of a full disk and the memory of the client can hold."""

    def __init__(self, found: Surroundings, folder: Path, server: Server, database_url: str) -> None:
        self.found = found
        self.folder = folder
        self.server = server
        self.spool = folder / "spool"
        self._key = server.master_key()
        self._database_url = database_url
        self._started: list[subprocess.Popen[str]] = []

    @abstractmethod
    def command(self, program: str) -> list[str]:
        """The command that runs a test program."""

    @abstractmethod
    def environment(self) -> Mapping[str, str]:
        """The environment of the test programs."""

    @abstractmethod
    def spooled(self, spool: Path | None = None) -> frozenset[str]:
        """The markers of all runs in the spool."""

    def order(self, project: str, **more: object) -> dict[str, object]:
        """The settings of a test program."""
        return {
            "base_url": self.server.base_url,
            "api_key": self._key,
            "project": project,
            "spool": str(self.spool),
            "run_log": str(self._run_log(project)),
            **more,
        }

    def start(
        self, program: str, order: Mapping[str, object], command: list[str] | None = None
    ) -> subprocess.Popen[str]:
        """Starts a program, or a command that loads it, with its settings in the environment."""
        with (self.folder / f"{order['project']}.log").open("ab") as log:
            process = subprocess.Popen(
                command or self.command(program),
                env={**self.environment(), "ORDER": json.dumps(order)},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        self._started.append(process)
        return process

    def replay(self, project: str) -> str:
        """Starts a later process that sends the remaining runs."""
        return self.finished(self.start("replay", self.order(project)), project)

    def produced(self, project: str) -> Produced:
        """The entries of the run log so far."""
        return read_run_log(self._run_log(project))

    def stored(self, project: str) -> Counter[str]:
        """How often each run is stored, from the server's database."""
        query = (
            "select coalesce(metadata->>'marker', task), count(*) from trace join project using (project_id) "
            f"where slug = '{project}' group by 1"
        )
        quiet = ["-X", "-q", "-w", "-A", "-t", "-F", " "]
        command = [str(self.found.psql), *quiet, "-c", query, self._database_url]
        done = subprocess.run(
            command, env=dict(self.found.inherited), capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != 0:
            raise Broken(f"the database query failed: {done.stderr.strip()}")
        rows = [line.rsplit(" ", 1) for line in done.stdout.splitlines() if line]
        return Counter({marker: int(count) for marker, count in rows})

    def wait_for(self, what: str, condition: Callable[[], bool]) -> None:
        """Waits until a condition is true."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > deadline:
                raise Broken(f"timeout after {PATIENCE:.0f} s: {what}")
            time.sleep(0.02)

    def heard(self, process: subprocess.Popen[str], word: str) -> None:
        """Waits until a program prints this word."""
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if line != word:
            raise Broken(f"expected {word!r} from a program, got {line!r}")

    def say(self, process: subprocess.Popen[str], word: str) -> None:
        """Sends a word to a program."""
        assert process.stdin is not None
        process.stdin.write(word + "\n")
        process.stdin.flush()

    def finished(self, process: subprocess.Popen[str], project: str, status: int = 0) -> str:
        """Waits for the end of a program; returns its last line."""
        try:
            out, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Broken(f"a program of {project} did not end\n{self.log_of(project)}") from None
        if process.returncode != status:
            raise Broken(f"a program of {project} ended with {process.returncode}\n{self.log_of(project)}")
        return out.strip()

    def log_of(self, project: str) -> str:
        """The end of the log of a project's programs."""
        path = self.folder / f"{project}.log"
        return path.read_text(encoding="utf-8", errors="replace")[-3000:] if path.exists() else ""

    def end(self) -> None:
        """Kills the remaining programs."""
        for process in self._started:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def _run_log(self, project: str) -> Path:
        return self.folder / f"{project}.runs"


MadeWorld = TypeVar("MadeWorld", bound=World)


@contextmanager
def started(
    make: Callable[[Surroundings, Path, Server, str], MadeWorld], found: Surroundings, folder: Path
) -> Iterator[MadeWorld]:
    """Starts the server on a fresh database, and stops it again."""
    with fresh_database(found.psql, found.database_server, found.inherited) as database_url:
        # Without models: the server builds lessons from the feedback, and searches by keywords.
        environment = {**found.inherited, "REFLECT_DATABASE_URL": database_url}
        with Server(found.binary, environment, folder / "server.log") as server:
            made = make(found, folder, server, database_url)
            try:
                yield made
            finally:
                made.end()
