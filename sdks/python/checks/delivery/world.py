"""The environment of the scenarios: the real server, a fresh database, the spool, and the test processes."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from accounting import Produced, read_run_log
from database import fresh_database
from server import Server
from surroundings import OWN_SOURCES, Surroundings

PROGRAMS = Path(__file__).resolve().parent / "programs"
# Far above the usual time; only a process that hangs reaches it.
PATIENCE = 120.0

sys.path.insert(0, str(OWN_SOURCES))

from reflect_sdk._delivery.folder import waiting_records  # noqa: E402


class Broken(Exception):
    """A test process failed, so the runs cannot be counted."""


class World:
    """The environment of the scenarios."""

    def __init__(
        self, found: Surroundings, python: Path, folder: Path, server: Server, key: str, database_url: str
    ) -> None:
        self._found = found
        self.python = python
        self.folder = folder
        self.server = server
        self.key = key
        self._database_url = database_url
        self.spool = folder / "spool"
        self._started: list[subprocess.Popen[str]] = []

    def order(self, project: str, **more: object) -> dict[str, object]:
        """The settings of a test program."""
        return {
            "base_url": self.server.base_url,
            "api_key": self.key,
            "project": project,
            "spool": str(self.spool),
            "run_log": str(self.run_log_path(project)),
            **more,
        }

    def run_log_path(self, project: str) -> Path:
        """The run log of a project."""
        return self.folder / f"{project}.runs"

    def start(
        self,
        program: str,
        order: Mapping[str, object],
        environment: Mapping[str, str] | None = None,
        command: list[str] | None = None,
    ) -> subprocess.Popen[str]:
        """Starts a program or a command with its settings in the environment."""
        own = self._found.own_client_environment(self._empty(), self.spool)
        own["PYTHONPATH"] = f"{own['PYTHONPATH']}:{PROGRAMS}"
        process = subprocess.Popen(
            command or [str(self.python), str(PROGRAMS / f"{program}.py")],
            env={**own, "ORDER": json.dumps(order), **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=(self.folder / f"{order['project']}.log").open("ab"),
            text=True,
        )
        self._started.append(process)
        return process

    def _empty(self) -> Path:
        empty = self.folder / "no-certificates"
        empty.mkdir(exist_ok=True)
        return empty

    def replay(self, project: str) -> str:
        """Starts a later process that sends the remaining runs."""
        process = self.start("replay", self.order(project))
        out, _ = process.communicate(timeout=PATIENCE)
        if process.returncode != 0:
            raise Broken(f"the replaying process ended with {process.returncode}\n{self.log_of(project)}")
        return out.strip()

    def produced(self, project: str) -> Produced:
        """The entries of the run log so far."""
        return read_run_log(self.run_log_path(project))

    def stored(self, project: str) -> Counter[str]:
        """How often each run is stored, from the server's database."""
        query = (
            "select coalesce(metadata->>'marker', task), count(*) from trace join project using (project_id) "
            f"where slug = '{project}' group by 1"
        )
        command = [str(self._found.psql), "-X", "-q", "-w", "-A", "-t", "-F", " ", "-c", query, self._database_url]
        done = subprocess.run(
            command, env=dict(self._found.inherited), capture_output=True, text=True, timeout=60, check=False
        )
        if done.returncode != 0:
            raise Broken(f"the database query failed: {done.stderr.strip()}")
        rows = [line.rsplit(" ", 1) for line in done.stdout.splitlines() if line]
        return Counter({marker: int(count) for marker, count in rows})

    def spooled(self, spool: Path | None = None) -> frozenset[str]:
        """The markers of all runs in the spool."""
        found: set[str] = set()
        for path in (spool or self.spool).glob("*/*.seg"):
            data = path.read_bytes()
            for record in waiting_records(data)[0]:
                body = data[record.body_at : record.offset + record.length]
                found.update(re.findall(r'"marker": ?"([0-9a-f]{24})"', body.decode()))
        return frozenset(found)

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


@contextmanager
def world(found: Surroundings, python: Path, folder: Path) -> Iterator[World]:
    """Starts the server on a fresh database, and stops it again."""
    with fresh_database(found.psql, found.database_server, found.inherited) as database_url:
        # Without models: the server builds lessons from the feedback, and searches by keywords.
        environment = {**found.inherited, "REFLECT_DATABASE_URL": database_url}
        server = Server(found.binary, environment, folder / "server.log")
        with server:
            made = World(found, python, folder, server, server.master_key(), database_url)
            try:
                yield made
            finally:
                made.end()
