"""Finds the prerequisites of a run: programs, clients, database server.

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
# Our Python client from this checkout.
OWN = "own"
OWN_SOURCES = ROOT / "sdks" / "python" / "src"
# Our clients in other languages, behind a package with the names of the Python client.
RUST = "rust"
TYPESCRIPT = "typescript"
DRIVER_SOURCES = ROOT / "conformance" / "through_driver"
TYPESCRIPT_DRIVER = ROOT / "conformance" / "typescript-driver" / "main.mjs"
TYPESCRIPT_SDK = ROOT / "sdks" / "typescript" / "dist" / "index.js"

# The variables that a child process inherits. All others are removed: a developer's settings or a
# provider's key must not influence the test.
INHERITED = ("PATH", "HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH", "RUST_LOG", "RUST_BACKTRACE")


class Missing(Exception):
    """A prerequisite of the run is missing."""


@dataclass(frozen=True)
class Surroundings:
    """The locations of all prerequisites."""

    binary: Path
    scripted_provider: Path
    rust_driver: Path
    pythons: Mapping[str, Path]
    psql: Path
    database_server: str
    inherited: Mapping[str, str]
    # The complete environment, for the project's own commands.
    everything: Mapping[str, str]

    def client_environment(self, empty_folder: Path) -> dict[str, str]:
        """The environment of a process that uses a published client."""
        return {
            **self.inherited,
            "NO_PROXY": "*",
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUTF8": "1",
            # The published clients load the system's certificates for every call. The tests use no
            # TLS, so an empty certificate folder makes the run much faster.
            "SSL_CERT_DIR": str(empty_folder),
        }

    def own_client_environment(self, empty_folder: Path, spool: Path) -> dict[str, str]:
        """The environment of a process that uses our client, with its spool folder."""
        own = {"PYTHONPATH": str(OWN_SOURCES), "REFLECT_SPOOL_DIR": str(spool)}
        return {**self.client_environment(empty_folder), **own}

    def driver_environment(self, empty_folder: Path) -> dict[str, str]:
        """The environment of a process that uses a client in another language, and of its driver."""
        return {**self.client_environment(empty_folder), "PYTHONPATH": str(DRIVER_SOURCES)}


def find_surroundings() -> Surroundings:
    """Reads the environment; raises `Missing` with the command that creates a missing part."""
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
    # It contains only the HTTP library, which the cases need.
    pythons[RUST] = pythons[TYPESCRIPT] = pythons[OWN]
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
    """The complete environment, for a run that needs no other prerequisite."""
    return dict(os.environ)


def _cache_folder(environ: Mapping[str, str]) -> Path:
    """The folder that `cargo xtask setup` fills."""
    if environ.get("REFLECT_CACHE"):
        return Path(environ["REFLECT_CACHE"]).absolute()
    if os.geteuid() == 0:
        return Path("/var/cache/reflect")
    return Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "reflect"
