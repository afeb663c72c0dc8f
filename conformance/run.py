"""Runs the 56 compatibility items against the real binary, with the published clients and with our clients.

    python3 conformance/run.py [--items 1-8,35] [--through published|own|rust|typescript] [--verbose]

Starts a scripted provider and the server on a fresh database, runs the items, and prints one line per item.
Then it runs the client-related items with our Python, Rust and TypeScript clients, and prints the totals.
"""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from announced import NotReached
from client_run import ClientRun, run_items
from database import DatabaseProblem, fresh_database
from provider import provider
from report import ITEMS, BadList, Report, read_not_applicable, read_not_yet
from server import BASE_PATH, Server, ServerProblem
from surroundings import (
    LATEST,
    OLDEST,
    OWN,
    RUST,
    TYPESCRIPT,
    TYPESCRIPT_DRIVER,
    TYPESCRIPT_SDK,
    Missing,
    Surroundings,
    find_surroundings,
)

NOT_YET = Path(__file__).with_name("not-yet.toml")
NOT_THROUGH_RUST = Path(__file__).with_name("not-through-rust.toml")
NOT_THROUGH_TYPESCRIPT = Path(__file__).with_name("not-through-typescript.toml")

# Bootstrap works only until the first master key exists, so its two items run first. The
# harness creates its own key after them.
BEFORE_ANY_KEY = frozenset({9, 10})
THROUGH_OLDEST = frozenset({48})
# These items test the oldest client itself, and another protocol.
NOT_THROUGH_OWN = THROUGH_OLDEST | {56}
THROUGH = ("published", "own", "rust", "typescript")


