"""Runs the 56 compatibility items against the real binary, through the published clients and through ours.

    python3 conformance/run.py [--items 1-8,35] [--through published|own|rust] [--verbose]

Starts a scripted provider and the server on a fresh database, runs the items, prints one line per item; then
the same again through our Python client, with all items that a client has a part in, and through our Rust
client; and then the sums.
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
from database import DatabaseProblem, fresh_database
from provider import provider
from report import ITEMS, BadList, Report, read_not_applicable, read_not_yet
from server import BASE_PATH, Server, ServerProblem
from stage import Stage, run_stage
from surroundings import LATEST, OLDEST, OWN, RUST, Missing, Surroundings, find_surroundings

NOT_YET = Path(__file__).with_name("not-yet.toml")
NOT_THROUGH_RUST = Path(__file__).with_name("not-through-rust.toml")

# Bootstrapping closes once somebody has a master key, so its two items come first and the
# harness makes its own key after them.
BEFORE_ANY_KEY = frozenset({9, 10})
THROUGH_OLDEST = frozenset({48})
# About the oldest client itself, and about another protocol.
NOT_THROUGH_OWN = THROUGH_OLDEST | {56}
THROUGH = ("published", "own", "rust")


def parse_items(text: str) -> list[int]:
    """`1-8,35` as numbers."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen.update(range(int(first), int(last or first) + 1))
    if not chosen <= set(ITEMS):
        raise argparse.ArgumentTypeError(f"items are {ITEMS[0]} to {ITEMS[-1]}")
    return sorted(chosen)


def published_stages(items: Sequence[int]) -> list[Stage]:
    """The items through the published clients."""
    oldest = [i for i in items if i in THROUGH_OLDEST]
    rest = [i for i in items if i not in BEFORE_ANY_KEY | THROUGH_OLDEST]
    return _stages((LATEST, [i for i in items if i in BEFORE_ANY_KEY]), (OLDEST, oldest), (LATEST, rest))


def own_stages(items: Sequence[int]) -> list[Stage]:
    """The items through our Python client."""
    rest = [i for i in items if i not in BEFORE_ANY_KEY]
    return _stages((OWN, [i for i in items if i in BEFORE_ANY_KEY]), (OWN, rest))


def rust_stages(items: Sequence[int], driver: Path) -> list[Stage]:
    """The items through our Rust client."""
    if not driver.is_file():
        raise Missing(f"no {driver}: `cargo build -p reflect-conformance-driver` makes it")
    rest = [i for i in items if i not in BEFORE_ANY_KEY]
    planned = _stages((RUST, [i for i in items if i in BEFORE_ANY_KEY]), (RUST, rest))
    return [replace(stage, arguments=("--driver", str(driver))) for stage in planned]


def _stages(*planned: tuple[str, list[int]]) -> list[Stage]:
    return [Stage(version, tuple(chosen)) for version, chosen in planned if chosen]


def run(found: Surroundings, report: Report, stages: Sequence[Stage]) -> str:
    """Runs the stages with a server and a database of their own; returns the end of the server's log."""
    token = secrets.token_urlsafe(24)
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` makes it")
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
        try:
            with server:
                setting: dict[str, Any] = {
                    "base_url": server.base_url,
                    "base_path": BASE_PATH,
                    "bootstrap_token": token,
                    "master_key": "",
                    "failing_task": scripted.failing_task,
                }
                for stage in stages:
                    if not BEFORE_ANY_KEY.issuperset(stage.items) and not setting["master_key"]:
                        setting["master_key"] = server.master_key()
                    environment = _environment(found, stage, Path(folder))
                    for result in run_stage(stage, found.pythons[stage.version], setting, environment):
                        report.add(result)
        except ServerProblem as problem:
            raise ServerProblem(f"{problem}\n{server.log_tail()}") from problem
        return server.log_tail()


def _environment(found: Surroundings, stage: Stage, folder: Path) -> Mapping[str, str]:
    empty = folder / "no-certificates"
    empty.mkdir(exist_ok=True)
    if stage.version == OWN:
        return found.own_client_environment(empty, folder / "spool")
    if stage.version == RUST:
        return found.rust_client_environment(empty)
    return found.client_environment(empty)


def main() -> int:
    """0 when no item failed, 1 when one did, 2 when the run could not begin."""
    parser = argparse.ArgumentParser(description="Run the compatibility items.")
    parser.add_argument("--items", type=parse_items, default=list(ITEMS), help="such as 1-8,35")
    parser.add_argument("--through", choices=THROUGH, help="only these clients")
    parser.add_argument("--verbose", action="store_true", help="say why the items not yet there fail")
    options = parser.parse_args()
    # Without this, a run that is told to end would leave its server and its database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    through = THROUGH if options.through is None else (options.through,)
    reports: list[Report] = []
    try:
        found = find_surroundings()
        for report, stages in planned(found, options.items, through, options.verbose):
            reports.append(report)
            conclude(report, run(found, report, stages))
    except (Missing, BadList, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"conformance could not run: {problem}", file=sys.stderr)
        return 2
    # The published clients' sum is the last line.
    for report in reversed(reports):
        print(report.summary(), flush=True)
    return 1 if any(report.failed for report in reports) else 0


def planned(
    found: Surroundings, items: Sequence[int], through: Sequence[str], verbose: bool
) -> Iterator[tuple[Report, list[Stage]]]:
    """What is run, one after the other: the report that takes the results, and the stages that give them."""
    if "published" in through:
        waiting = read_not_yet(NOT_YET, verbose=verbose)
        yield Report(items, waiting, sys.stdout), published_stages(items)
    own_items = [item for item in items if item not in NOT_THROUGH_OWN]
    if "own" in through and own_items:
        print("\n--- the same through our Python client ---", flush=True)
        yield Report(own_items, None, sys.stdout, title="conformance through our SDK"), own_stages(own_items)
    if "rust" in through:
        print("\n--- the same through our Rust client ---", flush=True)
        foreign = read_not_applicable(NOT_THROUGH_RUST)
        report = Report(items, foreign, sys.stdout, title="conformance through the Rust SDK")
        yield report, rust_stages(items, found.rust_driver)


def conclude(report: Report, log: str) -> None:
    """Ends a report; what the server said last is shown when an item failed."""
    if not report.close():
        print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
