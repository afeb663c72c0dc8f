"""Webhooks under faults: the receiver fails, hangs and crashes, and servers are killed.

    python3 conformance/webhooks.py [--quick] [--seed N]

Two servers of one database write memories and change them. Both are killed repeatedly, with SIGKILL. Each
event must reach both webhooks of the project at least once and in order per memory, and the published library
must verify every request. A server that stores events outside of the transaction that causes them (a mutant
of the debug build) must be caught: it loses some.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from standardwebhooks import Webhook

from database import DatabaseProblem, ask_database, fresh_database
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings
from webhooks_run.receiver import FAULTS, NO_FAULTS, FaultRates, Receiver, refuses_other_bodies
from webhooks_run.traffic import EXPECTED_TYPES, CausedEvents, Client, Killer, NoServer, cause_events
from webhooks_run.verdict import Verdict, judge

# How many events there are, and how long it takes at least to cause them.
EVENTS, TRAFFIC_SECONDS = 1000, 40.0
QUICK_EVENTS, QUICK_TRAFFIC_SECONDS = 100, 15.0
WRITERS = 4
WEBHOOKS = ("first", "second")
EVENT_TYPES = ["memory.created", "memory.quarantined"]
# The receiver has faults until half of the deliveries have ended, or for this long. The claim of a killed
# process ends after 30 s.
FAULT_SECONDS = 120.0
# Longer than the retries of a delivery that fails five times, and than the claim of a killed process.
DRAIN_SECONDS = 600.0
KILL_EVERY = 1.5
# The mutant is given this many rounds to lose an event.
MUTANT_ROUNDS = 10
MUTANT_EVENTS = 240
MUTANT_KILL_EVERY = 0.5
MUTANT = {"REFLECT_FAULT": "events-outside-transaction"}


class Broken(Exception):
    """Events were lost, doubled without a cause, out of order or not signed."""


@dataclass
class Place:
    """Two servers of one database, and a receiver."""

    found: Surroundings
    database_url: str
    servers: list[Server]
    client: Client
    receiver: Receiver

    def waiting(self) -> int:
        """How many deliveries have not ended."""
        statement = "select count(*) from webhook_delivery where state = 0"
        return int(ask_database(self.found.psql, self.database_url, statement, self.found.inherited))

    def given_up(self) -> int:
        """How many deliveries are not tried again."""
        statement = "select count(*) from webhook_delivery where state = 2"
        return int(ask_database(self.found.psql, self.database_url, statement, self.found.inherited))

    def let_half_end(self) -> None:
        """Waits until half of the deliveries that wait now have ended, for a limited time."""
        deadline, enough = time.monotonic() + FAULT_SECONDS, self.waiting() // 2
        while self.waiting() > enough and time.monotonic() < deadline:
            time.sleep(0.2)

    def drain(self) -> None:
        """Waits until every delivery has ended."""
        deadline = time.monotonic() + DRAIN_SECONDS
        while self.waiting() > 0:
            if time.monotonic() > deadline:
                raise Broken(f"{self.waiting()} deliveries still wait after {DRAIN_SECONDS:.0f} s")
            time.sleep(0.2)


@contextmanager
def place(found: Surroundings, seed: int, fault: dict[str, str]) -> Iterator[Place]:
    """Starts everything, and creates the webhooks."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="webhooks-")))
        database_url = stack.enter_context(fresh_database(found.psql, found.database_server, found.inherited))
        environment = {
            **found.inherited,
            **fault,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_WEBHOOK_NETWORKS": "127.0.0.1",
            "REFLECT_DRAIN_SECONDS": "2",
        }
        servers = [Server(found.binary, environment, folder / f"server-{number}.log") for number in (1, 2)]
        for server in servers:
            stack.enter_context(server)
        receiver = Receiver(seed)
        stack.callback(receiver.stop)
        client = Client(servers, servers[0].master_key())
        for name in WEBHOOKS:
            body = {"url": receiver.url(name), "events": EVENT_TYPES}
            made = client.call("POST", "/webhooks", body)
            receiver.secrets[name] = Webhook(made["secret"])
            if not refuses_other_bodies(made["secret"]):
                raise Broken("the library accepts a body that was not signed")
        try:
            yield Place(found, database_url, servers, client, receiver)
        except (Broken, AssertionError, NoServer) as problem:
            tails = "\n".join(f"--- {server.base_url} ---\n{server.log_tail()}" for server in servers)
            raise Broken(f"{problem}\n{tails}") from problem


