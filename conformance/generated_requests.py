"""Generates requests from the API description, and compares every answer with it.

    python3 conformance/generated_requests.py [--examples N] [--seed N] [--only OPERATION]

Schemathesis generates valid and invalid requests for every operation. Each is sent to the real binary as
every kind of caller: without a key, with keys of every strength, and as members of every role below
`/console/api`. Ids of objects that exist replace most generated ones. The run fails if an answer has a status
5xx, or a status or a body that the description does not have; if a caller is let in or refused other than the
route table says; or if the log has a panic.

Operations that would end the run are left out: they revoke its keys and sessions, or delete its project.

Then four mutants must be caught: descriptions with errors, and a database without a table.
"""

from __future__ import annotations

import argparse
import copy
import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from attack.target import AGENT_SCOPES, SCOPES, Target
from database import DatabaseProblem, fresh_database
from generated_requests_run.expected import Caller
from provider import provider
from server import Server, ServerProblem
from surroundings import ROOT, Missing, Surroundings, find_surroundings, whole_environment

WORKER = ROOT / "conformance" / "generated_requests_run" / "worker.py"
PROJECT = "generated"
# The processes that generate and send, each for a part of the operations.
WORKERS = 2
WORKER_SECONDS = 6 * 3600.0
EXCLUDED = {
    "delete_project": "deletes the project of the run",
    "revoke_api_key": "revokes keys of the run",
    "log_out": "ends the session of the run",
    "get_events": "its response does not end",
}
# Of the answers to callers that may use everything, this share may be refusals.
MOST_REFUSED = 0.10


@dataclass(frozen=True)
class Mutant:
    """A defect that the run must find, on one operation."""

    name: str
    operation: str
    # The findings in which it shows.
    shows_in: str
    statement: str = ""

    def change(self, description: dict[str, Any]) -> None:
        """Plants the defect in the description."""
        for item in description["paths"].values():
            for operation in item.values():
                if not isinstance(operation, dict) or operation.get("operationId") != self.operation:
                    continue
                if self.name == "undocumented status":
                    operation["responses"].pop("4XX")
                elif self.name == "other body":
                    content = operation["responses"]["200"]["content"]["application/json"]
                    content["schema"] = {"type": "object", "required": ["no_such_field"]}
                elif self.name == "other scope":
                    operation["security"] = [{"api_key": ["project:admin"]}]


MUTANTS = (
    Mutant("undocumented status", "get_trace", "undocumented"),
    Mutant("other body", "get_project", "undocumented"),
    Mutant("other scope", "list_traces", "refusals"),
    Mutant("missing table", "get_skill", "server_errors", "drop table skill cascade"),
)


def callers(target: Target) -> tuple[list[Caller], dict[str, str]]:
    """Everyone who sends requests, and ids of a key and a member that the run does not use."""

    def with_key(name: str, scopes: tuple[str, ...], key: str, is_master: bool = False) -> Caller:
        return Caller(name, {"Authorization": f"Bearer {key}"}, list(scopes), is_master=is_master)

    def key(*scopes: str, trust: str = "normal") -> str:
        return str(target.new_key(PROJECT, *scopes, trust=trust)["api_key"])

    read = ("memory:read", "trace:read")
    found = [
        # Of this server, because a page of another one is refused before the lack of a credential.
        Caller("no key", {"Origin": target.base_url}, None),
        with_key("an untrusted key", AGENT_SCOPES, key(*AGENT_SCOPES, trust="untrusted")),
        with_key("a read key", read, key(*read)),
        with_key("a write key", AGENT_SCOPES, key(*AGENT_SCOPES)),
        with_key("an admin key", SCOPES, key(*SCOPES)),
        with_key("a master key", SCOPES, target.master, is_master=True),
    ]
    for role in ("viewer", "reviewer", "maintainer", "admin"):
        visitor = target.member(role, f"{role} of the run")
        session = visitor.must("GET", "/console/api/session")
        scopes = next(one["scopes"] for one in session["projects"] if one["project_id"] == PROJECT)
        cookie = "; ".join(f"{name}={value}" for name, value in visitor.cookies.items())
        headers = {"Cookie": cookie, "Origin": target.base_url}
        found.append(Caller(f"a {role}", headers, scopes, role=role))
    victim = target.new_key(PROJECT, "memory:read")
    target.member("viewer", "victim")
    members = target.member("admin", "the one who looks").must("GET", "/console/api/members")
    member = next(one["id"] for one in members if one["name"] == "victim")
    return found, {"key_id": victim["key"]["id"], "member_id": member, "member": member}


