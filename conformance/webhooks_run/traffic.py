"""Requests that cause events, sent to servers that are killed."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from server import Server

PROJECT = "webhooks"
GIVE_UP_SECONDS = 60.0
# What happens to each memory, and the types of its events, in their order.
STEPS = ("quarantine", "release", "quarantine")
EXPECTED_TYPES = ("memory.created", "memory.quarantined", "memory.quarantined")


class NoServer(Exception):
    """No server answered a request in time."""


class Client:
    """Sends each request until one of the servers has acknowledged it."""

    def __init__(self, servers: Sequence[Server], key: str) -> None:
        self._servers = servers
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: dict[str, Any], once: str | None = None) -> Any:
        """The answer to a request. `once` is its idempotency key."""
        headers = self._headers | ({"Idempotency-Key": once} if once else {})
        deadline, problem = time.monotonic() + GIVE_UP_SECONDS, "no attempt"
        while time.monotonic() < deadline:
            server = random.choice(self._servers)
            try:
                status, text = _send(server, method, f"/v1/projects/{PROJECT}{path}", body, headers)
            except (OSError, http.client.HTTPException) as error:
                problem = repr(error)
                time.sleep(0.02)
                continue
            if 200 <= status < 300:
                return json.loads(text) if text else None
            if status < 500:
                raise AssertionError(f"{method} {path} answered {status}: {text[:300]}")
            problem = f"status {status}"
            time.sleep(0.02)
        raise NoServer(f"{method} {path}: {problem}")


def _send(
    server: Server, method: str, path: str, body: dict[str, Any], headers: dict[str, str]
) -> tuple[int, str]:
    address = server.base_url.removeprefix("http://")
    connection = http.client.HTTPConnection(address, timeout=20)
    try:
        connection.request(method, path, json.dumps(body), headers)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@dataclass
class CausedEvents:
    """The memories of which every change was acknowledged."""

    memories: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)


def cause_events(client: Client, caused: CausedEvents, memories: int, writers: int, seconds: float) -> None:
    """Writes memories, and puts each into quarantine, out of it, and into it again.

    Takes `seconds` at least, so that there is time for faults.
    """
    waiting = iter(range(memories))
    pause = seconds * writers / (memories * (1 + len(STEPS)))

    def work() -> None:
        while True:
            with caused.lock:
                if caused.problems or next(waiting, None) is None:
                    return
            try:
                memory = _change_memory(client, pause)
            except (AssertionError, NoServer) as problem:
                with caused.lock:
                    caused.problems.append(str(problem))
                return
            with caused.lock:
                caused.memories.append(memory)

    threads = [threading.Thread(target=work) for _ in range(writers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _change_memory(client: Client, pause: float) -> str:
    name = uuid.uuid4().hex
    lesson = {"task": f"task {name}", "summary": f"Lesson {name}."}
    written = client.call("POST", "/memories", lesson, once=name)
    memory = str(written["memory"]["id"])
    for step in STEPS:
        time.sleep(pause)
        # Each is repeated until it is acknowledged. A repetition changes nothing, so it causes no event.
        client.call("POST", f"/memories/{memory}/{step}", {})
    time.sleep(pause)
    return memory


class Killer:
    """Kills the servers one after the other, and starts each again."""

    def __init__(self, servers: Sequence[Server], every: float) -> None:
        self._servers = servers
        self._every = every
        self._stopped = threading.Event()
        self.kills = 0
        self.problem: Exception | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def stop(self) -> None:
        """Ends the kills; all servers run afterwards."""
        self._stopped.set()
        self._thread.join()
        if self.problem is not None:
            raise self.problem

    def _run(self) -> None:
        while True:
            for server in self._servers:
                if self._stopped.wait(self._every):
                    return
                try:
                    server.kill()
                    self.kills += 1
                    server.start()
                except Exception as problem:
                    self.problem = problem
                    return
