"""Records every address that an installation connects to, and compares them with the settings.

    python3 conformance/outbound.py [--seconds 60]

Runs the real binary with the local embedder and one provider under strace, and uses all its features. Every
address must belong to the database or the provider; `OWN` lists the other values that are allowed. A process
with our Python client may connect only to the server. Three mutants must be caught: a provider that is not
allowed, a provider with a host name, whose lookup is a DNS request, and a client with the URL of another
server.
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from announced import NotReached
from database import DatabaseProblem, fresh_database
from outbound_record import NotRecorded, Target, read_record, recorder
from outbound_use import PROJECT, Use
from provider import provider
from real_models import folder_of, minilm
from server import Server, ServerProblem
from surroundings import OWN as OWN_CLIENT
from surroundings import Missing, Surroundings, find_surroundings

CLIENT = Path(__file__).with_name("outbound_client.py")
CLIENT_SECONDS = 60.0

# Address families that leave the process for no other host: a disconnected socket, and netlink queries.
OWN = frozenset({"unspec", "netlink"})

# A host name that cannot exist (RFC 2606), so the DNS lookup is the only effect.
UNRESOLVABLE_PROVIDER = "http://provider.invalid:9/v1"


class Violation(Exception):
    """A process connected to an address that is not allowed, or the record is incomplete."""


@dataclass(frozen=True)
class RunContext:
    """The common settings of all servers of the run."""

    found: Surroundings
    strace: Path
    folder: Path
    embedder: Mapping[str, str]


@dataclass(frozen=True)
class Recorded:
    """The recorded addresses of a process."""

    targets: Counter[Target]
    allowed: Mapping[str, str]

    def unexpected(self) -> list[Target]:
        """The addresses that are not allowed."""
        return sorted(target for target in self.targets if not self._is_allowed(target))

    def connections(self) -> int:
        """The number of connections."""
        return sum(count for target, count in self.targets.items() if target.call == "connect")

    def _is_allowed(self, target: Target) -> bool:
        if target.address in OWN:
            return True
        return self.allowed.get(target.address) == ("listen" if target.call == "bind" else "speak")

    def print(self, name: str) -> None:
        """Prints the record."""
        print(f"{name}:", flush=True)
        for target, count in sorted(self.targets.items()):
            mark = "  " if self._is_allowed(target) else "! "
            print(f"  {mark}{count:6} {target.call:8} {target.address}", flush=True)


def addresses(url: str) -> list[str]:
    """The addresses behind a URL, as a record names them."""
    parts = urlsplit(url)
    assert parts.hostname is not None and parts.port is not None, f"no host and port in {url}"
    found = socket.getaddrinfo(parts.hostname, parts.port, type=socket.SOCK_STREAM)
    hosts = {str(address[0]) for *_, address in found}
    return [f"[{host}]:{parts.port}" if ":" in host else f"{host}:{parts.port}" for host in sorted(hosts)]


@contextmanager
def served(context: RunContext, name: str, models: Mapping[str, str]) -> Iterator[tuple[Server, str, Path]]:
    """A server under strace, its database URL, and the record, which is complete after the server's end."""
    found, record = context.found, context.folder / f"{name}.strace"
    with fresh_database(found.psql, found.database_server, found.inherited) as database_url:
        environment = {
            **found.inherited,
            **models,
            **context.embedder,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            "REFLECT_DRAIN_SECONDS": "5",
        }
        log = context.folder / f"{name}.log"
        server = Server(found.binary, environment, log, under=recorder(context.strace, record))
        try:
            with server:
                yield server, database_url, record
        except (AssertionError, ServerProblem) as problem:
            raise Violation(f"{name}: {problem}\n{server.log_tail()}") from problem


def text_model(scripted: Mapping[str, str], url: str | None = None) -> dict[str, str]:
    """The variables of a provider that writes lessons; the server computes the vectors."""
    models = {name: value for name, value in scripted.items() if name.startswith("REFLECT_TEXT_")}
    return models if url is None else {**models, "REFLECT_TEXT_URL": url}


def run_default(
    context: RunContext, scripted: Mapping[str, str], seconds: float
) -> tuple[Recorded, Recorded]:
    """Uses the installation; returns the records of the server and of a process with our client."""
    with served(context, "server", text_model(scripted)) as (server, database_url, record):
        use = Use(server.base_url, server.master_key())
        began, rounds = time.monotonic(), 0
        use.round(rounds)
        client = run_client(context, server.base_url, use.key)
        use.settle()
        use.once()
        while time.monotonic() - began < seconds:
            rounds += 1
            use.round(rounds)
        use.settle()
        took = time.monotonic() - began
        print(f"{use.requests} requests in {took:.0f} s, {rounds + 1} rounds")
        process = server.pid
    database, models = addresses(database_url), addresses(scripted["REFLECT_TEXT_URL"])
    allowed = {
        **dict.fromkeys(database + models, "speak"),
        **dict.fromkeys(addresses(server.base_url), "listen"),
    }
    recorded = Recorded(read_record(record, process), allowed)
    connected = {target.address for target in recorded.targets if target.call == "connect"}
    # A record without the expected connections is incomplete and proves nothing.
    for what, some in (("database", database), ("provider", models)):
        if not connected.intersection(some):
            raise Violation(f"the record does not have the {what} ({', '.join(some)}): {sorted(connected)}")
    return recorded, client


