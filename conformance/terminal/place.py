"""The test environment: a server with one project, terminals, and queries."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from database import ask_database
from server import Server
from terminal.pane import PATIENCE_SECONDS, PAUSE_SECONDS, Pane

PROJECT = "reviewed"
# Longer than the 250 ms for which a run must be on the screen before verdict keys work.
GUARD_SECONDS = 0.6


@dataclass
class Place:
    """Everything that a scenario needs."""

    binary: Path
    tmux: Path
    psql: Path
    database_url: str
    server: Server
    key: str
    folder: Path
    inherited: Mapping[str, str]
    checks: list[str] = field(default_factory=list)

    def check(self, is_so: bool, what: str) -> None:
        """Counts a passed check; ends the run at a failed one."""
        assert is_so, what
        self.checks.append(what)
        print(f"ok {what}", flush=True)

    def environment(self, state: str = "state") -> dict[str, str]:
        """The environment of terminals and commands."""
        return {
            **self.inherited,
            "REFLECT_BASE_URL": self.server.base_url,
            "REFLECT_API_KEY": self.key,
            "REFLECT_PROJECT_ID": PROJECT,
            "REFLECT_STATE_FOLDER": str(self.folder / state),
            "LANG": "C.UTF-8",
            "LC_ALL": "C.UTF-8",
            "NO_PROXY": "*",
        }

    def pane(self, **extra: str) -> Pane:
        """A shell in a terminal."""
        return Pane(self.tmux, {**self.environment(), **extra})

    def review(self, pane: Pane, *arguments: str) -> None:
        """Starts the review at the shell of a pane."""
        pane.wait_for("shell>")
        pane.run(f"clear; {self.binary} review --order oldest {' '.join(arguments)}")

    def verdict(self, pane: Pane, task: str, keys: str) -> None:
        """Presses keys on a run that has been on the screen long enough."""
        pane.stays(task, GUARD_SECONDS)
        pane.type(keys)

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Calls the API of the project; fails on an error."""
        connection = http.client.HTTPConnection(self.server.base_url.removeprefix("http://"), timeout=60)
        headers = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, f"/v1/projects/{PROJECT}{path}", sent, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        assert 200 <= answer.status < 300, f"{method} {path} answered {answer.status}: {text[:300]}"
        return json.loads(text)

    def run(self, task: str, answer: str = "done", **more: Any) -> str:
        """Stores a run and returns its id."""
        trajectory = [{"role": "user", "content": task}, {"role": "assistant", "content": answer}]
        body = {"task": task, "trajectory": trajectory, **more}
        return str(self.call("POST", "/traces", body)["trace_id"])

    def of(self, trace: str) -> tuple[str, str] | None:
        """The current review of a run on the server: result and feedback."""
        review = self.call("GET", f"/traces/{trace}")["review"]
        return None if review is None else (review["result"], review["feedback_text"] or "")

    def wait_of(self, trace: str, wanted: tuple[str, str] | None) -> None:
        """Waits until the server has this review."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while (found := self.of(trace)) != wanted:
            assert time.monotonic() < deadline, f"{trace} has {found}, not {wanted}"
            time.sleep(PAUSE_SECONDS)

    def wait_file(self, file: Path) -> None:
        """Waits until a program in a pane has created this file."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not file.exists():
            assert time.monotonic() < deadline, f"{file.name} was not created"
            time.sleep(PAUSE_SECONDS)

    def reviews_ever(self, trace: str) -> int:
        """How many reviews of a run were ever stored."""
        statement = f"select count(*) from review where trace_id = '{trace}'"
        return int(ask_database(self.psql, self.database_url, statement, self.inherited))

    def clear(self) -> None:
        """Reviews all pending runs: a scenario starts with an empty queue."""
        while rows := self.call("GET", "/traces?review_status=pending"):
            waiting = [row["id"] for row in rows if row["review"] is None]
            if not waiting:
                return
            reviews = [{"trace_id": trace, "result": "pass"} for trace in waiting]
            self.call("POST", "/reviews/batch", {"reviews": reviews})

    def command(self, *arguments: str, given: str | None = None) -> subprocess.CompletedProcess[str]:
        """A command without a terminal."""
        return subprocess.run(
            [str(self.binary), *arguments],
            env=self.environment("beside"),
            input=given or "",
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )


def reviewing_process(pane: Pane) -> int:
    """The process of the review in a pane: the child of its shell."""
    shell = int(pane.fact("pane_pid"))
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        if children:
            return int(children[0])
        assert time.monotonic() < deadline, "the review does not run"
        time.sleep(PAUSE_SECONDS)


def kill(process: int) -> None:
    """Kills a process and waits until it has ended."""
    os.kill(process, signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while Path(f"/proc/{process}").exists():
        state = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[-1].split()[0]
        if state == "Z":
            return
        assert time.monotonic() < deadline, f"{process} does not end"
        time.sleep(PAUSE_SECONDS)
