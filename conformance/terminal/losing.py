"""Lost connections and kills: no verdict is lost, and none counts twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path

from terminal.place import Place, kill, reviewing_process


def waiting(file: Path) -> set[str]:
    """The verdicts of an outbox that are not removed."""
    lines = [json.loads(line) for line in file.read_text().splitlines() if line.strip()]
    wrote = {line["wrote"]["id"] for line in lines if "wrote" in line}
    return wrote - {line["crossed_out"] for line in lines if "crossed_out" in line}


def killed_while_offline(place: Place, restart: Callable[[], None], mutant: bool = False) -> None:
    """The server is down and the review is killed with two unsent verdicts. The next session sends them once.

    The mutant deletes the outbox, as if the review had none.
    """
    runs = [place.run(f"Task pi {number}") for number in range(3)]
    with place.pane() as pane:
        place.review(pane)
        pane.wait_for("Task pi 0")
        place.server.kill()
        place.verdict(pane, "Task pi 0", "y")
        place.verdict(pane, "Task pi 1", "N")
        pane.wait_for("Task pi 2", "2 unsent")
        if not mutant:
            place.check(True, "without a server, the review continues and stores the verdicts")
        kill(reviewing_process(pane))
    if mutant:
        shutil.rmtree(place.folder / "state")
    restart()
    with place.pane() as pane:
        place.review(pane)
        if mutant:
            pane.wait_for("Task pi 0")
            pane.type("q")
            pane.wait_for("shell>")
            place.check(
                place.of(runs[0]) is None, "the mutant without an outbox is caught: its verdicts are lost"
            )
            place.clear()
            return
        pane.wait_for("Task pi 2")
        place.wait_of(runs[0], ("pass", ""))
        place.wait_of(runs[1], ("fail", ""))
        pane.wait_gone("unsent")
        text = pane.text()
        place.check("Task pi 0" not in text, "the next session sends them and does not show the runs again")
        pane.type("q")
        pane.wait_for("shell>")
    place.check([place.reviews_ever(run) for run in runs] == [1, 1, 0], "each counts once")
    files = list((place.folder / "state").rglob("*.jsonl"))
    modes = {file.stat().st_mode & 0o777 for file in files}
    place.check(modes == {0o600}, "only its owner can read the outbox")
    place.check(not any(map(waiting, files)), "the outbox is empty")
    place.clear()


def killed_while_sending(place: Place) -> None:
    """The server gets the verdict, the response is lost, the review is killed. The verdict counts once."""
    lesson = {"summary": "Look the price up.", "guidance": "Look the price up."}
    taught = place.call(
        "POST",
        "/traces",
        {"task": "Task rho", "trajectory": [], "review": {"result": "fail", "reflection": lesson}},
    )
    memory = taught["created_memory_id"]
    run = place.run("Task sigma", retrieved_memory_ids=[memory])
    with place.pane() as pane:
        place.review(pane)
        pane.wait_for("Task sigma", "Look the price up.")
        place.server.signal(signal.SIGSTOP)
        place.verdict(pane, "Task sigma", "y")
        pane.wait_for("1 unsent")
        kill(reviewing_process(pane))
        place.server.signal(signal.SIGCONT)
    # Whether the server stored the verdict before or not: in both cases it counts once.
    with place.pane() as pane:
        place.review(pane)
        pane.wait_for("shell>", "No runs are waiting for a review")
        place.wait_of(run, ("pass", ""))
    place.check(place.reviews_ever(run) == 1, "a verdict whose response was lost counts once")
    place.clear()


def closed_lid(place: Place, restart: Callable[[], None]) -> None:
    """The connection comes back while the review is open: unsent verdicts are sent."""
    run = place.run("Task tau")
    place.run("Task upsilon")
    with place.pane() as pane:
        place.review(pane)
        pane.wait_for("Task tau")
        place.server.kill()
        place.verdict(pane, "Task tau", "y")
        pane.wait_for("unsent: cannot reach")
        restart()
        pane.wait_gone("unsent")
        place.wait_of(run, ("pass", ""))
        place.check(place.reviews_ever(run) == 1, "unsent verdicts are sent when the server is back")
        process = reviewing_process(pane)
        pane.type("q")
        pane.wait_for("1 passed", "shell>")
        place.check(not os.path.exists(f"/proc/{process}"), "and the review ends")
    place.clear()
