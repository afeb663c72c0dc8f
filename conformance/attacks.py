"""Attacks the real binary, from outside and with every kind of key, and checks that it holds.

    python3 conformance/attacks.py [--quick] [--mutants] [--only TEXT] [--list]

Every attack says what the attacker reached. Meanwhile another tenant queries its memories: its p99 must stay
within twice its value alone. Afterwards the memory of the server must return to its baseline. With --mutants,
the debug build runs again without one defence at a time, and the attack that this defence stops must report.

Memory is limited by RLIMIT_DATA: what the process can write to, which bounds what an attack can make it use.
RLIMIT_AS would also count address space that is only reserved: 64 MB for each arena of the allocator, mapped
libraries. A limit of resident memory needs a cgroup, which not every machine offers.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from announced import NotReached
from attack import MODULES
from attack.mutants import QUICK_MUTANTS, caught, defences
from attack.registry import ATTACKS, Attack
from attack.run import Bounds, Outcome, run_attacks
from attack.target import Target
from attack.tenants import STREAMS, fill, routes, victim
from attack.watch import Neighbour
from database import DatabaseProblem, fresh_database
from provider import provider
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings

MEMORY_BYTES = 1 << 30
LIMITED = ("prlimit", f"--data={MEMORY_BYTES}")

# A p99 below the floor always passes: attackers and server share a processor, and a stall of the machine
# takes tens of milliseconds. The short form uses a debug build and shares the machine with other steps, so it
# only checks that the neighbour is served.
LONG = Bounds(factor=2.0, floor=0.05, rate=40.0, alone_seconds=2.0, least_seconds=3.0, memory_wait=60.0)
QUICK = Bounds(factor=2.0, floor=5.0, rate=10.0, alone_seconds=0.0, least_seconds=0.0, memory_wait=0.0)
# Clients of ordinary use before the attacks.
CLIENTS = 8
MEMORY_SHARE = 0.2
# The memory of the short form is compared once, at its end, after a shorter time.
QUICK_MEMORY_SHARE = 0.5
LAST_WAIT = 20.0


@contextmanager
def installation(
    found: Surroundings, folder: Path, name: str, defence: str | None = None
) -> Iterator[Server]:
    """A server with a database and a scripted provider."""
    with (
        provider(found.scripted_provider, found.inherited, folder / f"{name}-provider.log") as scripted,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
    ):
        environment = {
            **found.inherited,
            **scripted.server_environment,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_LOG": "info",
        }
        if defence:
            environment["REFLECT_WITHOUT_DEFENCE"] = defence
        server = Server(found.binary, environment, folder / f"{name}.log", under=LIMITED)
        with server:
            yield server


def warm_up(target: Target) -> None:
    """Ordinary use of every route that reads, with bodies of every size and several clients.

    Afterwards the memory is the baseline: code and statements of every route are loaded.
    """
    owner = target.owner(target.fresh("ordinary"))
    for size in (1_000, 1_000_000, 8_000_000, 30_000_000, 1_000):
        owner.trace("Water the plants", trajectory=[{"role": "user", "content": "x" * size}])

    filled = victim(target)
    paths = [path for method, path in routes(target) if method == "GET" and not path.endswith(STREAMS)]
    reads = [fill(path, filled.ids) for path in paths]

    def client(number: int) -> None:
        for path in reads:
            filled.owner.send("GET", path)
        for query in range(40):
            owner.trace("Water the plants", final_response="y" * 30_000)
            owner.must("POST", "/memory/query", {"task": f"Water plant {query} of client {number}"})
            owner.must("GET", "/traces/rows?limit=25")
            owner.must("GET", "/memories?limit=25")

    # Every connection to the database and every thread of the server has worked afterwards.
    with ThreadPoolExecutor(CLIENTS) as pool:
        list(pool.map(client, range(CLIENTS)))
    owner.must("GET", "/traces?limit=5")
    target.send("GET", "/")


def attack_server(
    found: Surroundings, folder: Path, chosen: list[Attack], bounds: Bounds, quick: bool
) -> list[Outcome]:
    """Runs attacks against one server."""
    with installation(found, folder, "server") as server:
        target = Target(server, found, server.environment, folder, quick)
        warm_up(target)
        time.sleep(0.5 if quick else 5)
        baseline = target.memory_kilobytes()
        most = baseline * (1 + (QUICK_MEMORY_SHARE if quick else MEMORY_SHARE))
        files = target.memory_kilobytes("RssFile")
        print(
            f"baseline: {baseline // 1024} MB resident after ordinary use, {files // 1024} MB of it files; "
            f"{MEMORY_BYTES >> 20} MB at most"
        )
        with Neighbour(target, bounds.rate) as neighbour:
            outcomes = run_attacks(target, neighbour, chosen, replace(bounds, memory_kilobytes=most))
        if quick:
            outcomes.append(Outcome.of_memory(target, most, LAST_WAIT))
        if any(outcome.kind != "held" for outcome in outcomes):
            lines = [line for line in server.log_tail(5000).splitlines() if '"level":"INFO"' not in line]
            print("--- warnings of the server ---", *lines[-20:], "---", sep="\n", file=sys.stderr)
        return outcomes


def run_mutants(found: Surroundings, folder: Path, names: list[str]) -> tuple[int, int]:
    """Switches off one defence at a time; returns how many were noticed, and how many have an attack."""
    noticed = 0
    for name in names:
        own = folder / f"without-{name}"
        own.mkdir()
        with installation(found, own, "server", defence=name) as server:
            target = Target(server, found, server.environment, own, quick=True)
            reason = caught(target, name)
        noticed += reason is not None
        print(f"mutant without {name}: {reason or 'NOT CAUGHT'}", flush=True)
    return noticed, len(names)


def check(arguments: argparse.Namespace) -> int:
    """Runs everything; returns the exit code."""
    found = find_surroundings()
    chosen = [one for one in ATTACKS if arguments.only in one.name and (one.quick or not arguments.quick)]
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` builds it")
    with tempfile.TemporaryDirectory(prefix="attack-") as name:
        folder = Path(name)
        bounds = QUICK if arguments.quick else LONG
        outcomes = attack_server(found, folder, chosen, bounds, arguments.quick)
        count = {kind: sum(one.kind == kind for one in outcomes) for kind in Outcome.KINDS}
        for outcome in outcomes:
            if outcome.kind != "held":
                print(f"! {outcome.kind}: {outcome.name}: {outcome.reason}")
        line = (
            f"attack: {len(chosen)} attacks, {count['got in']} got in, {count['took it down']} took it down"
        )
        if count["not tried"]:
            line += f", {count['not tried']} could not be tried"
        held = count["held"] == len(outcomes)
        if arguments.mutants or arguments.quick:
            binary = found.binary.parent.parent / "debug" / "reflect"
            names = QUICK_MUTANTS if arguments.quick and not arguments.mutants else defences()
            names = [name for name in names if name in {one.defence for one in chosen}]
            noticed, tried = run_mutants(replace(found, binary=binary), folder, names)
            line += f", {noticed} of {tried} mutants caught"
            held = held and noticed == tried
    print(line)
    return 0 if held else 1


def main() -> int:
    """Exit code 0: the server held and every mutant was caught; 1: not; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Attack a server and check that it holds.")
    parser.add_argument("--quick", action="store_true", help="smaller floods, no long timeouts, few mutants")
    parser.add_argument("--mutants", action="store_true", help="also run without each defence")
    parser.add_argument("--only", default="", help="only attacks whose name contains this text")
    parser.add_argument("--list", action="store_true", help="list the attacks and end")
    arguments = parser.parse_args()
    assert MODULES
    if arguments.list:
        for one in ATTACKS:
            print(
                f"{one.attacker:16} {f'row {one.row}' if one.row else '':7} {one.defence or '':22} {one.name}"
            )
        print(f"{len(ATTACKS)} attacks")
        return 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return check(arguments)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"attack could not start: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
