"""Changes the embedding model of a project under continuous load, with the real embedder.

    python3 conformance/respace.py

Two servers get queries and writes continuously while a third process embeds hundreds of memories in a second
space. That process is killed during the work. The spaces are compared; queries switch to the second space,
back, and again to the second; then the first space is removed. No query may fail, fall back to keyword
search, or compare with vectors of another space.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from announced import NotReached
from database import DatabaseProblem, ask_database, fresh_database
from real_models import local_embedder
from respace_audit import CACHE_SECONDS, Audit
from respace_load import CallFailed, Client, Load, run, tasks
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings

PROJECT = "respace"
MEMORIES = 300
# How long queries use one space: longer than a process caches the previous one.
PHASE = CACHE_SECONDS + 1.0
# Far above the usual time; only a step that hangs reaches it.
DEADLINE = 180.0


class Broken(Exception):
    """A check failed."""


def check(holds: bool, what: str) -> None:
    """Raises `Broken` if a condition is false."""
    if not holds:
        raise Broken(what)


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    """Waits for a condition."""
    deadline = time.monotonic() + DEADLINE
    while not condition():
        if time.monotonic() > deadline:
            raise Broken(f"waited {DEADLINE:g} s for {what}")
        time.sleep(0.02)


class Change:
    """The whole change, against running servers."""

    def __init__(self, client: Client, load: Load, sql: Callable[[str], str]) -> None:
        self.client = client
        self.load = load
        self.sql = sql
        self.began = time.monotonic()

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    def step(self, name: str, body: object | None = None) -> dict[str, object]:
        done = self.client.do("POST", f"/embedding-change{name}", body or {})
        return dict(done)

    def state(self) -> dict[str, object]:
        return dict(self.client.do("GET", "/embedding-change"))

    def fill(self, kill_worker: Callable[[], None], start_worker: Callable[[], None]) -> Audit:
        """Migrates until every memory is in both spaces; kills the worker during the migration."""
        started = self.step("")
        first, second = started["from"], started["to"]
        assert isinstance(first, dict) and isinstance(second, dict)
        audit = Audit(self.sql, int(first["space_id"]), int(second["space_id"]))
        self.say(f"started: {started['total']} memories to embed, by their {second['key_text']}")
        wait_for("the migration to start", lambda: int(str(self.state()["done"])) > 0)
        kill_worker()
        killed = self.state()
        done, total = int(str(killed["done"])), int(str(killed["total"]))
        check(
            killed["state"] == "filling" and done < total,
            f"the migration was finished before the kill: {killed}",
        )
        self.say(f"the worker was killed with {done} of {total} embedded")
        status, _, _ = self.client.call("POST", "/embedding-change/switch", {})
        check(status == 409, f"a switch during the migration was answered with {status}")
        start_worker()
        wait_for("the migration to end", lambda: self.state()["state"] == "ready")
        missing = audit.without_vector(audit.first, audit.second)
        check(missing == 0, f"{missing} memories lack a vector although the change is ready")
        self.say("ready: every memory has its vector in both spaces")
        return audit

    def compare(self) -> float:
        compared = self.client.do("POST", "/embedding-change/compare", {"questions": 200, "limit": 5})
        check(compared["questions"] >= 100, f"only {compared['questions']} questions were compared")
        check(compared["overlap"] < 0.9, "two spaces that differ give the same answers")
        suggested = float(compared["suggested_similarity_threshold"])
        self.say(
            f"compared {compared['questions']} questions: overlap {compared['overlap']:.2f}, "
            f"same first {compared['same_first']:.2f}, {compared['rank_change']:.1f} places moved, "
            f"threshold {suggested:.2f} suggested for {compared['from']['similarity_threshold']:.2f}"
        )
        return suggested

    def phase(self, audit: Audit, space: int, what: str) -> None:
        """Checks that all queries use one space, except those of a process with a cached value."""
        since = audit.now()
        time.sleep(PHASE)
        asked, elsewhere = audit.receipts_elsewhere(space, since, audit.now())
        check(asked > 0, f"there were no queries while {what}")
        check(elsewhere == 0, f"{elsewhere} of {asked} queries used another space while {what}")
        self.say(f"{what}: {asked} questions, all of them of space {space}")

    def go_through(self, audit: Audit) -> None:
        threshold = self.compare()
        self.step("/switch", {"similarity_threshold": threshold})
        self.phase(audit, audit.second, "switched")
        self.step("/rollback")
        self.phase(audit, audit.first, "rolled back")
        self.step("/switch")
        self.phase(audit, audit.second, "switched again")
        audit.keep_vectors()
        self.step("/finish")
        wait_for("the old vectors to go", lambda: audit.left_in(audit.first) == 0)
        self.say("finished: the first space is empty")


def seed(client: Client) -> list[str]:
    """Stores the initial memories."""
    chosen = tasks(MEMORIES)
    runs = [run(task, number, authored=True) for number, task in enumerate(chosen)]
    for at in range(0, len(runs), 50):
        for result in client.do("POST", "/traces/batch", {"traces": runs[at : at + 50]})["results"]:
            check("error" not in result, f"a run was not stored: {result}")
    return chosen


def prove(found: Surroundings, folder: Path, stack: ExitStack) -> str:
    """Starts everything and runs the migration; returns a summary."""
    url = stack.enter_context(fresh_database(found.psql, found.database_server, found.inherited))
    environment = {
        **found.inherited,
        **local_embedder(found.everything),
        "REFLECT_DATABASE_URL": url,
        "REFLECT_LOG": "info,reflect_server::http::observe=warn",
        "REFLECT_DRAIN_SECONDS": "2",
        # The embedding speed of a busy machine is not tested here.
        "REFLECT_QUESTION_MS": "20000",
    }
    apis = [
        stack.enter_context(
            Server(found.binary, {**environment, "REFLECT_ROLE": "api"}, folder / f"api{n}.log")
        )
        for n in (1, 2)
    ]
    workers: list[Server] = []

    def start_worker() -> None:
        log = folder / f"worker{len(workers) + 1}.log"
        workers.append(
            stack.enter_context(Server(found.binary, {**environment, "REFLECT_ROLE": "worker"}, log))
        )

    start_worker()
    key = apis[0].master_key()
    client = Client(apis[0].base_url, key, PROJECT)
    began = time.monotonic()
    asked = seed(client)
    print(f"seeded {MEMORIES} memories in {time.monotonic() - began:.1f} s", flush=True)

    def sql(statement: str) -> str:
        return ask_database(found.psql, url, statement, found.inherited)

    with Load([api.base_url for api in apis], key, PROJECT, asked) as load:
        change = Change(client, load, sql)
        wait_for("the first questions", lambda: load.questions > 200)
        audit = change.fill(lambda: workers[0].kill(), start_worker)
        change.go_through(audit)
        enough = load.questions + 50
        wait_for("some more questions", lambda: load.questions > enough)
    audit.keep_vectors()
    wait_for("every review to be learned from", lambda: audit.unfinished() == 0)
    missing = audit.without_vector(audit.second)
    check(missing == 0, f"{missing} memories have no vector in the end")
    receipts, mixed, lines, telling = audit.mixed()
    change.say(
        f"computed {lines} similarities of {receipts} receipts again; {telling} would differ elsewhere"
    )
    check(receipts >= load.questions * 0.9, f"only {receipts} of {load.questions} receipts could be checked")
    check(telling >= lines * 0.8, "the two spaces are too alike to prove anything")
    for problem in load.problems[:5]:
        print(f"failed: {problem}", file=sys.stderr)
    check(not load.problems, f"{len(load.problems)} calls failed or fell back to keyword search")
    check(audit.degraded() == 0, "some queries fell back to keyword search")
    check(mixed == 0, f"{mixed} receipts hold similarities of another space")
    beside = f"{load.runs} runs learned from beside them"
    return f"{load.questions} queries, 0 failed, 0 mixed, rolled back ({beside})"


def main() -> int:
    """Exit code 0: all checks passed; 1: one failed; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        with tempfile.TemporaryDirectory(prefix="respace-") as name:
            folder = Path(name)
            try:
                with ExitStack() as stack:
                    seen = prove(find_surroundings(), folder, stack)
            except (Broken, CallFailed):
                for log in sorted(folder.glob("*.log")):
                    tail = "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-15:])
                    print(f"--- the end of {log.name} ---\n{tail}", file=sys.stderr)
                raise
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the run could not start: {problem}", file=sys.stderr)
        return 2
    except (Broken, CallFailed) as problem:
        print(f"respace: BROKEN: {problem}")
        return 1
    print(f"respace: {seen}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
