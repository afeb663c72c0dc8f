"""Runs the 56 compatibility items against the real binary on a fresh database.

    python3 conformance/run.py [--items 1-8,35] [--verbose]

Finds what it needs from the environment (no other file here reads it), starts the server, runs
the items through the published clients, and prints one line per item and the sum.
"""

from __future__ import annotations

import argparse
import os
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from database import DatabaseProblem, fresh_database
from provider import provider
from report import ITEMS, BadList, Report, read_not_yet
from server import BASE_PATH, Server, ServerProblem
from stage import Stage, run_stage

HERE = Path(__file__).resolve().parent
NOT_YET = HERE / "not-yet.toml"
LATEST, OLDEST = "0.3.3", "0.2.0"

# Bootstrapping closes once somebody has a master key, so its two items come first and the
# harness makes its own key after them.
BEFORE_ANY_KEY = frozenset({9, 10})
THROUGH_OLDEST = frozenset({48})

# What a child process may inherit. Everything else is left out: a developer's own settings or a
# provider's key must not change what is tested.
INHERITED = ("PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "RUST_LOG", "RUST_BACKTRACE")


class Missing(Exception):
    """Something the run needs is not there."""


@dataclass(frozen=True)
class Found:
    """Where everything is."""

    binary: Path
    pythons: Mapping[str, Path]
    psql: Path
    database_server: str
    inherited: Mapping[str, str]


def find(environ: Mapping[str, str]) -> Found:
    """Reads the environment; says what is missing and what makes it."""
    target = Path(environ.get("CARGO_TARGET_DIR") or HERE.parent / "target")
    binary = Path(environ.get("REFLECT_BIN") or target / "debug" / "reflect").absolute()
    if not binary.is_file():
        raise Missing(f"no binary at {binary}: build it with `cargo build`, or set REFLECT_BIN")
    cache = cache_folder(environ)
    pythons = {v: cache / "clients" / v / "bin" / "python" for v in (LATEST, OLDEST)}
    for version, python in pythons.items():
        if not python.exists():
            raise Missing(f"no client {version} in {cache}: `cargo xtask setup` installs it")
    psql = next(iter(sorted(cache.glob("postgres/**/pginstall18/bin/psql"))), None)
    on_path = shutil.which("psql")
    if psql is None and on_path is None:
        raise Missing(f"no psql in {cache}: `cargo xtask setup` installs it")
    return Found(
        binary=binary,
        pythons=pythons,
        psql=psql or Path(str(on_path)),
        database_server=environ.get("REFLECT_TEST_DATABASE_URL")
        or "postgres://reflect@127.0.0.1:54329/postgres",
        inherited={name: environ[name] for name in INHERITED if name in environ},
    )


def cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder that `cargo xtask setup` fills."""
    if environ.get("REFLECT_CACHE"):
        return Path(environ["REFLECT_CACHE"]).absolute()
    if os.geteuid() == 0:
        return Path("/var/cache/reflect")
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reflect"


def parse_items(text: str) -> list[int]:
    """`1-8,35` as numbers."""
    chosen: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        chosen.update(range(int(first), int(last or first) + 1))
    if not chosen <= set(ITEMS):
        raise argparse.ArgumentTypeError(f"items are {ITEMS[0]} to {ITEMS[-1]}")
    return sorted(chosen)


def run(found: Found, report: Report, items: list[int], not_yet: Mapping[int, str]) -> str:
    """Runs the items; returns the end of the server's log."""
    token = secrets.token_urlsafe(24)
    first = [i for i in items if i in BEFORE_ANY_KEY]
    oldest = [i for i in items if i in THROUGH_OLDEST]
    rest = [i for i in items if i not in BEFORE_ANY_KEY | THROUGH_OLDEST]
    with (
        tempfile.TemporaryDirectory(prefix="conformance-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        provider() as scripted,
    ):
        server_environment = {
            **found.inherited,
            **scripted.server_environment,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_BOOTSTRAP_TOKEN": token,
        }
        no_certificates = Path(folder, "no-certificates")
        no_certificates.mkdir()
        worker_environment = {
            **found.inherited,
            "NO_PROXY": "*",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            # The clients load the machine's certificates for every single call. Nothing here
            # speaks TLS, and with none to load the run takes a fraction of the time.
            "SSL_CERT_DIR": str(no_certificates),
        }
        server = Server(found.binary, server_environment, Path(folder, "server.log"))
        try:
            with server:
                setting: dict[str, Any] = {
                    "base_url": server.base_url,
                    "base_path": BASE_PATH,
                    "bootstrap_token": token,
                    "master_key": "",
                    "not_yet": sorted(not_yet),
                    "failing_task": scripted.failing_task,
                }
                for version, chosen in ((LATEST, first), (OLDEST, oldest), (LATEST, rest)):
                    if not chosen:
                        continue
                    if chosen is not first and not setting["master_key"]:
                        setting["master_key"] = server.master_key()
                    stage = Stage(version, tuple(chosen))
                    for result in run_stage(stage, found.pythons[version], setting, worker_environment):
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
        log = run(find(os.environ), report, options.items, not_yet)
    except (Missing, BadList, DatabaseProblem, ServerProblem) as problem:
        print(f"conformance could not run: {problem}", file=sys.stderr)
        return 2
    if report.failed:
        print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)
    return 0 if report.finish() else 1


if __name__ == "__main__":
    sys.exit(main())
