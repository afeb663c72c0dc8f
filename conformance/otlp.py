"""Runs that arrive as OpenTelemetry spans.

    python3 conformance/otlp.py [--quick] [--spans N] [--seed N] [--without-mutants]

Official SDKs and instrumentations in Python and Node, configured with the standard variables, send runs of
real agents to the real binary, as JSON and as protobuf. Each must arrive as one trace that is equal to what
a client stores of the same run, and takes the result of an evaluation. Then the spans of many runs arrive in
random order, some of them several times, while the server is killed: every run must be there exactly once.
Two mutants must be caught. At last, the server exports spans of its own operations: the search of an agent
must be in the trace of the agent.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from announced import NotReached
from database import DatabaseProblem
from otlp_run.compare import differences, steps_of
from otlp_run.model import MODEL, model_server
from otlp_run.place import Place, Senders, received, receiver, serving, until
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings

PYTHON_AGENTS = ("openai", "langchain", "anthropic")
NODE_AGENTS = ("current", "legacy")
ENCODINGS = ("json", "protobuf")
# As `flood.py` makes them.
SPANS_PER_RUN, MESSAGES_PER_RUN = 10, 10
FLOOD_PROJECTS = 4
MUTANTS = {"stage-spans-again": "spans without ids", "forget-ended-runs": "runs that are forgotten"}
# Several requests for each project: a run whose spans arrive in one request gets the same id every time, so
# that it would be stored once also if it was forgotten.
MUTANT_SPANS = 4_000
WAITING = "select count(*) from otlp_run where state < 2"
# While spans arrive, and while their runs are stored.
KILLS = 3
KILL_EVERY_SECONDS = 2.0
# Far above the usual time; only a run that never arrives reaches it.
PATIENCE_SECONDS = 600.0


def check(wrong: list[str], name: str) -> None:
    """Raises if there is a difference."""
    assert not wrong, f"{name}:\n" + "\n".join(wrong)


def arrived(place: Place, project: str, otel: str) -> dict[str, Any]:
    """The trace of a run that arrived as spans. It must be the only one."""
    of_run = f"select trace_id from trace t join project p using (project_id) where p.slug = '{project}'"
    of_run += f" and t.metadata ->> 'otel_trace_id' = '{otel}'"
    until(f"the run {otel}", 60, lambda: place.query(of_run))
    ids = place.query(of_run).splitlines()
    assert len(ids) == 1, f"the run {otel} is there {len(ids)} times"
    return place.project(project).call("GET", f"/traces/{ids[0]}")


def compare(place: Place, name: str, project: str, otel: str, stored: dict[str, Any]) -> None:
    """Compares a run that arrived with the trace that a client stored."""
    ours = arrived(place, project, otel)
    theirs = place.project("recorded").call("GET", f"/traces/{stored['id']}")
    both = []
    for which, trace in ((project, ours), ("recorded", theirs)):
        both.append(steps_of(place.project(which).call("GET", f"/traces/{trace['id']}/steps")))
    wrong = differences("steps", *both)
    wrong += differences("task", ours["task"], theirs["task"])
    wrong += differences("response", ours["final_response"], theirs["final_response"])
    wrong += differences("model", ours["model"], MODEL)
    check(wrong, name)
    print(f"{name}: one trace, {len(both[0])} steps", flush=True)


def evaluation(place: Place, project: str, otel: str) -> None:
    """The result of an evaluation that arrives twice is one signal about its run."""
    said = {"gen_ai.evaluation.name": "correctness", "gen_ai.evaluation.score.label": "pass"}
    record = {
        "timeUnixNano": str(time.time_ns()),
        "eventName": "gen_ai.evaluation.result",
        "traceId": otel,
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in said.items()],
    }
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()
    headers = {"Authorization": f"Bearer {place.key}", "X-Project-Id": project}
    for _ in range(2):
        request = Request(
            f"{place.server.base_url}/otlp/v1/logs", body, {**headers, "Content-Type": "application/json"}
        )
        with urlopen(request, timeout=60) as response:
            answer = json.load(response)
        assert answer == {}, f"the result of an evaluation was refused: {answer}"
    trace = arrived(place, project, otel)
    found = place.project(project).call("GET", f"/traces/{trace['id']}/signals")
    signals = len(found["signals"]) + found["withheld"]
    assert signals == 1, f"{signals} signals from one result"
    print(f"{project}: the result of an evaluation is one signal", flush=True)


def agents(place: Place) -> int:
    """Runs every agent; returns how many runs there were."""
    runs = 0
    with model_server() as url:
        for encoding in ENCODINGS:
            for framework in PYTHON_AGENTS:
                project = f"otlp-{framework}-{encoding}"
                place.project(project, grace_seconds=1)
                said = place.python_agent("agent.py", [framework, encoding, url], project)
                compare(place, f"{framework} over {encoding}", project, said["otel"], {"id": said["sdk"]})
                evaluation(place, project, said["otel"])
                runs += 1
            for form in NODE_AGENTS:
                project = f"otlp-node-{form}-{encoding}"
                place.project(project, grace_seconds=1)
                said = place.node_agent([form, encoding, url], project)
                body = {"task": said["task"], "trajectory": said["trajectory"], "model": MODEL}
                stored = place.project("recorded").call("POST", "/traces", body)
                compare(place, f"AI SDK ({form}) over {encoding}", project, said["otel"], stored)
                runs += 1
    return runs


@contextmanager
def killing(server: Server, times: int) -> Iterator[None]:
    """Kills the server some times meanwhile, and starts it again each time."""
    ended = threading.Event()
    problems: list[str] = []

    def kill() -> None:
        for _ in range(times):
            if ended.wait(KILL_EVERY_SECONDS):
                return
            try:
                server.kill()
                server.start()
            except (ServerProblem, OSError) as problem:
                problems.append(str(problem))
                return

    killer = threading.Thread(target=kill)
    killer.start()
    try:
        yield
    finally:
        ended.set()
        killer.join()
    assert not problems, f"the server did not start again: {problems}"


@dataclass(frozen=True)
class Flood:
    """What became of many runs."""

    spans: int
    runs: int
    lost: int
    doubled: int
    # What the server refused, in its words.
    refused: list[str]


def flood(place: Place, spans: int, seed: int, kills: int = 0) -> Flood:
    """Sends many runs."""
    runs = max(1, spans // SPANS_PER_RUN // FLOOD_PROJECTS)
    names = [f"flood-{number}" for number in range(FLOOD_PROJECTS)]
    sending = {
        "address": place.server.base_url.removeprefix("http://"),
        "keys": [_key_of(place, name) for name in names],
        "runs": runs,
        "seed": seed,
        "now": time.time_ns(),
    }
    sent, refused = 0, []
    # The runs wait as long as the flood takes. Then their roots arrive once more, which ends them. At last,
    # whole runs arrive again.
    for what, grace in (("everything", 3600), ("roots", 0), ("some_runs", 0)):
        for name in names:
            place.project(name, grace_seconds=grace, quiet_seconds=86400)
        with killing(place.server, kills):
            said = place.python_agent("flood.py", [], names[0], json.dumps({**sending, "what": what}))
            refused += said["problems"]
            sent += said["sent"]
            if what != "everything":
                until("the end of all runs", PATIENCE_SECONDS, lambda: place.query(WAITING) == "0")
    lost, doubled = _count(place, names, runs)
    return Flood(sent, runs * FLOOD_PROJECTS, lost, doubled, refused)


def _key_of(place: Place, project: str) -> str:
    body = {"label": "exporter", "scopes": ["trace:write"]}
    return str(place.project(project).call("POST", "/api-keys", body)["api_key"])


def _count(place: Place, names: list[str], runs: int) -> tuple[int, int]:
    """How many runs are lost, and how many are there twice or have a message twice."""
    lost = doubled = 0
    for name in names:
        rows = place.query(
            "select t.metadata ->> 'otel_trace_id', t.messages, t.task, t.final_response from trace t "
            f"join project p using (project_id) where p.slug = '{name}'"
        ).splitlines()
        seen: dict[str, int] = {}
        for row in rows:
            otel, messages, task, response = row.split("|")
            run = int(otel, 16) - 0xA0_0000_0000
            whole = task == f"Refund order {run}" and response == f"Refunded {run}"
            seen[otel] = seen.get(otel, 0) + 1
            doubled += int(messages) > MESSAGES_PER_RUN
            lost += int(messages) < MESSAGES_PER_RUN or not whole
        doubled += sum(count - 1 for count in seen.values())
        lost += runs - len(seen)
    return lost, doubled


def export(found: Surroundings, senders: Senders, folder: Path) -> None:
    """The server's own spans are in the trace of the agent."""
    output = folder / "received.jsonl"
    with receiver(senders.python, found.inherited, output) as address:
        settings = {"REFLECT_OTLP_ENDPOINT": address, "REFLECT_OTLP_HEADERS": "x-key=secret"}
        with serving(found, senders, folder, "exporting", settings) as place, model_server() as url:
            said = place.python_agent("agent.py", ["openai", "protobuf", url], "exporting")
        # The last spans are sent when the server stops.
        spans = received(output)
    searches = [span for span in spans if span["name"] == "search_memory"]
    assert searches, f"no search_memory among {spans}"
    for span in searches:
        where = (span["trace"], span["parent"], span["key"])
        assert where == (said["otel"], said["span"], "secret"), f"{span} is not in the trace {said}"
        assert "reflect.retrieval_id" in span["attributes"], f"{span}"
    print(f"export: {len(searches)} search_memory in the trace of the agent, {len(spans)} spans", flush=True)


