"""Runs the 56 compatibility items against the real binary on a fresh database.

    python3 conformance/run.py [--items 1-8,35] [--verbose]

Starts a scripted provider and the server, runs the items through the published clients, and prints
one line per item and the sum.
"""

from __future__ import annotations

import argparse
import secrets
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from announced import NotReached
from database import DatabaseProblem, fresh_database
from provider import provider
from report import ITEMS, BadList, Report, read_not_yet
from server import BASE_PATH, Server, ServerProblem
from stage import Stage, run_stage
from surroundings import LATEST, OLDEST, Missing, Surroundings, find_surroundings

NOT_YET = Path(__file__).with_name("not-yet.toml")

# Bootstrapping closes once somebody has a master key, so its two items come first and the
# harness makes its own key after them.
BEFORE_ANY_KEY = frozenset({9, 10})
THROUGH_OLDEST = frozenset({48})


def parse_items(text: str) -> list[int]:
    """`1-8,35` as numbers."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen.update(range(int(first), int(last or first) + 1))
    if not chosen <= set(ITEMS):
        raise argparse.ArgumentTypeError(f"items are {ITEMS[0]} to {ITEMS[-1]}")
    return sorted(chosen)


def run(found: Surroundings, report: Report, items: list[int]) -> str:
    """Runs the items; returns the end of the server's log."""
    token = secrets.token_urlsafe(24)
    first = [i for i in items if i in BEFORE_ANY_KEY]
    oldest = [i for i in items if i in THROUGH_OLDEST]
    rest = [i for i in items if i not in BEFORE_ANY_KEY | THROUGH_OLDEST]
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
        no_certificates = Path(folder, "no-certificates")
        no_certificates.mkdir()
        client_environment = found.client_environment(no_certificates)
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
                for version, chosen in ((LATEST, first), (OLDEST, oldest), (LATEST, rest)):
                    if not chosen:
                        continue
                    if chosen is not first and not setting["master_key"]:
                        setting["master_key"] = server.master_key()
                    stage = Stage(version, tuple(chosen))
                    for result in run_stage(stage, found.pythons[version], setting, client_environment):
                        report.add(result)
        except ServerProblem as problem:
            raise ServerProblem(f"{problem}\n{server.log_tail()}") from problem
        return server.log_tail()


def main() -> int:
    """0 when no item failed, 1 when one did, 2 when the run could not begin."""
    parser = argparse.ArgumentParser(description="Run the compatibility items.")
    parser.add_argument("--items", type=parse_items, default=list(ITEMS), help="such as 1-8,35")
    parser.add_argument("--verbose", action="store_true", help="say why the items not yet there fail")
    options = parser.parse_args()
    # Without this, a run that is told to end would leave its server and its database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        not_yet = read_not_yet(NOT_YET)
        report = Report(options.items, not_yet, sys.stdout, verbose=options.verbose)
        log = run(find_surroundings(), report, options.items)
    except (Missing, BadList, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"conformance could not run: {problem}", file=sys.stderr)
        return 2
    if report.failed:
        print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)
    return 0 if report.finish() else 1


if __name__ == "__main__":
    sys.exit(main())
