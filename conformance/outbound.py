"""Writes down every address that an installation in use speaks to, and compares with what was set.

    python3 conformance/outbound.py [--seconds 60]

The real binary with the local embedder and one provider, used for a while in every way there is, under
strace. Every address must be the database's or the provider's; what else a process hands to the kernel is
named in `OWN`. Then the same for a process with our Python client, which may speak to the server alone.
Three mutants must be caught: a provider that nobody allowed, a provider by name, whose look-up is a call to
somebody else, and a client that is told of another server.
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

# What reaches nobody: a socket that is undone, and the kernel asked about this machine's own addresses.
OWN = frozenset({"unspec", "netlink"})

# A name that nobody has (RFC 2606), so that its look-up is all that can happen.
NOBODY = "http://provider.invalid:9/v1"


class Violation(Exception):
    """Somebody was spoken to who should not have been, or nobody was looked at."""


@dataclass(frozen=True)
class Stage:
    """What every server of the run shares."""

    found: Surroundings
    strace: Path
    folder: Path
    embedder: Mapping[str, str]


@dataclass(frozen=True)
class Recorded:
    """What a process did."""

    targets: Counter[Target]
    allowed: Mapping[str, str]

    def unexpected(self) -> list[Target]:
        """Whom it spoke to without being told to."""
        return sorted(target for target in self.targets if not self._is_allowed(target))

    def connections(self) -> int:
        """How often it connected to anybody."""
        return sum(count for target, count in self.targets.items() if target.call == "connect")

    def _is_allowed(self, target: Target) -> bool:
        if target.address in OWN:
            return True
        return self.allowed.get(target.address) == ("listen" if target.call == "bind" else "speak")

    def tell(self, name: str) -> None:
        """Prints it."""
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
def served(stage: Stage, name: str, models: Mapping[str, str]) -> Iterator[tuple[Server, str, Path]]:
    """A server under strace, its database's URL, and the record, which is whole when the server has ended."""
    found, record = stage.found, stage.folder / f"{name}.strace"
    with fresh_database(found.psql, found.database_server, found.inherited) as database_url:
        environment = {
            **found.inherited,
            **models,
            **stage.embedder,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            "REFLECT_DRAIN_SECONDS": "5",
        }
        log = stage.folder / f"{name}.log"
        server = Server(found.binary, environment, log, under=recorder(stage.strace, record))
        try:
            with server:
                yield server, database_url, record
        except (AssertionError, ServerProblem) as problem:
            raise Violation(f"{name}: {problem}\n{server.log_tail()}") from problem


def text_model(scripted: Mapping[str, str], url: str | None = None) -> dict[str, str]:
    """The variables of a provider that writes lessons; vectors are made in the server."""
    models = {name: value for name, value in scripted.items() if name.startswith("REFLECT_TEXT_")}
    return models if url is None else {**models, "REFLECT_TEXT_URL": url}


def run_default(stage: Stage, scripted: Mapping[str, str], seconds: float) -> tuple[Recorded, Recorded]:
    """The installation in use; what the server did, and what a process with our client did."""
    with served(stage, "server", text_model(scripted)) as (server, database_url, record):
        use = Use(server.base_url, server.master_key())
        began, rounds = time.monotonic(), 0
        use.round(rounds)
        client = run_client(stage, server.base_url, use.key)
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
    spoken = {target.address for target in recorded.targets if target.call == "connect"}
    # A record in which those are missing whom it must have spoken to says nothing about others.
    for what, some in (("database", database), ("provider", models)):
        if not spoken.intersection(some):
            raise Violation(f"the record does not have the {what} ({', '.join(some)}): {sorted(spoken)}")
    return recorded, client


def run_client(stage: Stage, base_url: str, key: str, told: str | None = None) -> Recorded:
    """A process with our Python client; with `told`, of another server than the one that is allowed."""
    name = "client" if told is None else "client-mutant"
    record, empty = stage.folder / f"{name}.strace", stage.folder / "no-certificates"
    empty.mkdir(exist_ok=True)
    spool = stage.folder / f"{name}-spool"
    command = [*recorder(stage.strace, record), str(stage.found.pythons[OWN_CLIENT]), str(CLIENT)]
    with subprocess.Popen(
        command,
        env=stage.found.own_client_environment(empty, spool),
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        place = {"base_url": told or base_url, "api_key": key, "project_id": PROJECT}
        try:
            _, said = process.communicate(json.dumps(place), timeout=CLIENT_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Violation(f"the client did not end within {CLIENT_SECONDS:g} s") from None
    if process.returncode != 0 and told is None:
        raise Violation(f"the client ended with {process.returncode}:\n{said[-2000:]}")
    return Recorded(read_record(record, process.pid), dict.fromkeys(addresses(base_url), "speak"))


def run_mutant(stage: Stage, name: str, scripted: Mapping[str, str], url: str) -> Recorded:
    """A server with another provider than the one that is allowed."""
    with served(stage, name, text_model(scripted, url)) as (server, database_url, record):
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
    """Runs everything; the last line."""
    found = find_surroundings()
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` makes it")
    with (
        tempfile.TemporaryDirectory(prefix="outbound-") as name,
        provider(found.scripted_provider, found.inherited, Path(name, "provider.log")) as scripted,
        provider(found.scripted_provider, found.inherited, Path(name, "other.log")) as other,
    ):
        strace = folder_of("strace", found.everything) / "strace"
        stage = Stage(found, strace, Path(name), minilm(found.everything))
        models = scripted.server_environment
        recorded, client = run_default(stage, models, seconds)
        for what, one in (("the server", recorded), ("a process with our Python client", client)):
            one.tell(what)
            if one.unexpected():
                raise Violation(f"{what} spoke to {', '.join(str(t) for t in one.unexpected())}")

        elsewhere = other.server_environment["REFLECT_TEXT_URL"]
        mutants = {
            "a provider that nobody allowed": run_mutant(stage, "other-provider", models, elsewhere),
            "a provider by name": run_mutant(stage, "by-name", models, NOBODY),
            "a client that is told of another server": run_client(
                stage, "http://127.0.0.1:9", "rf_live_none", told=elsewhere.removesuffix("/v1")
            ),
        }
        for what, mutant in mutants.items():
            caught = mutant.unexpected()
            if not caught:
                mutant.tell(what)
                raise Violation(f"the mutant was not caught: {what}")
            print(f"mutant caught: {what}: {', '.join(f'{t.call} {t.address}' for t in caught)}", flush=True)
        expected = Target("connect", addresses(elsewhere)[0])
        if expected not in mutants["a provider that nobody allowed"].unexpected():
            raise Violation(f"the mutant was caught for another reason: {expected} is missing")
    connections = recorded.connections() + client.connections()
    whom = "all to the database and the provider, mutant caught"
    return f"outbound: {connections} connections in {seconds:.0f} s, {whom}"


def main() -> int:
    """0 when nobody else was spoken to, 1 when somebody was, 2 when the run could not begin."""
    parser = argparse.ArgumentParser(description="Write down whom an installation in use speaks to.")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long it is used")
    seconds = parser.parse_args().seconds
    # Without this, a run that is told to end would leave its programs and its database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        line = check(seconds)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"outbound could not begin: {problem}", file=sys.stderr)
        return 2
    except (Violation, NotRecorded) as problem:
        print(f"outbound: FAILED: {problem}")
        return 1
    print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