def run_with_kills(
    at: Place, events: int, seconds: float, kill_every: float, faults: FaultRates
) -> tuple[Verdict, CausedEvents, int]:
    """Causes events while servers are killed, and compares when everything has ended."""
    memories = -(-events // len(EXPECTED_TYPES))
    at.receiver.set_faults(faults)
    killer, caused = Killer(at.servers, kill_every), CausedEvents()
    try:
        cause_events(at.client, caused, memories, WRITERS, seconds)
    finally:
        killer.stop()
    if caused.problems:
        raise Broken(caused.problems[0])
    at.let_half_end()
    at.receiver.set_faults(NO_FAULTS)
    at.drain()
    records = at.receiver.records
    if records.unverified:
        raise Broken(f"{len(records.unverified)} requests were not verified, such as {records.unverified[0]}")
    return judge(WEBHOOKS, caused.memories, records.requests), caused, killer.kills


def run(found: Surroundings, events: int, seconds: float, seed: int) -> int:
    """The real server: nothing is lost. Returns the number of events."""
    with place(found, seed, {}) as at:
        verdict, caused, kills = run_with_kills(at, events, seconds, KILL_EVERY, FAULTS)
        requests, crashes, given_up = at.receiver.records.count(), at.receiver.crashes, at.given_up()
    total = len(caused.memories) * len(EXPECTED_TYPES)
    print(
        f"{verdict.expected} deliveries of {total} events in {requests} requests, "
        f"{verdict.repeated} of them repeated; {kills} kills of servers, {crashes} crashes of the receiver"
    )
    if verdict.lost or verdict.surplus or verdict.disordered or given_up:
        raise Broken(
            f"{verdict.lost} lost, {verdict.surplus} without a cause, {verdict.disordered} out of order, "
            f"{given_up} given up; {verdict.example}"
        )
    if kills < 2 or crashes < 1 or verdict.repeated < 1:
        raise Broken("the faults had no effect: too few kills, crashes or repeated requests")
    return total


def run_mutant(found: Surroundings, seed: int) -> None:
    """The mutant loses events when it is killed, and the comparison finds that."""
    with place(found, seed, MUTANT) as at:
        for number in range(1, MUTANT_ROUNDS + 1):
            verdict, _, kills = run_with_kills(at, MUTANT_EVENTS, 0.0, MUTANT_KILL_EVERY, NO_FAULTS)
            if verdict.lost:
                lost = f"{verdict.lost} of {verdict.expected}"
                print(f"the mutant lost {lost} in round {number}, after {kills} kills")
                return
    raise Broken(f"the mutant lost no event in {MUTANT_ROUNDS} rounds, so this run would miss a real loss")


def main() -> int:
    """0 if nothing is lost and the mutant is caught, 1 if not, 2 if the run could not start."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_EVENTS} events instead of {EVENTS}")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    try:
        found = find_surroundings()
        size = (QUICK_EVENTS, QUICK_TRAFFIC_SECONDS) if arguments.quick else (EVENTS, TRAFFIC_SECONDS)
        count = run(found, *size, arguments.seed)
        run_mutant(found, arguments.seed)
    except (Missing, DatabaseProblem, ServerProblem) as problem:
        print(f"the run of webhooks could not start: {problem}", file=sys.stderr)
        return 2
    except (Broken, AssertionError, OSError) as problem:
        print(f"webhooks: BROKEN: {problem}")
        return 1
    print(f"webhooks: {count} events, 0 lost, mutant caught")
    return 0


if __name__ == "__main__":
    sys.exit(main())
