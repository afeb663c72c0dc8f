"""Compares the processor time of two binaries per query and per recorded run.

    python3 conformance/overhead.py --before BINARY --after BINARY [--pairs 10]

Every pair starts each binary once, in alternating order, on its own database with the same memories, and
sends the same requests one after another. Only the processor time of the server's process counts, so the load
of the machine and the time of Postgres do not. Prints the mean of the ratios, and the one-sided upper 95 %
bound of the mean by the t distribution.
"""

from __future__ import annotations

import argparse
import http.client
import json
import math
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from announced import NotReached
from database import DatabaseProblem, fresh_database
from project_api import ProjectApi
from provider import provider
from server import Server, ServerProblem
from surroundings import Missing, find_surroundings

PROJECT = "overhead"
MEMORIES = 500
MOST_PERCENT = 3.0
# One-sided, 95 %, by degrees of freedom.
T = {
    1: 6.314,
    2: 2.920,
    3: 2.353,
    4: 2.132,
    5: 2.015,
    6: 1.943,
    7: 1.895,
    8: 1.860,
    9: 1.833,
    14: 1.761,
    19: 1.729,
}
# Requests of one key are limited, so the work is spread over several.
KEYS = 40
WARM_UP = 100

Body = Callable[[int], dict[str, object]]


@dataclass(frozen=True)
class Candidate:
    """One binary with its database."""

    name: str
    server: Server
    keys: list[str]


def processor_seconds(pid: int) -> float:
    """The processor time of a process with all its threads, by the clock that the kernel keeps for it."""
    return time.clock_gettime((~pid << 3) | 2)


def query(number: int) -> dict[str, object]:
    """A query."""
    return {"task": f"Water the plants on floor {number % 97}", "limit": 5, "metadata_filter": {"team": "a"}}


def run_of_an_agent(number: int) -> dict[str, object]:
    """A run of ordinary size: about 8 kB in twelve messages."""
    messages = [
        {"role": "user" if n % 2 else "assistant", "content": f"step {n}. " + "word " * 120}
        for n in range(12)
    ]
    return {
        "task": f"Water the plants {number}",
        "trajectory": messages,
        "metadata": {"team": "a", "n": number},
    }


def cost(candidate: Candidate, path: str, body: Body, count: int) -> float:
    """Processor time of the server per request."""
    connection = http.client.HTTPConnection(candidate.server.base_url.removeprefix("http://"), timeout=60)
    began = 0.0
    for number in range(count + WARM_UP):
        if number == WARM_UP:
            began = processor_seconds(candidate.server.pid)
        key = candidate.keys[number % len(candidate.keys)]
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.request("POST", f"/v1/projects/{PROJECT}{path}", json.dumps(body(number)), headers)
        response = connection.getresponse()
        text = response.read()
        if not 200 <= response.status < 300:
            raise ServerProblem(f"{candidate.name}: {path} answered {response.status}: {text[:200]!r}")
    connection.close()
    return (processor_seconds(candidate.server.pid) - began) / count


def prepare(name: str, server: Server) -> Candidate:
    """Fills a project and creates keys; leaves the server stopped."""
    with server:
        owner = ProjectApi(server.base_url, server.master_key(), PROJECT)
        for number in range(MEMORIES):
            owner.call(
                "POST",
                "/memories",
                {
                    "task": f"Water the plants on floor {number % 97}",
                    "guidance": f"Start at window {number}.",
                    "metadata": {"team": "ab"[number % 2]},
                },
            )
        scopes = ["memory:read", "trace:write"]
        keys = [
            owner.call("POST", "/api-keys", {"label": "o", "scopes": scopes})["api_key"] for _ in range(KEYS)
        ]
    return Candidate(name, server, keys)


def bound(ratios: list[float]) -> tuple[float, float]:
    """The mean and its upper bound, in per cent."""
    percent = [100 * (ratio - 1) for ratio in ratios]
    mean = statistics.fmean(percent)
    if len(percent) < 2:
        return mean, math.inf
    freedom = len(percent) - 1
    t = next(value for limit, value in sorted(T.items(), reverse=True) if limit <= freedom)
    return mean, mean + t * statistics.stdev(percent) / math.sqrt(len(percent))


def compare(before: Path, after: Path, pairs: int, requests: int) -> bool:
    """Runs all pairs; returns whether both bounds are within the limit."""
    found = find_surroundings()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="overhead-")))
        scripted = stack.enter_context(
            provider(found.scripted_provider, found.inherited, folder / "provider.log")
        )
        candidates = []
        for name, binary in (("before", before), ("after", after)):
            url = stack.enter_context(fresh_database(found.psql, found.database_server, found.inherited))
            environment = {
                **found.inherited,
                **scripted.server_environment,
                "REFLECT_DATABASE_URL": url,
                "REFLECT_LOG": "info",
            }
            candidates.append(prepare(name, Server(binary.absolute(), environment, folder / f"{name}.log")))
        ratios: dict[str, list[float]] = {"query": [], "ingest": []}
        for pair in range(pairs):
            costs: dict[tuple[str, str], float] = {}
            for candidate in candidates if pair % 2 == 0 else candidates[::-1]:
                with candidate.server:
                    costs[candidate.name, "query"] = cost(candidate, "/memory/query", query, requests)
                    costs[candidate.name, "ingest"] = cost(candidate, "/traces", run_of_an_agent, requests)
            for what, found_ratios in ratios.items():
                first, second = costs["before", what], costs["after", what]
                found_ratios.append(second / first)
                print(
                    f"pair {pair + 1}: {what} {first * 1e6:.0f} → {second * 1e6:.0f} µs of processor time",
                    flush=True,
                )
    bounds = {what: bound(found_ratios) for what, found_ratios in ratios.items()}
    texts = [f"{what} {mean:+.1f} % (≤ {upper:.1f} %)" for what, (mean, upper) in bounds.items()]
    print(f"overhead: {', '.join(texts)}")
    return all(upper <= MOST_PERCENT for _, upper in bounds.values())


def main() -> int:
    """Exit code 0: within the limit; 1: not; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Compare the processor time of two binaries.")
    parser.add_argument("--before", type=Path, required=True, help="the binary to compare with")
    parser.add_argument("--after", type=Path, required=True, help="the binary to judge")
    parser.add_argument("--pairs", type=int, default=10, help="how many pairs of runs")
    parser.add_argument("--requests", type=int, default=2000, help="how many requests of each kind per run")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        within = compare(arguments.before, arguments.after, arguments.pairs, arguments.requests)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"overhead could not start: {problem}", file=sys.stderr)
        return 2
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
