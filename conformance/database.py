"""A fresh database for one run, dropped when the run ends.

Uses psql, because the harness has only the standard library.
"""

from __future__ import annotations

import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit


class DatabaseProblem(Exception):
    """The database server could not be used."""


@contextmanager
def fresh_database(psql: Path, server_url: str, environment: Mapping[str, str]) -> Iterator[str]:
    """The URL of an empty database on the given server."""
    name = f"conformance_{secrets.token_hex(6)}"
    environment = {**environment, "PGCONNECT_TIMEOUT": "5"}
    problem = _execute(psql, server_url, f"create database {name}", environment)
    if problem:
        raise DatabaseProblem(
            f"could not create a database: {problem}\n"
            "start the server with `cargo xtask db`, or set REFLECT_TEST_DATABASE_URL"
        )
    try:
        yield urlsplit(server_url)._replace(path=f"/{name}").geturl()
    finally:
        # FORCE: a killed server may have left sessions open.
        problem = _execute(psql, server_url, f"drop database {name} with (force)", environment)
        if problem:
            print(f"database {name} was left behind: {problem}", file=sys.stderr)


def ask_database(psql: Path, url: str, statement: str, environment: Mapping[str, str]) -> str:
    """Runs one statement; returns its rows, with columns separated by `|`."""
    problem, rows = _run(psql, url, statement, environment)
    if problem:
        raise DatabaseProblem(problem)
    return rows


def _execute(psql: Path, url: str, statement: str, environment: Mapping[str, str]) -> str:
    """Runs one statement; returns the error, or an empty string."""
    problem, _ = _run(psql, url, statement, environment)
    return problem


def _run(psql: Path, url: str, statement: str, environment: Mapping[str, str]) -> tuple[str, str]:
    command = [str(psql), "-X", "-A", "-t", "-q", "-w", "-v", "ON_ERROR_STOP=1", "-c", statement, url]
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        return "psql did not answer within 60 s", ""
    if done.returncode != 0:
        return done.stderr.strip() or f"psql ended with {done.returncode}", ""
    return "", done.stdout.strip()
