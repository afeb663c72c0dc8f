"""Compares the processor time of two binaries per query and per recorded run.

    python3 conformance/overhead.py --before BINARY --after BINARY [--pairs 10] [--quick]

Both servers run all the time, each on its own database with the same memories. Every pair sends the same
requests to both, one after another, in alternating order, so the work of a start does not count. What counts
is the processor time of the server together with its Postgres sessions: both are paid for. The share of the
server alone is printed too. Prints the mean of the ratios, and the one-sided upper 95 %
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
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from announced import NotReached
from database import DatabaseProblem, ask_database, fresh_database
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
# A pair alternates between the servers this often: the speed of a shared machine changes within seconds.
TURNS = 10

Body = Callable[[int], dict[str, object]]


@dataclass(frozen=True)
class Candidate:
    """One binary with its database."""

    name: str
    server: Server
    database: str
    keys: list[str]

    def processor_times(self) -> dict[int, float]:
        """The processor time of the server, and of each session of its database, by process."""
        times = {self.server.pid: processor_seconds(self.server.pid)}
        for command in Path("/proc").glob("[0-9]*/cmdline"):
            # A process may end at any moment.
            with suppress(OSError):
                title = command.read_bytes()
                if title.startswith(b"postgres: ") and self.database.encode() in title:
                    pid = int(command.parent.name)
                    times[pid] = processor_seconds(pid)
        return times


@dataclass(frozen=True)
class Cost:
    """Processor seconds."""

    server: float = 0.0
    total: float = 0.0

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.server + other.server, self.total + other.total)


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


WORK: dict[str, tuple[str, Body]] = {
    "query": ("/memory/query", query),
    "ingest": ("/traces", run_of_an_agent),
}


def cost(candidate: Candidate, path: str, body: Body, count: int) -> Cost:
    """Processor time of some requests."""
    connection = http.client.HTTPConnection(candidate.server.base_url.removeprefix("http://"), timeout=60)
    before = candidate.processor_times()
    for number in range(count):
        key = candidate.keys[number % len(candidate.keys)]
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.request("POST", f"/v1/projects/{PROJECT}{path}", json.dumps(body(number)), headers)
        response = connection.getresponse()
        text = response.read()
        if not 200 <= response.status < 300:
            raise ServerProblem(f"{candidate.name}: {path} answered {response.status}: {text[:200]!r}")
    connection.close()
    spent = {pid: used - before.get(pid, 0.0) for pid, used in candidate.processor_times().items()}
    return Cost(spent[candidate.server.pid], sum(spent.values()))


def prepare(name: str, server: Server, database: str) -> Candidate:
    """Fills a project of a running server and creates keys."""
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
    keys = [owner.call("POST", "/api-keys", {"label": "o", "scopes": scopes})["api_key"] for _ in range(KEYS)]
    candidate = Candidate(name, server, database, keys)
    for path, body in WORK.values():
        cost(candidate, path, body, WARM_UP)
    return candidate


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
            server = Server(binary.absolute(), environment, folder / f"{name}.log")
            candidates.append(prepare(name, stack.enter_context(server), urlsplit(url).path.strip("/")))
            # As autovacuum does within minutes.
            ask_database(found.psql, url, "vacuum analyze", found.inherited)
        ratios: dict[str, list[float]] = {what: [] for what in WORK}
        server_ratios: dict[str, list[float]] = {what: [] for what in WORK}
        for pair in range(pairs):
            for what, (path, body) in WORK.items():
                costs = {"before": Cost(), "after": Cost()}
                for turn in range(TURNS):
                    for candidate in candidates if (pair + turn) % 2 == 0 else candidates[::-1]:
                        costs[candidate.name] += cost(candidate, path, body, requests // TURNS)
                first, second = costs["before"], costs["after"]
                ratios[what].append(second.total / first.total)
                server_ratios[what].append(second.server / first.server)
                print(
                    f"pair {pair + 1}: {what} {first.total / requests * 1e6:.0f} → "
                    f"{second.total / requests * 1e6:.0f} µs of processor time, of the server alone "
                    f"{first.server / requests * 1e6:.0f} → {second.server / requests * 1e6:.0f} µs",
                    flush=True,
                )
    print(f"server alone: {_texts(server_ratios)}")
    print(f"overhead: {_texts(ratios)}")
    return all(bound(found_ratios)[1] <= MOST_PERCENT for found_ratios in ratios.values())


def _texts(ratios: dict[str, list[float]]) -> str:
    bounds = {what: bound(found_ratios) for what, found_ratios in ratios.items()}
    return ", ".join(f"{what} {mean:+.1f} % (≤ {upper:.1f} %)" for what, (mean, upper) in bounds.items())


def main() -> int:
    """Exit code 0: within the limit; 1: not; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Compare the processor time of two binaries.")
    parser.add_argument("--before", type=Path, help="the binary to compare with")
    parser.add_argument("--after", type=Path, required=True, help="the binary to judge")
    parser.add_argument("--pairs", type=int, default=10, help="how many pairs of runs")
    parser.add_argument("--requests", type=int, default=2000, help="how many requests of each kind per run")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="compare the binary with itself in one short pair, without a limit",
    )
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.before, arguments.pairs, arguments.requests = arguments.after, 1, 100
    elif arguments.before is None:
        parser.error("--before BINARY is missing: `cargo build --release` of another commit makes one")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        within = compare(arguments.before, arguments.after, arguments.pairs, arguments.requests)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"overhead could not start: {problem}", file=sys.stderr)
        return 2
    return 0 if within or arguments.quick else 1


if __name__ == "__main__":
    sys.exit(main())