def mutants(found: Surroundings, senders: Senders, folder: Path, seed: int) -> None:
    """Each mutant must be caught."""
    for fault, what in MUTANTS.items():
        with serving(found, senders, folder, fault, {"REFLECT_FAULT": fault}) as place:
            seen = flood(place, MUTANT_SPANS, seed)
        assert seen.doubled > 0, f"the mutant {fault} ({what}) was not caught"
        print(f"mutant {fault} ({what}): caught, {seen.lost} lost, {seen.doubled} doubled", flush=True)


def run(arguments: argparse.Namespace) -> Flood:
    """Everything; returns what became of all runs."""
    found = find_surroundings()
    senders = Senders.find(found.pythons["own"].parents[3])
    with tempfile.TemporaryDirectory(prefix="otlp-") as name:
        folder = Path(name)
        with serving(found, senders, folder, "server") as place:
            try:
                real = agents(place)
                flooded = flood(place, arguments.spans, arguments.seed, KILLS)
                assert not flooded.refused, f"the flood was refused: {flooded.refused}"
            except AssertionError:
                log = place.server.log_tail()
                print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)
                raise
        export(found, senders, folder)
        if not arguments.without_mutants:
            mutants(found, senders, folder, arguments.seed)
    return replace(flooded, runs=flooded.runs + real)


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="5,000 spans instead of 100,000")
    parser.add_argument("--spans", type=int, help="how many spans arrive in random order")
    parser.add_argument("--seed", type=int, default=20261118, help="of the order")
    parser.add_argument("--without-mutants", action="store_true", help="leave out the mutants")
    arguments = parser.parse_args()
    arguments.spans = arguments.spans or (5_000 if arguments.quick else 100_000)
    return arguments


def main() -> int:
    """Exit code 0: every run is there once; 1: it is not; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    os.environ.setdefault("PYTHONUTF8", "1")
    try:
        seen = run(parsed())
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"otlp could not start: {problem}", file=sys.stderr)
        return 2
    except (AssertionError, OSError) as problem:
        print(f"otlp: BROKEN: {problem}")
        return 1
    print(f"otlp: {seen.spans} spans, {seen.runs} runs, {seen.lost} lost, {seen.doubled} doubled")
    return 1 if seen.lost or seen.doubled else 0


if __name__ == "__main__":
    sys.exit(main())
