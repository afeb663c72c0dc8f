"""The owner of the database: cannot be kept from changing it, but changes of the audit log are found."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from attack.registry import Impossible, attacks_of, got_in
from attack.target import Target
from database import ask_database
from server import Server, ServerProblem

attack = attacks_of("database owner")

SIGNED_SECONDS = 30.0


@dataclass(frozen=True)
class Installation:
    """A database of its own, and the settings of its servers."""

    target: Target
    environment: dict[str, str]
    log: Path

    def server(self) -> Server:
        """A server of the installation."""
        return Server(self.target.found.binary, self.environment, self.log)

    def command(self, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Runs the binary as the operator."""
        return self.target.command(*arguments, check=check, environment=self.environment)

    def sql(self, statement: str) -> str:
        """Runs a statement as the owner."""
        found = self.target.found
        return ask_database(found.psql, self.environment["REFLECT_DATABASE_URL"], statement, found.inherited)


@contextmanager
def another_installation(target: Target, **settings: str) -> Iterator[Installation]:
    """An empty database on the same database server."""
    name = target.fresh("installation").replace("-", "_") + f"_{target.port}"
    base = target.environment["REFLECT_DATABASE_URL"].rpartition("/")[0]
    target.sql(f"create database {name}")
    try:
        environment = {**target.environment, **settings, "REFLECT_DATABASE_URL": f"{base}/{name}"}
        yield Installation(target, environment, target.folder / f"{name}.log")
    except ServerProblem as problem:
        raise Impossible(str(problem)) from problem
    finally:
        target.sql(f"drop database {name} with (force)")


@attack("changed and removed audit entries", watched=False)
def changed_audit_log(target: Target) -> str:
    """What the owner changes or removes after a signature is found by `reflect audit verify`."""
    key = target.folder / target.fresh("audit-key")
    with another_installation(target, REFLECT_AUDIT_KEY_FILE=str(key)) as other:
        other.command("audit", "key", "--file", str(key))
        with other.server() as server:
            for _ in range(4):
                server.master_key()
        # The chain is extended and signed after a start.
        with other.server():
            _until_signed(other)
        if other.command("audit", "verify", check=False).returncode != 0:
            raise Impossible("the audit log is not valid before anything was changed")
        changes = {
            "a changed actor": "update audit_entry set actor = 'mallory'",
            "a changed target": "update audit_entry set target = 'x'",
            "a removed entry": "delete from audit_entry",
            "a removed link": "delete from audit_link",
        }
        which = "where ctid in (select ctid from {} order by 1 desc limit 1)"
        for name, change in changes.items():
            table = "audit_link" if "audit_link" in change else "audit_entry"
            other.sql(f"create table kept as select * from {table}")
            other.sql(f"alter table {table} disable trigger user; {change} {which.format(table)}")
            done = other.command("audit", "verify", check=False)
            if done.returncode == 0:
                got_in(f"{name} is not found")
            other.sql(f"delete from {table}; insert into {table} select * from kept; drop table kept")
    return f"{len(changes)} changes found"


def _until_signed(other: Installation) -> None:
    deadline = time.monotonic() + SIGNED_SECONDS
    while "audit-head-1:" not in other.log.read_text(encoding="utf-8", errors="replace"):
        if time.monotonic() > deadline:
            raise Impossible("the audit log was not signed")
        time.sleep(0.2)


@attack("setup links in the log of an installation without members", row=8, watched=False)
def logged_links(target: Target) -> str:
    """An installation that is used through the API only does not log a link for an admin at every start."""
    with another_installation(target) as other:
        for _ in range(3):
            with other.server() as server:
                server.master_key()
        logged = other.log.read_text(encoding="utf-8", errors="replace").count("/setup?t=")
    if logged > 1:
        got_in(f"three starts logged {logged} links that create an admin")
    return f"{logged} links in three starts"
