"""Finds what a run needs: the programs, the clients, the database server.

No other file here reads the environment.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LATEST, OLDEST = "0.3.3", "0.2.0"
# Our own client, out of this checkout.
OWN = "own"
OWN_SOURCES = ROOT / "sdks" / "python" / "src"
# The Rust client, behind a package with the names of the Python ones.
RUST = "rust"
RUST_SOURCES = ROOT / "conformance" / "through_rust"

# What a child process may inherit. Everything else is left out: a developer's own settings or a
# provider's key must not change what is tested.
INHERITED = ("PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "RUST_LOG", "RUST_BACKTRACE")


class Missing(Exception):
    """Something the run needs is not there."""


@dataclass(frozen=True)
class Surroundings:
    """Where everything is."""

    binary: Path
    scripted_provider: Path
    rust_driver: Path
    pythons: Mapping[str, Path]
    psql: Path
    database_server: str
    inherited: Mapping[str, str]
    # All of it, for the project's own commands, which have settings of their own.
    everything: Mapping[str, str]

    def client_environment(self, empty_folder: Path) -> dict[str, str]:
        """The environment of a process that uses a published client."""
        return {
            **self.inherited,
            "NO_PROXY": "*",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            # The clients load the machine's certificates for every single call. Nothing here
            # speaks TLS, and with none to load the run takes a fraction of the time.
            "SSL_CERT_DIR": str(empty_folder),
        }

    def own_client_environment(self, empty_folder: Path, spool: Path) -> dict[str, str]:
        """The environment of a process that uses our client, which keeps what it sends in the spool."""
        own = {"PYTHONPATH": str(OWN_SOURCES), "REFLECT_SPOOL_DIR": str(spool)}
        return {**self.client_environment(empty_folder), **own}

    def rust_client_environment(self, empty_folder: Path) -> dict[str, str]:
        """The environment of a process that uses the Rust client, and of the program that has it."""
        return {**self.client_environment(empty_folder), "PYTHONPATH": str(RUST_SOURCES)}


def find_surroundings() -> Surroundings:
    """Reads the environment; says what is missing and what makes it."""
    environ = os.environ
    programs = Path(environ.get("CARGO_TARGET_DIR") or ROOT / "target") / "debug"
    binary = Path(environ.get("REFLECT_BIN") or programs / "reflect").absolute()
    if not binary.is_file():
        raise Missing(f"no binary at {binary}: build it with `cargo build`, or set REFLECT_BIN")
    cache = _cache_folder(environ)
    pythons = {v: cache / "clients" / v / "bin" / "python" for v in (LATEST, OLDEST, OWN)}
    for version, python in pythons.items():
        if not python.exists():
            raise Missing(f"no client {version} in {cache}: `cargo xtask setup` installs it")
    # Nothing of a client in it but the HTTP library, which is what the cases need.
    pythons[RUST] = pythons[OWN]
    psql = next(iter(sorted(cache.glob("postgres/**/pginstall18/bin/psql"))), None)
    on_path = shutil.which("psql")
    if psql is None and on_path is None:
        raise Missing(f"no psql in {cache}: `cargo xtask setup` installs it")
    return Surroundings(
        binary=binary,
        scripted_provider=(programs / "scripted-provider").absolute(),
        rust_driver=(programs / "conformance-driver").absolute(),
        pythons=pythons,
        psql=psql or Path(str(on_path)),
        database_server=environ.get("REFLECT_TEST_DATABASE_URL")
        or "postgres://reflect@127.0.0.1:54329/postgres",
        inherited={name: environ[name] for name in INHERITED if name in environ},
        everything=dict(environ),
    )


def whole_environment() -> dict[str, str]:
    """All of it, for a run that needs nothing else of this file."""
    return dict(os.environ)


def _cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder that `cargo xtask setup` fills."""
    if environ.get("REFLECT_CACHE"):
        return Path(environ["REFLECT_CACHE"]).absolute()
    if os.geteuid() == 0:
        return Path("/var/cache/reflect")
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reflect"
