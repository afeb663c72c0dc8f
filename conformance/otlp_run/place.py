"""The programs that send spans, and the server that receives them."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from database import ask_database, fresh_database
from project_api import ProjectApi
from server import Server
from surroundings import Missing, Surroundings

HERE = Path(__file__).resolve().parent
SENDER_SECONDS = 300.0


@dataclass(frozen=True)
class Senders:
    """The OpenTelemetry programs that `cargo xtask setup --ci` installs."""

    python: Path
    node: Path
    modules: Path

    @classmethod
    def find(cls, cache: Path) -> Senders:
        """Raises `Missing` if they are not installed."""
        folder = cache / "otlp-senders" / "1"
        senders = cls(folder / "bin" / "python", folder / "node", folder / "node_modules")
        for part in (senders.python, senders.node, senders.modules):
            if not part.exists():
                raise Missing(f"no {part}: `cargo xtask setup --ci` installs it")
        return senders


@dataclass(frozen=True)
class Place:
    """A running server with its database."""

    found: Surroundings
    senders: Senders
    folder: Path
    server: Server
    key: str
    database: str

    def project(self, name: str, **otlp: float) -> ProjectApi:
        """A project whose runs end as `otlp` says."""
        project = ProjectApi(self.server.base_url, self.key, name)
        if otlp:
            project.call("PATCH", "", {"otlp": otlp})
        return project

    def query(self, statement: str) -> str:
        """The rows of a statement."""
        return ask_database(self.found.psql, self.database, statement, self.found.inherited)

    def exporter(self, project: str) -> dict[str, str]:
        """The standard variables of an exporter, which are its whole configuration."""
        headers = f"authorization=Bearer%20{self.key},x-project-id={project}"
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": f"{self.server.base_url}/otlp",
            "OTEL_EXPORTER_OTLP_HEADERS": headers,
        }

    def python_agent(self, program: str, arguments: list[str], project: str, text: str = "") -> Any:
        """Runs a Python program that sends spans; returns what it prints."""
        environment = {
            **self.found.own_client_environment(self.folder, self.folder / "spool"),
            **self.exporter(project),
            "REFLECT_BASE_URL": self.server.base_url,
            "REFLECT_API_KEY": self.key,
            "REFLECT_PROJECT_ID": "recorded",
        }
        return _printed([str(self.senders.python), str(HERE / program), *arguments], environment, text)

    def node_agent(self, arguments: list[str], project: str) -> Any:
        """Runs the Node agent; returns what it prints."""
        # Node looks for modules beside the program.
        program, modules = self.folder / "agent.mjs", self.folder / "node_modules"
        if not program.exists():
            shutil.copy(HERE / "agent.mjs", program)
            modules.symlink_to(self.senders.modules)
        environment = {**self.found.inherited, **self.exporter(project)}
        return _printed([str(self.senders.node), str(program), *arguments], environment)


def _printed(command: list[str], environment: Mapping[str, str], text: str = "") -> Any:
    done = subprocess.run(
        command,
        env=dict(environment),
        input=text,
        capture_output=True,
        text=True,
        timeout=SENDER_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-3000:]}"
    return json.loads(done.stdout.splitlines()[-1])


@contextmanager
def serving(
    found: Surroundings,
    senders: Senders,
    folder: Path,
    name: str,
    settings: Mapping[str, str] | None = None,
) -> Iterator[Place]:
    """A server on a fresh database."""
    with fresh_database(found.psql, found.database_server, found.inherited) as database:
        environment = {
            **found.inherited,
            "REFLECT_DATABASE_URL": database,
            "REFLECT_EMBEDDER": "off",
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            "REFLECT_DRAIN_SECONDS": "5",
            **(settings or {}),
        }
        own = folder / name
        own.mkdir()
        with Server(found.binary, environment, own / "server.log") as server:
            yield Place(found, senders, own, server, server.master_key(), database)


def until(what: str, seconds: float, check: Any) -> Any:
    """Waits until `check` returns something true, and returns it."""
    deadline = time.monotonic() + seconds
    while not (answer := check()):
        assert time.monotonic() < deadline, f"{what} did not happen within {seconds:g} s"
        time.sleep(0.2)
    return answer


@contextmanager
def receiver(python: Path, environment: Mapping[str, str], output: Path) -> Iterator[str]:
    """The address of an OTLP receiver, which writes each span as a line of its output."""
    with output.open("wb") as written:
        process = subprocess.Popen(
            [str(python), str(HERE / "receiver.py")],
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=written,
            start_new_session=True,
        )
    try:
        says = "listening on "
        first = until("the receiver's address", 20, lambda: output.read_text(encoding="utf-8"))
        yield first.splitlines()[0].removeprefix(says)
    finally:
        process.terminate()
        process.wait(10)


def received(output: Path) -> list[dict[str, Any]]:
    """The spans that a receiver has written."""
    lines = output.read_text(encoding="utf-8").splitlines()[1:]
    return [json.loads(line) for line in lines]
