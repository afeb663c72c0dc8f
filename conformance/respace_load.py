"""The load during a migration: queries, and runs with reviews."""

from __future__ import annotations

import http.client
import json
import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

ASKERS_PER_SERVER = 1
# The pause between two queries of one client. The machine also embeds memories.
QUESTION_PAUSE = 0.02
RUN_PAUSE = 0.4
ANSWER_SECONDS = 30.0
# The server closes unused connections after a while, so a client does not use one that was unused for longer.
KEEP_SECONDS = 5.0

PLACES = (
    "kitchen",
    "garden",
    "library",
    "harbour",
    "workshop",
    "station",
    "museum",
    "school",
    "farm",
    "theatre",
)
THINGS = (
    "lamp",
    "boat",
    "printer",
    "fence",
    "piano",
    "oven",
    "bicycle",
    "window",
    "radio",
    "clock",
    "pump",
    "door",
)
DEEDS = ("repair", "paint", "move", "measure", "sell")
ADVICE = (
    "ask the owner for the manual",
    "switch the power off first",
    "write the serial number down",
    "wait until the glue is dry",
    "take a photograph of every step",
    "use the smaller screwdriver",
    "call the supplier before noon",
    "wear gloves and goggles",
    "keep the receipt for the tax office",
)


class CallFailed(Exception):
    """A call failed."""


class Client:
    """One connection to one server."""

    def __init__(self, base_url: str, key: str, project: str) -> None:
        self._address = urlsplit(base_url).netloc
        self._key = key
        self._root = f"/v1/projects/{project}"
        self._connection: http.client.HTTPConnection | None = None
        self._used = 0.0

    def call(self, method: str, path: str, body: object | None = None) -> tuple[int, dict[str, str], Any]:
        """Status, headers and body of a response with any status."""
        if self._connection is not None and time.monotonic() - self._used > KEEP_SECONDS:
            self._connection.close()
            self._connection = None
        if self._connection is None:
            self._connection = http.client.HTTPConnection(self._address, timeout=ANSWER_SECONDS)
        headers = {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"}
        sent = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, self._root + path, body=sent, headers=headers)
            answer = self._connection.getresponse()
            content = json.loads(answer.read() or b"null")
        except (OSError, http.client.HTTPException) as error:
            self._connection.close()
            self._connection = None
            raise CallFailed(f"{method} {path}: {error!r}") from error
        self._used = time.monotonic()
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content

    def do(self, method: str, path: str, body: object | None = None) -> Any:
        """The body of a successful response."""
        status, _, content = self.call(method, path, body)
        if not 200 <= status < 300:
            raise CallFailed(f"{method} {path}: {status} {content}")
        return content


def tasks(count: int) -> list[str]:
    """`count` different tasks."""
    everything = [
        f"{deed} the {thing} in the {place}" for deed in DEEDS for thing in THINGS for place in PLACES
    ]
    return random.Random(7).sample(everything, count)


def lesson(task: str, number: int) -> str:
    """A lesson that is long enough to take time to embed, and similar to its task."""
    chosen = random.Random(number).sample(ADVICE, 3)
    thing = next((thing for thing in THINGS if thing in task), "rest")
    return f"With a {thing}: " + "; ".join(f"{advice}, because it was not done" for advice in chosen) + "."


def run(task: str, number: int, *, authored: bool) -> dict[str, Any]:
    """A reviewed run, with or without its lesson."""
    review: dict[str, Any] = {"result": "pass" if number % 3 else "fail"}
    if authored:
        review["reflection"] = {"guidance": lesson(task, number)}
    else:
        review["feedback_text"] = lesson(task, number)
    messages = [{"role": "user", "content": task}, {"role": "assistant", "content": f"Done: {number}."}]
    return {"task": task, "trajectory": messages, "review": review}


@dataclass
class Load:
    """Query clients and a writer that run until `stop`."""

    base_urls: Sequence[str]
    key: str
    project: str
    tasks: Sequence[str]
    questions: int = 0
    runs: int = 0
    problems: list[str] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _threads: list[threading.Thread] = field(default_factory=list)

    def __enter__(self) -> Load:
        for place, base_url in enumerate(self.base_urls):
            for asker in range(ASKERS_PER_SERVER):
                self._begin(self._ask, base_url, place * ASKERS_PER_SERVER + asker)
        self._begin(self._write, self.base_urls[0], 0)
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """Stops all threads and waits for calls in progress."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _begin(self, work: Any, base_url: str, seed: int) -> None:
        thread = threading.Thread(
            target=work, args=(Client(base_url, self.key, self.project), seed), daemon=True
        )
        thread.start()
        self._threads.append(thread)

    def _problem(self, text: str) -> None:
        with self._lock:
            self.problems.append(text)

    def _ask(self, client: Client, seed: int) -> None:
        choose = random.Random(seed)
        while not self._stop.is_set():
            task = choose.choice(self.tasks)
            try:
                status, headers, found = client.call("POST", "/memory/query", {"task": task, "limit": 5})
            except CallFailed as failed:
                self._problem(str(failed))
                continue
            with self._lock:
                self.questions += 1
            if status != 200:
                self._problem(f"a question was answered with {status}: {found}")
            elif "x-reflect-degraded" in headers:
                self._problem(f"a query fell back to keyword search: {headers['x-reflect-degraded']}")
            time.sleep(QUESTION_PAUSE)

    def _write(self, client: Client, _seed: int) -> None:
        number = 10_000
        while not self._stop.is_set():
            number += 1
            task = f"review of case {number} about the {THINGS[number % len(THINGS)]}"
            try:
                client.do("POST", "/traces", run(task, number, authored=number % 2 == 0))
            except CallFailed as failed:
                self._problem(str(failed))
                continue
            with self._lock:
                self.runs += 1
            time.sleep(RUN_PAUSE)