def parse_items(text: str) -> list[int]:
    """`1-8,35` as numbers."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen.update(range(int(first), int(last or first) + 1))
    if not chosen <= set(ITEMS):
        raise argparse.ArgumentTypeError(f"items are {ITEMS[0]} to {ITEMS[-1]}")
    return sorted(chosen)


def published_runs(items: Sequence[int]) -> list[ClientRun]:
    """The items through the published clients."""
    oldest = [i for i in items if i in THROUGH_OLDEST]
    rest = [i for i in items if i not in BEFORE_ANY_KEY | THROUGH_OLDEST]
    return _client_runs((LATEST, [i for i in items if i in BEFORE_ANY_KEY]), (OLDEST, oldest), (LATEST, rest))


def own_runs(items: Sequence[int]) -> list[ClientRun]:
    """The items through our Python client."""
    rest = [i for i in items if i not in BEFORE_ANY_KEY]
    return _client_runs((OWN, [i for i in items if i in BEFORE_ANY_KEY]), (OWN, rest))


def rust_runs(items: Sequence[int], driver: Path) -> list[ClientRun]:
    """The items through our Rust client."""
    if not driver.is_file():
        raise Missing(f"no {driver}: `cargo build -p reflect-conformance-driver` builds it")
    return _driven_runs(RUST, items, [str(driver)])


def typescript_runs(items: Sequence[int]) -> list[ClientRun]:
    """The items through our TypeScript client."""
    if not TYPESCRIPT_SDK.is_file():
        raise Missing(f"no {TYPESCRIPT_SDK}: `sdks/typescript/build.sh` builds it")
    return _driven_runs(TYPESCRIPT, items, ["node", str(TYPESCRIPT_DRIVER)])


def _driven_runs(version: str, items: Sequence[int], driver: Sequence[str]) -> list[ClientRun]:
    rest = [i for i in items if i not in BEFORE_ANY_KEY]
    planned = _client_runs((version, [i for i in items if i in BEFORE_ANY_KEY]), (version, rest))
    return [replace(client_run, arguments=("--driver", *driver)) for client_run in planned]


def _client_runs(*planned: tuple[str, list[int]]) -> list[ClientRun]:
    return [ClientRun(version, tuple(chosen)) for version, chosen in planned if chosen]


def run(found: Surroundings, report: Report, client_runs: Sequence[ClientRun]) -> str:
    """Runs the items with their own server and database; returns the end of the server's log."""
    token = secrets.token_urlsafe(24)
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` builds it")
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        provider(found.scripted_provider, found.inherited, Path(folder, "provider.log")) as scripted,
    ):
        server_environment = {
            **found.inherited,
            **scripted.server_environment,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_BOOTSTRAP_TOKEN": token,
        }
        server = Server(found.binary, server_environment, Path(folder, "server.log"))
        log = Path(folder, "prefixed.log")
        prefixed = Server(found.binary, server_environment, log, base_path=BASE_PATH)
        try:
            with server, prefixed:
                setting: dict[str, Any] = {
                    "base_url": server.base_url,
                    "prefixed_url": prefixed.base_url,
                    "bootstrap_token": token,
                    "master_key": "",
                    "failing_task": scripted.failing_task,
                }
                for client_run in client_runs:
                    if not BEFORE_ANY_KEY.issuperset(client_run.items) and not setting["master_key"]:
                        setting["master_key"] = server.master_key()
                    environment = _environment(found, client_run, Path(folder))
                    for result in run_items(
                        client_run, found.pythons[client_run.version], setting, environment
                    ):
                        report.add(result)
        except ServerProblem as problem:
            raise ServerProblem(f"{problem}\n{server.log_tail()}") from problem
        return server.log_tail()


def _environment(found: Surroundings, client_run: ClientRun, folder: Path) -> Mapping[str, str]:
    empty = folder / "no-certificates"
    empty.mkdir(exist_ok=True)
    if client_run.version == OWN:
        return found.own_client_environment(empty, folder / "spool")
    if client_run.version in (RUST, TYPESCRIPT):
        return found.driver_environment(empty)
    return found.client_environment(empty)


def main() -> int:
    """Exit code 0: no item failed; 1: an item failed; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Run the compatibility items.")
    parser.add_argument("--items", type=parse_items, default=list(ITEMS), help="such as 1-8,35")
    parser.add_argument("--through", choices=THROUGH, help="only these clients")
    parser.add_argument("--verbose", action="store_true", help="print why the items of not-yet.toml fail")
    options = parser.parse_args()
    # Without this, SIGTERM would leave the server and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    through = THROUGH if options.through is None else (options.through,)
    reports: list[Report] = []
    try:
        found = find_surroundings()
        for report, client_runs in planned(found, options.items, through, options.verbose):
            reports.append(report)
            conclude(report, run(found, report, client_runs))
    except (Missing, BadList, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"conformance could not run: {problem}", file=sys.stderr)
        return 2
    # The total of the published clients is the last line.
    for report in reversed(reports):
        print(report.summary(), flush=True)
    return 1 if any(report.failed for report in reports) else 0


def planned(
    found: Surroundings, items: Sequence[int], through: Sequence[str], verbose: bool
) -> Iterator[tuple[Report, list[ClientRun]]]:
    """The runs in order: each report with its items."""
    if "published" in through:
        waiting = read_not_yet(NOT_YET, verbose=verbose)
        yield Report(items, waiting, sys.stdout), published_runs(items)
    own_items = [item for item in items if item not in NOT_THROUGH_OWN]
    if "own" in through and own_items:
        print("\n--- the same through our Python client ---", flush=True)
        yield Report(own_items, None, sys.stdout, title="conformance through our SDK"), own_runs(own_items)
    if "rust" in through:
        print("\n--- the same through our Rust client ---", flush=True)
        foreign = read_not_applicable(NOT_THROUGH_RUST)
        report = Report(items, foreign, sys.stdout, title="conformance through the Rust SDK")
        yield report, rust_runs(items, found.rust_driver)
    if "typescript" in through:
        print("\n--- the same through our TypeScript client ---", flush=True)
        foreign = read_not_applicable(NOT_THROUGH_TYPESCRIPT)
        report = Report(items, foreign, sys.stdout, title="conformance through the TypeScript SDK")
        yield report, typescript_runs(items)


def conclude(report: Report, log: str) -> None:
    """Finishes a report; prints the end of the server's log if an item failed."""
    if not report.close():
        print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