def work(python: Path, plan: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Runs the workers and returns their reports."""
    environment = {**whole_environment(), "PYTHONDONTWRITEBYTECODE": "1", "NO_PROXY": "*"}
    with ExitStack() as started:
        workers = [
            started.enter_context(
                subprocess.Popen(
                    [str(python), str(WORKER)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=environment,
                    text=True,
                )
            )
            for _ in range(WORKERS)
        ]
        for number, worker in enumerate(workers):
            assert worker.stdin is not None
            worker.stdin.write(json.dumps({**plan, "worker": number, "workers": WORKERS}))
            worker.stdin.close()
        said = [worker.stdout.read() if worker.stdout else "" for worker in workers]
        if any(worker.wait(WORKER_SECONDS) != 0 for worker in workers):
            raise ServerProblem("a worker ended with an error")
    return [json.loads(text) for text in said]


def panics(log: str) -> list[str]:
    """The lines of a log that tell of a panic."""
    return [line for line in log.splitlines() if "panick" in line]


def installation(found: Surroundings, folder: Path, name: str, held: ExitStack) -> Target:
    """A server with a database of its own and a scripted provider."""
    log = folder / f"{name}-provider.log"
    scripted = held.enter_context(provider(found.scripted_provider, found.inherited, log))
    url = held.enter_context(fresh_database(found.psql, found.database_server, found.inherited))
    environment = {
        **found.inherited,
        **scripted.server_environment,
        "REFLECT_DATABASE_URL": url,
        "REFLECT_LOG": "warn",
    }
    server = held.enter_context(Server(found.binary, environment, folder / f"{name}.log"))
    target = Target(server, found, environment, folder, quick=True)
    target.owner(PROJECT)
    return target


def run(found: Surroundings, python: Path, folder: Path, options: argparse.Namespace) -> bool:
    """The product, and then the mutants."""
    description = json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))
    with ExitStack() as held:
        target = installation(found, folder, "product", held)
        people, fixed = callers(target)
        plan = {
            "base_url": target.base_url,
            "master": target.master,
            "project": PROJECT,
            "fixed": fixed,
            "callers": [asdict(one) for one in people],
            "description": description,
            "excluded": sorted(EXCLUDED),
            "only": options.only,
            "count": options.examples,
            "seed": options.seed,
        }
        reports = work(python, plan)
        good = told(reports, people, panics(target.log()), options)
        # They need few requests: the defect is planted in the operation that they send.
        caught = 0
        for mutant in () if options.only else MUTANTS:
            changed = copy.deepcopy(description)
            mutant.change(changed)
            if mutant.statement:
                target.sql(mutant.statement)
            seen = work(python, {**plan, "description": changed, "only": [mutant.operation], "count": 8})
            is_caught = any(one["counts"][mutant.shows_in] for one in seen)
            caught += is_caught
            print(f"mutant {mutant.name}: {'caught' if is_caught else 'NOT CAUGHT'}", flush=True)
    if not options.only:
        print(f"{caught} of {len(MUTANTS)} mutants caught")
        good = good and caught == len(MUTANTS)
    requests = sum(sum(one["requests"].values()) for one in reports)
    errors, other = (
        sum(one["counts"][kind] for one in reports) for kind in ("server_errors", "undocumented")
    )
    print(
        f"schemathesis: {requests} requests, {errors} server errors, {other} undocumented answers", flush=True
    )
    return good


def told(
    reports: list[dict[str, Any]], people: list[Caller], crashed: list[str], options: argparse.Namespace
) -> bool:
    """Prints what was found; returns whether it is nothing."""
    total, refused = Counter[str](), Counter[str]()
    for one in reports:
        total.update(one["requests"])
        refused.update(one["refused"])
        for kind, findings in one["findings"].items():
            for finding in findings:
                print(f"--- {kind}: {finding}")
    good = not crashed and not any(count for one in reports for count in one["counts"].values())
    for line in crashed[:10]:
        print(f"--- the log: {line}")
    for caller in people:
        share = refused[caller.name] / max(1, total[caller.name])
        print(f"{caller.name}: {total[caller.name]} requests, {share:.1%} refused with 401 or 403")
        may_all = caller.name in ("an admin key", "a master key")
        if may_all and share >= MOST_REFUSED:
            print(f"--- {caller.name} is refused too often: what is behind the refusals is not tested")
            good = False
    operations = sum(len(one["operations"]) for one in reports)
    print(f"{operations} operations, seed {options.seed}, left out: {', '.join(sorted(EXCLUDED))}")
    return good


def main() -> int:
    """Exit code 0: no finding, and every mutant caught; 1: otherwise; 2: the run could not start."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--examples", type=int, default=40, help="requests per operation")
    options.add_argument("--seed", type=int, default=1, help="repeats the same requests")
    options.add_argument("--only", action="append", default=[], help="an operation id; without mutants")
    options.add_argument("--python", type=Path, required=True, help="the interpreter with Schemathesis")
    chosen = options.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix="generated-requests-") as folder:
            return 0 if run(find_surroundings(), chosen.python, Path(folder), chosen) else 1
    except (Missing, DatabaseProblem, ServerProblem, OSError) as problem:
        print(f"the run could not start: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
