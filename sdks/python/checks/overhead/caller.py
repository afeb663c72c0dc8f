"""Makes calls with the client of its environment, and measures their cost.

    <environment>/bin/python caller.py

Reads the server's address, then one command per line, as JSON from stdin; answers each on stdout. The cost is the CPU
time of this process, user and system, in all threads. The start of the interpreter and imports are not counted: our
client loads modules on first use, so they are imported before the measurement.
"""

from __future__ import annotations

import importlib
import json
import logging
import pkgutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import reflect_sdk

# These import frameworks that are not in this environment.
FOR_FRAMEWORKS = ("reflect_sdk.capture", "reflect_sdk.converters")
LOADED_BY_NEED = ("httpx2", "httpcore2", "truststore", "encodings.idna")


def load_everything() -> None:
    """Imports the modules that the first call would import."""
    for module in pkgutil.walk_packages(reflect_sdk.__path__, "reflect_sdk."):
        if not module.name.startswith(FOR_FRAMEWORKS):
            importlib.import_module(module.name)
    if is_own():
        for name in LOADED_BY_NEED:
            importlib.import_module(name)


def is_own() -> bool:
    """Whether this is our client: the published one has no error classes."""
    return hasattr(reflect_sdk, "APIStatusError")


def messages(task: str) -> list[dict[str, str]]:
    """A small run."""
    return [
        {"role": "user", "content": task},
        {"role": "assistant", "content": "I looked at the timer: it still names the old job."},
    ]


def query(client: Any, number: int) -> None:
    """One query; there are enough memories to fill the result."""
    found = client.query_memories(f"Find out why import {number} of last night did not run")
    assert len(found) == 10, f"{len(found)} memories, not 10"


def submit(client: Any, number: int) -> None:
    """One trace without a review, so the memories do not change."""
    task = f"Count the parcels of depot {number}"
    made = client.create_trace(task=task, trajectory=messages(task), final_response="Done.", model="m-1")
    assert made.ingest_status == "completed", made.ingest_status


def remember(client: Any, number: int) -> None:
    """One memory with its own lesson: equal lessons are returned once."""
    task = f"Find out why job {number} of last night did not run"
    guidance = f"The timer names job {number}."
    client.create_memory(task=task, result="pass", summary="Look at its timer.", guidance=guidance)


CALLS: dict[str, Callable[[Any, int], None]] = {
    "queries": query,
    "submissions": submit,
    "memories": remember,
}


def measure(client: Any, call: Callable[[Any, int], None], numbers: range) -> float:
    """CPU seconds of the calls, until all runs are sent."""
    began = time.process_time()
    for number in numbers:
        call(client, number)
    if is_own():
        flushed = client.flush(30.0)
        assert flushed.pending == flushed.spooled == flushed.dropped == 0, f"not delivered: {flushed!r}"
    return time.process_time() - began


@contextmanager
def timed_requests() -> Iterator[list[float]]:
    """Collects the seconds of every request that this thread makes."""
    import httpx2

    taken: list[float] = []
    send, here = httpx2.Client.send, threading.get_ident()

    def watched(self: httpx2.Client, request: httpx2.Request, **options: Any) -> httpx2.Response:
        began = time.perf_counter()
        try:
            return send(self, request, **options)
        finally:
            if threading.get_ident() == here:
                taken.append(time.perf_counter() - began)

    httpx2.Client.send = watched  # type: ignore[method-assign]
    try:
        yield taken
    finally:
        httpx2.Client.send = send  # type: ignore[method-assign]


def beyond_request(call: Callable[[int], None], numbers: range) -> list[float]:
    """Seconds of each call without its request: the client's own time."""
    beyond: list[float] = []
    for number in numbers:
        with timed_requests() as taken:
            began = time.perf_counter()
            call(number)
            whole = time.perf_counter() - began
        assert len(taken) == 1, f"a call made {len(taken)} requests in the caller's thread, not 1"
        beyond.append(whole - taken[0])
    return beyond


def retrievals_and_blocks(client: Any, numbers: range) -> dict[str, list[float]]:
    """Compares plain retrievals, empty blocks, and blocks that store a trace."""

    def retrieval(number: int) -> None:
        assert client.augment_with_memories(f"Find out why backup {number} of last night did not run").memories

    def empty_block(number: int) -> None:
        with client.trace(f"Find out why copy {number} of last night did not run"):
            pass

    def full_block(number: int) -> None:
        task = f"Find out why export {number} of last night did not run"
        with client.trace(task) as run:
            run.set_output(trajectory=messages(task), model="m-1")

    calls = {"retrieval": retrieval, "empty block": empty_block, "full block": full_block}
    # Alternate the three kinds, so load on the machine affects all of them.
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for number in numbers:
        for name, call in calls.items():
            taken[name] += beyond_request(call, range(number, number + 1))
    # A block that loses its run would be faster.
    flushed = client.flush(30.0)
    assert flushed.sent == len(numbers), f"of {len(numbers)} runs not all were delivered: {flushed!r}"
    return taken


def obey(client: Any, order: dict[str, Any]) -> Any:
    """Executes one command."""
    numbers = range(order["first"], order["first"] + order["count"])
    if order["do"] in CALLS:
        return measure(client, CALLS[order["do"]], numbers)
    return retrievals_and_blocks(client, numbers)


def main() -> None:
    """Executes commands until stdin ends."""
    # Suppresses the warning about blocks without output.
    logging.getLogger("reflect_sdk").setLevel(logging.ERROR)
    place = json.loads(sys.stdin.readline())
    load_everything()
    client = reflect_sdk.ReflectClient(**place)
    for line in sys.stdin:
        print(json.dumps(obey(client, json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
