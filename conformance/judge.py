"""Lets a real language model judge runs: a preview, reviews of unreviewed runs, and corrections by a person.

    python3 conformance/judge.py

Tests the whole path with a model that is not scripted. The model's verdicts are not checked, because the
model is a very small one; any verdict, or none, is accepted.
"""

from __future__ import annotations

import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from announced import NotReached
from database import DatabaseProblem, fresh_database
from project_api import ProjectApi
from real_models import TEXT_MODEL, real_models
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings

RUBRIC = "The answer has to be right, and nothing else. Let the feedback have five words at most."
RUNS = {
    "What is two plus two?": "Four.",
    "What is the capital of France?": "The capital of France is Berlin.",
    "Say hello.": "Hello!",
    "Write the word seven backwards.": "I would rather talk about the weather.",
}
# Far above the usual time; only a judge that hangs reaches it.
PATIENCE_SECONDS = 1200.0
PAUSE_SECONDS = 0.5


def go_through(project: ProjectApi) -> dict[str, Any]:
    """Stores runs, previews the judge, waits for its verdicts, adds a person's; returns its status."""
    traces: dict[str, str] = {}
    for task, answer in RUNS.items():
        trajectory = [{"role": "user", "content": task}, {"role": "assistant", "content": answer}]
        made = project.call("POST", "/traces", {"task": task, "trajectory": trajectory})
        traces[made["trace_id"]] = task

    tried = project.call("POST", "/judge/try", {"trace_id": next(iter(traces)), "rubric": RUBRIC})
    print(f"tried on {next(iter(RUNS))!r}: {tried['verdict']} ({tried['feedback_text']!r})", flush=True)
    assert tried["model"] and tried["verdict"] in {"pass", "fail", "unclear"}, f"answered {tried!r}"
    assert project.call("GET", "/judge")["last_week"]["judged"] == 0, "trying must store nothing"

    judge = {"enabled": True, "rubric": RUBRIC, "delay_seconds": 0, "blind_share": 0.5}
    project.call("PATCH", "", {"judge": judge})
    deadline = time.monotonic() + PATIENCE_SECONDS
    while (status := project.call("GET", "/judge"))["last_week"]["judged"] < len(traces):
        assert time.monotonic() < deadline, f"after {PATIENCE_SECONDS:g} s: {status!r}"
        time.sleep(PAUSE_SECONDS)
    week = status["last_week"]
    print(f"judged by {status['model']}: {week}", flush=True)
    print(status["message"], flush=True)
    assert week["passed"] + week["failed"] + week["unclear"] == len(traces), f"{week!r}"
    assert status["tokens_today"] > 0, "a real model costs tokens"

    # A person reviews every run independently of the judge.
    for trace_id in traces:
        before = project.call("GET", f"/traces/{trace_id}")["review"]
        after = project.call(
            "POST", "/reviews/batch", {"reviews": [{"trace_id": trace_id, "result": "pass", "alpha": 0.4}]}
        )["results"][0]["review"]
        assert after["result"] == "pass" and abs(after["alpha"] - 0.4) < 1e-6, f"answered {after!r}"
        said = (
            "nothing of it counted" if before is None else f"{before['result']}, a step of {before['alpha']}"
        )
        print(f"{traces[trace_id]!r}: the judge said {said}; a person said pass", flush=True)
    return project.call("GET", "/judge")


def run(found: Surroundings) -> dict[str, Any]:
    """Starts everything and runs the test; returns the judge's status."""
    with (
        tempfile.TemporaryDirectory(prefix="judge-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        real_models(found.everything, Path(folder, "model.log")) as models,
    ):
        environment = {
            **found.inherited,
            **models,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            # A verdict is short, but on a busy machine this model writes only a few words per second.
            "REFLECT_REFLECTION_TOKENS": "100",
            "REFLECT_REQUEST_SECONDS": "300",
            # A lesson that is still being written at the end is not needed.
            "REFLECT_DRAIN_SECONDS": "2",
        }
        with Server(found.binary, environment, Path(folder, "server.log")) as server:
            print(f"started {TEXT_MODEL} and the server", flush=True)
            try:
                return go_through(ProjectApi(server.base_url, server.master_key(), "judged"))
            except AssertionError:
                log = server.log_tail()
                print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)
                raise


def main() -> int:
    """Exit code 0: the whole path works; 1: it does not; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        status = run(find_surroundings())
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the judge could not start: {problem}", file=sys.stderr)
        return 2
    except (AssertionError, OSError) as problem:
        print(f"judge: BROKEN: {problem}")
        return 1
    week, agreement = status["last_week"], status["agreement"]
    print(
        f"judge: {week['judged']} judged, {week['applied']} became reviews, {week['unclear']} unclear, "
        f"{agreement['agreed']} of {agreement['pairs']} blind ones agreed with a person, "
        f"step {agreement['step']:.3f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