def run_client(context: RunContext, base_url: str, key: str, other_url: str | None = None) -> Recorded:
    """A process with our Python client. With `other_url`, it uses a server that is not allowed."""
    name = "client" if other_url is None else "client-mutant"
    record, empty = context.folder / f"{name}.strace", context.folder / "no-certificates"
    empty.mkdir(exist_ok=True)
    spool = context.folder / f"{name}-spool"
    command = [*recorder(context.strace, record), str(context.found.pythons[OWN_CLIENT]), str(CLIENT)]
    with subprocess.Popen(
        command,
        env=context.found.own_client_environment(empty, spool),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        place = {"base_url": other_url or base_url, "api_key": key, "project_id": PROJECT}
        try:
            _, said = process.communicate(json.dumps(place), timeout=CLIENT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Violation(f"the client did not end within {CLIENT_SECONDS:g} s") from None
    if process.returncode != 0 and other_url is None:
        raise Violation(f"the client ended with {process.returncode}:\n{said[-2000:]}")
    return Recorded(read_record(record, process.pid), dict.fromkeys(addresses(base_url), "speak"))


def run_mutant(context: RunContext, name: str, scripted: Mapping[str, str], url: str) -> Recorded:
    """A server with a provider that is not allowed."""
    with served(context, name, text_model(scripted, url)) as (server, database_url, record):
        use = Use(server.base_url, server.master_key())
        use.post(
            "/traces",
            {"task": "Water the plants", "trajectory": "I did.", "review": {"result": "fail"}},
        )
        use.until_tried()
        process = server.pid
    allowed = dict.fromkeys(addresses(database_url) + addresses(scripted["REFLECT_TEXT_URL"]), "speak")
    allowed |= dict.fromkeys(addresses(server.base_url), "listen")
    return Recorded(read_record(record, process), allowed)


def check(seconds: float) -> str:
    """Runs everything; returns the last line of the output."""
    found = find_surroundings()
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` builds it")
    with (
        tempfile.TemporaryDirectory(prefix="outbound-") as name,
        provider(found.scripted_provider, found.inherited, Path(name, "provider.log")) as scripted,
        provider(found.scripted_provider, found.inherited, Path(name, "other.log")) as other,
    ):
        strace = folder_of("strace", found.everything) / "strace"
        context = RunContext(found, strace, Path(name), minilm(found.everything))
        models = scripted.server_environment
        recorded, client = run_default(context, models, seconds)
        for what, one in (("the server", recorded), ("a process with our Python client", client)):
            one.print(what)
            if one.unexpected():
                raise Violation(f"{what} connected to {', '.join(str(t) for t in one.unexpected())}")

        elsewhere = other.server_environment["REFLECT_TEXT_URL"]
        mutants = {
            "a provider that is not allowed": run_mutant(context, "other-provider", models, elsewhere),
            "a provider by name": run_mutant(context, "by-name", models, UNRESOLVABLE_PROVIDER),
            "a client with another server's URL": run_client(
                context, "http://127.0.0.1:9", "rf_live_none", other_url=elsewhere.removesuffix("/v1")
            ),
        }
        for what, mutant in mutants.items():
            caught = mutant.unexpected()
            if not caught:
                mutant.print(what)
                raise Violation(f"the mutant was not caught: {what}")
            print(f"mutant caught: {what}: {', '.join(f'{t.call} {t.address}' for t in caught)}", flush=True)
        expected = Target("connect", addresses(elsewhere)[0])
        if expected not in mutants["a provider that is not allowed"].unexpected():
            raise Violation(f"the mutant was caught for another reason: {expected} is missing")
    connections = recorded.connections() + client.connections()
    summary = "all to the database and the provider, mutant caught"
    return f"outbound: {connections} connections in {seconds:.0f} s, {summary}"


def main() -> int:
    """Exit code 0: only allowed addresses; 1: another address; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Record the outbound connections of an installation.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long the installation is used")
    seconds = parser.parse_args().seconds
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        line = check(seconds)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"outbound could not start: {problem}", file=sys.stderr)
        return 2
    except (Violation, NotRecorded) as problem:
        print(f"outbound: FAILED: {problem}")
        return 1
    print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
