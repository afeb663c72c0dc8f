"""Transcripts in the documented formats, through the real binary: lessons, runs, sessions, signals."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import threading
import time
import uuid
from typing import Any

from hooks_run.place import LESSON, TASK, Place, User
from hooks_run.transcripts import Session

# All fields that Codex accepts in the answer to a prompt; it refuses an answer with another one.
CODEX_FIELDS = {
    "continue",
    "decision",
    "hookSpecificOutput",
    "reason",
    "stopReason",
    "suppressOutput",
    "systemMessage",
}
COMMANDS = [("pytest -q", 1), ("git diff", 0), ("pytest -q", 0)]


def session_of(user: User, agent: str) -> Session:
    """A new session in the repository of a user."""
    return Session(agent, user.home, user.repository)


def lesson_and_run(place: Place, agent: str) -> None:
    """A lesson reaches the context, and the run is recorded with its receipt, its calls and its keys."""
    user = place.user(f"{agent}-run")
    user.reflect("memories", "add", "--task", TASK, "--guidance", LESSON)
    session = session_of(user, agent)

    answered = user.hook(agent, session.prompt_event("turn-1", TASK))
    session.turn("turn-1", TASK, COMMANDS, "The test passes now.")
    stopped = user.hook(agent, session.stop_event("turn-1", "The test passes now."))

    place.check(
        answered.returncode == 0 and not answered.stderr,
        f"{agent}: the hook of a prompt ends with 0",
        answered,
    )
    answer = json.loads(answered.stdout)
    specific = answer.get("hookSpecificOutput", {})
    exact = set(answer) <= CODEX_FIELDS and set(specific) == {"hookEventName", "additionalContext"}
    place.check(exact, f"{agent}: the answer has only fields that the agent accepts", answer)
    place.check(LESSON in specific["additionalContext"], f"{agent}: the lesson reaches the context", answer)
    silent = (stopped.returncode, stopped.stdout, stopped.stderr) == (0, "", "")
    place.check(silent, f"{agent}: the hook of a stop ends with 0 and writes nothing", stopped)
    run = place.traces(1, user.project)[0]
    steps = place.api(user.project).call("GET", f"/traces/{run['id']}/steps")["steps"]
    calls = [step for step in steps if step["kind"] == "tool_call"]
    results = [step for step in steps if step["kind"] == "tool_result"]
    place.check(
        len(calls) == len(results) == len(COMMANDS),
        f"{agent}: the run has all calls with their results",
        steps,
    )
    place.check(
        results[0]["failed"] and not results[2]["failed"], f"{agent}: a failed call is marked", results
    )
    place.check(
        run["task"] == TASK and run["link"] == "receipt", f"{agent}: the run is linked to its receipt", run
    )
    place.check(len(run["linked_memory_ids"]) == 1, f"{agent}: the review will count for the lesson", run)
    keys = {"session": session.id, "repository": "git.example/shop/till", "branch": "main"}
    place.check(run["keys"] == keys, f"{agent}: signals find the run by these, not by an older commit", run)
    found = {
        name: run["metadata"].get(name) for name in ("agent", "session", "repository", "branch", "tests")
    }
    expected = {
        "agent": agent,
        "session": session.id,
        "repository": "git.example/shop/till",
        "branch": "main",
        "tests": "pass",
    }
    place.check(found == expected, f"{agent}: the run has its session, repository and branch", found)
    head = subprocess.run(
        ["git", "-C", str(user.repository), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    place.check(
        run["metadata"].get("commit") == head.stdout.strip(), f"{agent}: and its commit", run["metadata"]
    )


def life_of_a_session(place: Place, agent: str) -> None:
    """Each run of a session is recorded once: stops that repeat, interruptions, late lines."""
    user = place.user(f"{agent}-session")
    session = session_of(user, agent)
    session.turn("turn-0", "From before the hooks were installed", [], "Done 0.")

    def stop(turn: str, message: str) -> None:
        user.hook(agent, session.stop_event(turn, message), "--wait")

    session.turn("turn-1", "One", [("pytest", 0)], "Done 1.")
    for _ in range(3):
        stop("turn-1", "Done 1.")
    # The second prompt was interrupted: there was no stop.
    session.turn("turn-2", "Two", [("pytest", 1)], "Done 2.")
    session.turn("turn-3", "Three", [], "Done 3.")
    stop("turn-3", "Done 3.")
    # The agent stops before it has written its last message.
    before = session.path.read_bytes()
    session.turn("turn-4", "Four", [("pytest", 0)], "Done 4.")
    whole = session.path.read_bytes()
    cut = whole.rindex(b"\n", 0, whole.index(b"Done 4.", len(before))) + 1
    session.path.write_bytes(whole[:cut])
    writer = threading.Timer(0.3, session.path.write_bytes, [whole])
    writer.start()
    stop("turn-4", "Done 4.")
    writer.join()
    # A prompt that begins before the stop of the last one is handled is not recorded before it has ended.
    session.turn("turn-5", "Five", [], "Done 5.")
    event = session.stop_event("turn-5", "Done 5.")
    kept = session.path.read_bytes()
    session.turn("turn-6", "Six", [], "Not yet.")
    begun = session.path.read_bytes()
    # All but its answer, which is not written yet.
    prompt = begun[: begun.rindex(b"\n", 0, begun.index(b"Not yet.", len(kept))) + 1]
    session.path.write_bytes(kept)
    user.hook(agent, event)
    session.path.write_bytes(prompt)
    place.traces(5, user.project)
    session.path.write_bytes(begun)
    user.hook(agent, session.event("SessionEnd", "turn-6", reason="other"), "--wait")
    user.hook(agent, session.event("SessionEnd", "turn-6", reason="other"), "--wait")

    rows = place.traces(6, user.project)
    tasks = sorted(row["task"] for row in rows)
    place.check(
        tasks == sorted(["One", "Two", "Three", "Four", "Five", "Six"]), f"{agent}: each run once", tasks
    )
    answers = {row["task"]: row["final_response"] for row in rows}
    place.check(
        answers["Four"] == "Done 4.", f"{agent}: a last message that is written late is recorded", answers
    )
    place.check(user.spooled() == 0, f"{agent}: nothing is left in the spool")
    left = [path.name for path in user.home.rglob("stopped-*")] + [
        path.name for path in user.home.rglob("prompt-*")
    ]
    place.check(left == [], f"{agent}: nothing is left in the state", left)
    modes = {oct(path.stat().st_mode & 0o777) for path in state_files(user)}
    place.check(modes == {"0o600"}, f"{agent}: only the user can read the state", modes)


def state_files(user: User) -> list[Any]:
    """The files of the state folder."""
    return [path for path in (user.home / ".local/state/reflect/hooks").rglob("*") if path.is_file()]


def masked(place: Place, agent: str) -> None:
    """A credential in a prompt or in an output leaves this machine neither to the server nor to the disk."""
    user = place.user(f"{agent}-masked")
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    session = session_of(user, agent)
    prompt = f"Deploy with {secret}"
    user.hook(agent, session.prompt_event("turn-1", prompt))
    session.turn("turn-1", prompt, [(f"curl -H 'Authorization: Bearer {secret}'", 0)], "Done.")
    place.server.stop()
    user.hook(agent, session.stop_event("turn-1", "Done."), "--wait")
    on_disk = [
        path.name
        for path in (user.home / ".local/state").rglob("*")
        if path.is_file() and secret.encode() in path.read_bytes()
    ]
    place.server.start()
    place.check(on_disk == [], f"{agent}: a credential is masked on the disk", on_disk)
    user.reflect("spool", "replay")
    text = json.dumps(place.traces(1, user.project))
    place.check(
        secret not in text and "[secret:github-token#" in text, f"{agent}: and on the server", text[:500]
    )


def without_a_server(place: Place, agent: str, *flags: str) -> bool:
    """The server is down: exit code 0, spooled, delivered later. Returns whether no run is lost."""
    user = place.user(f"{agent}-down{len(flags)}")
    session = session_of(user, agent)
    is_mutant = bool(flags)
    place.server.stop()
    began = time.monotonic()
    answered = user.hook(agent, session.prompt_event("turn-1", "One"), *flags)
    session.turn("turn-1", "One", COMMANDS, "Done 1.")
    stopped = user.hook(agent, session.stop_event("turn-1", "Done 1."), "--wait", *flags)
    took = time.monotonic() - began
    spooled = user.spooled()
    place.server.start()
    if not is_mutant:
        quiet = all((ran.returncode, ran.stdout, ran.stderr) == (0, "", "") for ran in (answered, stopped))
        place.check(
            quiet, f"{agent}: without a server the hooks end with 0 and write nothing", (answered, stopped)
        )
        place.check(took < 20, f"{agent}: and take {took:.1f} s, with the run recorded")
        place.check(spooled == 1, f"{agent}: the run is in the spool", spooled)
    session.turn("turn-2", "Two", [], "Done 2.")
    # The first run of the mutant must not be found in the transcript: the state says that it is recorded.
    user.hook(agent, session.stop_event("turn-2", "Done 2."), "--wait", *flags)
    tasks = sorted(row["task"] for row in place.traces(1, user.project))
    if not is_mutant:
        place.check(tasks == ["One", "Two"], f"{agent}: it is delivered with the next run", tasks)
    return tasks == ["One", "Two"]


def recorded_again(place: Place, agent: str, *flags: str) -> bool:
    """A process ends after it has stored a run, before it saves the progress.

    Returns whether the run is recorded once.
    """
    user = place.user(f"{agent}-again{len(flags)}")
    session = session_of(user, agent)
    session.turn("turn-1", "One", COMMANDS, "Done 1.")
    ending = ("--wait", "--fault", "end-before-progress", *flags)
    ended = user.hook(agent, session.stop_event("turn-1", "Done 1."), *ending)
    stored = user.spooled()
    user.reflect("spool", "replay")
    session.turn("turn-2", "Two", COMMANDS, "Done 2.")
    user.hook(agent, session.stop_event("turn-2", "Done 2."), "--wait", *flags)
    left = user.spooled()
    tasks = sorted(row["task"] for row in place.traces(2, user.project))
    if not flags:
        place.check(
            (ended.returncode, stored) == (1, 1),
            f"{agent}: a process ends with its progress not saved",
            ended,
        )
        place.check(tasks == ["One", "Two"], f"{agent}: its run is recorded again, and is there once", tasks)
        place.check(left == 0, f"{agent}: and nothing is left in the spool", left)
    return tasks == ["One", "Two"]


def other_flags(place: Place, agent: str) -> None:
    """A process records what a killed one has left: with the flags of the hook that kept the event."""
    user = place.user(f"{agent}-flags")
    session = session_of(user, agent)
    session.turn("turn-1", "Write to ana@shop.example", [("just ci", 1)], "Done 1.")
    first = ("--wait", "--mask", "personal", "--test-command", "'just ci'", "--fault", "end-after-event")
    user.hook(agent, session.stop_event("turn-1", "Done 1."), *first)
    other = session_of(user, agent)
    other.turn("turn-1", "Write to eva@shop.example", [("just ci", 1)], "Done 2.")
    user.hook(agent, other.stop_event("turn-1", "Done 2."), "--wait", "--mask", "off")
    rows = place.traces(2, user.project)
    tests = sorted((row["task"][:12], row["metadata"].get("tests")) for row in rows)
    text = json.dumps(rows)
    place.check(
        "ana@" not in text and "eva@" in text, f"{agent}: a run is masked as its own hook says", text[:500]
    )
    place.check(tests == [("Write to [pi", "fail"), ("Write to eva", None)], f"{agent}: and its tests", tests)


def killed(place: Place, agent: str, rounds: int) -> None:
    """Background processes are killed at any time. No run is lost or doubled."""
    user = place.user(f"{agent}-killed")
    session = session_of(user, agent)
    killed_processes = 0
    for number in range(rounds):
        turn = f"turn-{number}"
        session.turn(turn, f"Run {number}", COMMANDS, f"Done {number}.")
        user.hook(agent, session.stop_event(turn, f"Done {number}."))
        killed_processes += kill_background(session, after=KILLED_AFTER[number % len(KILLED_AFTER)])
    last = f"turn-{rounds}"
    session.turn(last, f"Run {rounds}", COMMANDS, f"Done {rounds}.")
    user.hook(agent, session.stop_event(last, f"Done {rounds}."), "--wait")
    user.reflect("spool", "replay")
    tasks = sorted(row["task"] for row in place.api(user.project).call("GET", "/traces?limit=100"))
    expected = sorted(f"Run {number}" for number in range(rounds + 1))
    place.check(
        killed_processes > 0, f"{agent}: {killed_processes} of {rounds} background processes were killed"
    )
    place.check(tasks == expected, f"{agent}: and all {rounds + 1} runs are recorded once", tasks)


# In seconds: before the transcript is read, while the run is stored or sent, and mostly too late.
KILLED_AFTER = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)


def kill_background(session: Session, after: float) -> int:
    """Kills the processes that record a session. Returns how many there were."""
    time.sleep(after)
    found = 0
    for entry in os.scandir("/proc"):
        if not entry.name.isdecimal():
            continue
        try:
            with open(f"/proc/{entry.name}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
            with open(f"/proc/{entry.name}/environ", "rb") as file:
                home = f"HOME={session.folder}".encode() in file.read().split(b"\0")
            if b"--deliver" in words and home:
                os.kill(int(entry.name), 9)
                found += 1
        except OSError:
            continue  # it has ended
    return found


def signals(place: Place, agent: str) -> None:
    """The outcome of the tests is sent as a signal, once, also if the server was away at first."""
    received: list[dict[str, Any]] = []

    class Recorder(http.server.BaseHTTPRequestHandler):
        """Accepts runs and signals."""

        def do_POST(self) -> None:
            """Keeps a signal, and says that a run is stored."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer: dict[str, Any] = {}
            if self.path.endswith("/signals"):
                received.append(body)
                answer = {"id": str(uuid.uuid4()), "status": "matched", "trace_ids": [body["trace_id"]]}
            elif self.path.endswith("/traces/batch"):
                ids = [trace["trace_id"] for trace in body["traces"]]
                stored = {"ingest_status": "completed", "created_memory_id": None}
                answer = {"results": [{"trace_id": id, "id": id, **stored} for id in ids]}
            text = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing."""

    user = place.user(f"{agent}-signals")
    session = session_of(user, agent)
    # Its port is taken, and nothing listens yet.
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Recorder, bind_and_activate=False)
    server.server_bind()
    flags = [
        "--wait",
        "--base-url",
        f"http://127.0.0.1:{server.server_address[1]}",
        "--test-command",
        "'just ci'",
    ]
    for number, (commands, _) in enumerate(SIGNAL_CASES):
        turn = f"turn-{number}"
        session.turn(turn, f"Run {number}", commands, f"Done {number}.")
        if number == 1:
            server.server_activate()
            thread = threading.Thread(target=server.serve_forever, daemon=True)
            thread.start()
        user.hook(agent, session.stop_event(turn, f"Done {number}."), *flags)
    server.shutdown()
    server.server_close()
    outcomes = sorted(signal["outcome"] for signal in received)
    expected = sorted(outcome for _, outcome in SIGNAL_CASES if outcome)
    place.check(outcomes == expected, f"{agent}: exit codes of tests become signals", received)
    keys = {signal["idempotency_key"] for signal in received}
    good = len(keys) == len(received) and all(signal["source"] == "tests" for signal in received)
    place.check(good, f"{agent}: each signal has its source and its own idempotency key", received)


# The commands of a run, and the outcome that they mean.
SIGNAL_CASES: list[tuple[list[tuple[str, int]], str | None]] = [
    ([("pytest -q", 1), ("pytest -q", 0)], "pass"),
    ([("cargo test", 101)], "fail"),
    ([("just ci", 1)], "fail"),
    ([("cargo test | tail", 0), ("ls", 0)], None),
    ([("npm test", 1), ("go test ./...", 0)], "fail"),
]
