"""Lessons of a real, very small language model over reviewed runs: how many are kept, and what is served.

    python3 conformance/lessons.py
    python3 conformance/lessons.py --quick

The server rejects lessons that cannot be used and keeps the reviewer's words. Prints every lesson with its
origin, then queries every task and looks for the failures that were recorded once: the verdict as a lesson,
an echo of the prompt, feedback that is cut, and words that are inverted.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import textwrap
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from announced import NotReached
from database import DatabaseProblem, fresh_database
from lessons_run.faults import faults, undetected
from lessons_run.runs import ReviewedRun, chosen
from project_api import ProjectApi
from real_models import TEXT_MODEL, real_models
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings

# Far above the usual time; only a lesson that hangs reaches it.
PATIENCE_SECONDS = 900.0
# One request waits as long as the server allows.
ONE_WAIT_SECONDS = 45


@dataclass(frozen=True)
class Learned:
    """A run and the memory that its review became."""

    run: ReviewedRun
    memory: dict[str, Any]
    # Why the lesson of the model was replaced; `None` if it is kept.
    replaced: str | None


def learn(api: ProjectApi, run: ReviewedRun, *, inline: bool) -> Learned:
    """Sends a run with its review, or its review afterwards, in the form of the published client."""
    review = {"result": run.result, "feedback_text": run.feedback}
    body = {"task": run.task, "trajectory": run.trajectory(), "retrieved_memory_ids": [], "metadata": {}}
    if inline:
        trace_id = api.call("POST", "/traces", {**body, "review": review})["trace_id"]
    else:
        trace_id = api.call("POST", "/traces", body)["trace_id"]
        api.call("POST", f"/traces/{trace_id}/review", review)
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (trace := api.call("GET", f"/traces/{trace_id}?wait={ONE_WAIT_SECONDS}"))["created_memory_id"]:
        problem = trace["last_ingest_error"]
        assert trace["ingest_status"] != "failed", f"{run.task!r}: learning failed: {problem}"
        assert time.monotonic() < deadline, f"{run.task!r}: no memory after {PATIENCE_SECONDS:g} s: {problem}"
    assert trace["ingest_status"] == "completed", f"ingest_status is {trace['ingest_status']!r}"
    memory = api.call("GET", f"/memories/{trace['created_memory_id']}")
    if memory["origin"] == "review":
        assert memory["model"] == TEXT_MODEL, f"the lesson was written by {memory['model']!r}"
        return Learned(run, memory, None)
    assert memory["origin"] == "offline", f"origin is {memory['origin']!r}"
    reason = trace["last_ingest_error"]
    assert reason, f"{run.task!r}: the lesson was replaced, and the trace does not say why"
    return Learned(run, memory, reason)


def show(number: int, learned: Learned) -> None:
    """Prints a lesson."""
    run, memory = learned.run, learned.memory
    print(f"{number:>2}. {run.result}: {run.task}")
    if learned.replaced:
        print(f"    replaced: {learned.replaced}")
    else:
        print(f"    accepted{': ' + memory['note'] if memory['note'] else ''}")
    print(textwrap.indent(memory["reflection"], "    | ", lambda _: True), flush=True)


def bad_lessons(api: ProjectApi, learned: Learned, runs: dict[str, ReviewedRun]) -> list[str]:
    """Queries a task; returns what is wrong with the lessons that are served for it."""
    task = learned.run.task
    served = api.call("POST", "/memory/query", {"task": task, "limit": 10, "lambda": 0.5})
    found = [
        f"{memory['task']!r}: {fault}"
        for memory in served
        for fault in faults(runs[memory["task"]], memory["reflection"])
    ]
    if learned.memory["reflection"] not in [memory["reflection"] for memory in served]:
        found.append(f"{task!r}: its lesson is not served")
    block = api.call("POST", "/memory/augment", {"task": task})["memory_block"]
    if learned.run.has_words and learned.run.feedback not in block:
        found.append(f"{task!r}: the prompt does not have the feedback whole")
    return found


def go_through(api: ProjectApi, runs: tuple[ReviewedRun, ...]) -> tuple[list[Learned], set[str]]:
    """All runs, then all queries: a run that follows a query of its task would be linked to the memories."""
    # What is checked is the text of every run, not which of them the model takes for the same.
    api.call("PATCH", "", {"lessons": {"grouping": "off"}})
    lessons = []
    for number, run in enumerate(runs, 1):
        # Two in a row have the same form, since fails and passes alternate.
        lessons.append(learn(api, run, inline=(number - 1) // 2 % 2 == 0))
        show(number, lessons[-1])
    by_task = {run.task: run for run in runs}
    assert len(by_task) == len(runs), "two runs have the same task"
    return lessons, {fault for one in lessons for fault in bad_lessons(api, one, by_task)}


def start(found: Surroundings, runs: tuple[ReviewedRun, ...]) -> tuple[list[Learned], set[str]]:
    """Starts everything and goes through the runs."""
    with (
        tempfile.TemporaryDirectory(prefix="lessons-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        real_models(found.everything, Path(folder, "model.log")) as models,
    ):
        environment = {
            **found.inherited,
            **models,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            "REFLECT_DRAIN_SECONDS": "2",
        }
        with Server(found.binary, environment, Path(folder, "server.log")) as server:
            print(f"started {TEXT_MODEL} and the server", flush=True)
            try:
                return go_through(ProjectApi(server.base_url, server.master_key(), "lessons"), runs)
            except AssertionError:
                log = server.log_tail()
                print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)
                raise


def main() -> int:
    """Exit code 0: no bad lesson is served; 1: one is; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description="Check the lessons of a real, very small language model.")
    parser.add_argument("--quick", action="store_true", help="6 runs instead of 40")
    runs = chosen(parser.parse_args().quick)
    began = time.monotonic()
    if missed := undetected():
        print(f"lessons: BROKEN: the recorded failures are not found: {missed}")
        return 1
    try:
        lessons, bad = start(find_surroundings(), runs)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"lessons could not start: {problem}", file=sys.stderr)
        return 2
    except (AssertionError, OSError) as problem:
        print(f"lessons: BROKEN: {problem}")
        return 1
    for fault in sorted(bad):
        print(f"BAD: {fault}")
    reasons = Counter(one.replaced for one in lessons if one.replaced)
    for reason, count in reasons.most_common():
        print(f"replaced {count}: {reason}")
    print(f"{len(runs)} runs in {time.monotonic() - began:.0f} s")
    replaced = reasons.total()
    counts = f"{len(runs) - replaced} accepted, {replaced} replaced of {len(runs)}"
    print(f"lessons: {counts}, {len(bad)} bad lessons served")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
