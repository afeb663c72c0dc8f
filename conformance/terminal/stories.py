"""Scenarios of a reviewer at the terminal, and what must be true afterwards."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

from terminal.pane import Pane
from terminal.place import GUARD_SECONDS, Place, reviewing_process

HOSTILE = (
    "\x1b]0;owned\x07\x1b]2;owned\x1b\\\x1b[2J\x1b[45mpurple\x1b[0m\x07\x1bPq\x1b\\"
    "\x9b45mcsi\x9d0;owned\x9c\x1b[?1049l\x1b[20;1H\u202eesrever\u2066\x00\x08\r"
)


def verdicts(place: Place) -> None:
    """Pass, fail with feedback, defer, skip, undo, and the line at the end."""
    runs = {name: place.run(f"Task {name}") for name in ("alpha", "beta", "gamma", "delta", "epsilon")}
    with place.pane() as pane:
        place.review(pane)
        pane.wait_for("Task alpha", "TASK", "ANSWER", "y pass")
        place.verdict(pane, "Task alpha", "y")
        pane.wait_for("Task beta")
        place.wait_of(runs["alpha"], ("pass", ""))
        place.check(True, "y passes a run and shows the next one")

        place.verdict(pane, "Task beta", "n")
        pane.wait_for("What was wrong?")
        pane.type("the order cost 24; y n u q are only letters")
        pane.wait_for("only letters")
        pane.press("Enter")
        pane.wait_for("Task gamma")
        place.wait_of(runs["beta"], ("fail", "the order cost 24; y n u q are only letters"))
        place.check(True, "n asks what was wrong, and Enter sends it")

        pane.type("d")
        pane.wait_for("Defer for how long?")
        pane.type("t")
        pane.wait_for("Task delta", "Deferred until tomorrow")
        place.check(place.of(runs["gamma"]) is None, "d defers a run without a review")

        place.verdict(pane, "Task delta", "y")
        pane.wait_for("Task epsilon")
        place.wait_of(runs["delta"], ("pass", ""))
        pane.type("u")
        pane.wait_for("Task delta", "Undone")
        place.wait_of(runs["delta"], None)
        place.check(True, "u undoes the last verdict and shows its run")

        place.verdict(pane, "Task delta", "N")
        pane.wait_for("Task epsilon")
        place.wait_of(runs["delta"], ("fail", ""))
        place.check(place.reviews_ever(runs["delta"]) == 2, "an undone verdict and a new one are two reviews")

        pane.type("s")
        pane.wait_for("Skipped")
        pane.type("q")
        text = pane.wait_for("1 passed, 2 failed, 1 deferred in", "shell>")
        place.check("3 lessons are being written" in text, "the summary stays on the terminal")
        place.check(place.of(runs["epsilon"]) is None, "a skipped run has no review")
        queue = place.call("GET", "/review-queue")
        place.check(queue["leased"] == 0, "the leases of undecided runs are released")
        place.check(queue["deferred"] == 1, "the deferred run is counted as deferred")
    place.clear()


def haste(place: Place) -> None:
    """A key that is held down, pasted text, and a conflict with another reviewer."""
    runs = [place.run(f"Task zeta {number}") for number in range(4)]
    with place.pane() as pane:
        place.review(pane)
        pane.stays("Task zeta 0", GUARD_SECONDS)
        pane.press("-N", "60", "y")
        pane.stays("Task zeta 1", GUARD_SECONDS)
        place.wait_of(runs[0], ("pass", ""))
        place.check(all(place.of(run) is None for run in runs[1:]), "a key that is held down decides one run")

        pane.paste("yyynnn\nq\n")
        pane.stays("Task zeta 1", GUARD_SECONDS)
        place.check(all(place.of(run) is None for run in runs[1:]), "pasted text gives no verdict")

        place.call("POST", "/reviews/batch", {"reviews": [{"trace_id": runs[1], "result": "pass"}]})
        place.verdict(pane, "Task zeta 1", "N")
        pane.wait_for("passed this run before you", "Press r to replace")
        place.check(place.of(runs[1]) == ("pass", ""), "a second verdict does not replace the first one")
        pane.type("r")
        place.wait_of(runs[1], ("fail", ""))
        pane.wait_gone("before you")
        place.check(True, "r replaces it")
        pane.type("q")
        pane.wait_for("1 passed, 1 failed", "shell>")
    place.clear()


def writing(place: Place) -> None:
    """Feedback before a verdict, a note on a step, cancelling, the editor."""
    first, second = place.run("Task eta"), place.run("Task theta")
    editor, opened = place.folder / "editor", place.folder / "opened"
    # Runs until the file that says so is removed.
    editor.write_text(
        f'#!/bin/sh\nprintf "by the editor\\nin two lines" > "$1"\n: > {opened}\n'
        f"while [ -e {opened} ]; do sleep 0.01; done\n"
    )
    editor.chmod(0o700)
    with place.pane(EDITOR=str(editor)) as pane:
        place.review(pane)
        pane.wait_for("Task eta")
        pane.type("]fgood")
        pane.wait_for("Feedback: good")
        pane.press("Escape")
        pane.wait_gone("Feedback:")
        pane.type("f")
        pane.wait_for("Feedback: good")
        pane.type(" tone")
        pane.press("Enter")
        pane.wait_for("Was the run right?")
        place.verdict(pane, "Was the run right?", "y")
        pane.wait_for("Task theta")
        place.wait_of(first, ("pass", "good tone"))
        place.check(True, "f writes feedback first, Esc keeps it, and the verdict comes after it")

        place.verdict(pane, "Task theta", "n")
        pane.wait_for("What was wrong?")
        pane.press("C-e")
        place.wait_file(opened)
        # The editor does not read it, so the review must, as soon as it reads the terminal again.
        pane.press("Enter")
        opened.unlink()
        place.wait_of(second, ("fail", "by the editor\nin two lines"))
        place.check(True, "Ctrl+E opens the editor, its lines are the feedback, and no key is lost")
        pane.type("q")
        pane.wait_for("1 passed, 1 failed", "shell>")
    place.clear()


def sizes(place: Place) -> None:
    """The same run in terminals of several sizes, and the trajectory in pages."""
    steps = [{"role": "user", "content": "Task iota"}]
    for number in range(30):
        steps.append({"role": "assistant", "content": f"thought number {number} " + "word " * 40})
    place.call("POST", "/traces", {"task": "Task iota " + "long " * 60, "trajectory": steps})
    with place.pane() as pane:
        place.review(pane)
        for width, height in ((80, 24), (40, 10), (200, 50), (24, 6), (80, 24)):
            pane.resize(width, height)
            text = pane.wait(
                f"the run at {width}x{height}",
                lambda text, height=height: (
                    "TASK" in text
                    and "y pass" in text
                    and len(text.splitlines()) <= height
                    and text.startswith("Review")
                ),
            )
            fits = all(len(line) <= width for line in text.splitlines())
            place.check(fits, f"the run shows at {width}x{height}")
        pane.type("o")
        pane.wait_for("1/31 user")
        for _ in range(12):
            pane.type("]")
        pane.wait_for("13/31 assistant", "thought number 11")
        pane.press("PageDown")
        pane.wait_gone("13/31")
        pane.type("o")
        pane.wait_for("ANSWER")
        place.check(True, "o opens the full run, ] and PageDown move in it, o closes it")
        pane.type("?")
        pane.wait_for("undo the last verdict")
        pane.press("Escape")
        pane.wait_for("ANSWER")
        pane.type("q")
        pane.wait_for("No runs were reviewed", "shell>")
    place.clear()


def harm(place: Place) -> None:
    """Escape sequences in every text of a run do nothing to the terminal."""
    with place.pane() as pane:
        # A control: this terminal does execute these sequences.
        pane.wait_for("shell>")
        pane.run(r"printf '\033]2;owned\007\033[45mpurple\033[0m\n'")
        pane.wait_for("\npurple")
        place.check(pane.fact("pane_title") == "owned", "this terminal executes a title sequence")
        place.check(_is_purple(pane), "and a colour")
    call = {"id": "c1", "type": "function", "function": {"name": f"tool{HOSTILE}", "arguments": "{}"}}
    trajectory = [
        {"role": "user", "content": f"ask {HOSTILE}"},
        {"role": "assistant", "content": f"think {HOSTILE}", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"error: {HOSTILE} after"},
        {"role": "assistant", "content": f"final {HOSTILE} end"},
    ]
    body = {"task": f"Task kappa {HOSTILE} tail", "trajectory": trajectory, "model": f"m{HOSTILE}"}
    place.call("POST", "/traces", {**body, "final_response": f"final {HOSTILE} end"})
    with place.pane() as pane:
        place.review(pane)
        pages = (
            ("", "Task kappa"),
            ("o", "── 1/"),
            ("]", "── 2/"),
            ("]", "── 3/"),
            ("]", "── 4/"),
            ("o", "ANSWER"),
        )
        for keys, awaited in pages:
            pane.type(keys)
            text = pane.wait_for(awaited)
            place.check(pane.fact("pane_title") == "untouched", f"the title is untouched at {awaited!r}")
            place.check(not _is_purple(pane), f"no colour of the run is shown at {awaited!r}")
            place.check("\u202e" not in text and "\u2066" not in text, f"no word is reordered at {awaited!r}")
            place.check(text.startswith("Review"), f"the screen was not cleared at {awaited!r}")
        place.check("purple" in text and "tail" in text, "the words of the run are shown")
        place.check(pane.fact("window_bell_flag") == "0", "no bell rang")
        place.check(pane.fact("alternate_on") == "1", "the run did not leave the review's screen")
        pane.type("q")
        pane.wait_for("No runs were reviewed", "shell>")
    place.clear()


def leaving(place: Place) -> None:
    """The terminal is restored, however the review ends."""
    place.run("Task lambda")
    for name, end in (
        ("SIGTERM", lambda pane, process: os.kill(process, signal.SIGTERM)),
        ("SIGINT", lambda pane, process: os.kill(process, signal.SIGINT)),
        ("Ctrl-C", lambda pane, process: pane.press("C-c")),
    ):
        with place.pane() as pane:
            place.review(pane)
            pane.wait_for("Task lambda", "y pass")
            place.check(pane.fact("alternate_on") == "1", f"before {name} the review has its own screen")
            end(pane, reviewing_process(pane))
            pane.wait("the shell", lambda text: text.rstrip().endswith("shell>"))
            pane.run("stty -a | tr ' ;' '\\n\\n' | grep -E '^-?(icanon|echo)$'")
            text = pane.wait(
                "the line discipline", lambda text: re.search("^-?icanon$", text, re.M) is not None
            )
            is_plain = "-icanon" not in text and pane.fact("alternate_on") == "0"
            place.check(
                is_plain and pane.fact("cursor_flag") == "1", f"after {name} the terminal is as before"
            )
    place.clear()


def without_terminal(place: Place) -> None:
    """The plain prompt, JSON lines, one verdict, and verdicts from a file."""
    runs = [place.run(f"Task mu {number} {HOSTILE}") for number in range(4)]
    done = place.command(
        "review", "--order", "oldest", given="what\ny\nn it cost 24\nu\nn it cost 25\nd\nq\n"
    )
    place.check(done.returncode == 0, "line mode exits with 0")
    is_plain = not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", done.stdout)
    place.check(is_plain, "the output has no control characters")
    place.check("[y/n/d (defer)]" in done.stderr, "the prompt is as documented")
    place.check("1 passed, 1 failed, 1 deferred" in done.stdout, "and the summary is printed")
    found = [place.of(run) for run in runs[:3]]
    place.check(
        found == [("pass", ""), ("fail", "it cost 25"), None], f"verdicts of line mode are stored ({found})"
    )

    more = place.run("Task nu")
    done = place.command(
        "review",
        "--json",
        "--order",
        "oldest",
        given='{"result":"pass"}\n' + f'{{"trace_id":"{more}","result":"fail","feedback":"as JSON"}}\n',
    )
    place.check(done.returncode == 0 and '"review.summary/1"' in done.stdout, f"JSON lines: {done.stderr}")
    place.check(place.of(more) == ("fail", "as JSON"), "a verdict line is stored")

    one = place.run("Task xi")
    done = place.command("review", one, "--fail", "-m", "one by one", "--json")
    place.check(done.returncode == 0 and '"review/1"' in done.stdout, f"one verdict by its id: {done.stderr}")
    place.check(place.of(one) == ("fail", "one by one"), "it is stored with its feedback")
    other = place.command("review", one, "--pass")
    place.check(other.returncode == 5, "another verdict is rejected without --replace")
    place.check(place.command("review", one, "--undo").returncode == 0, "--undo withdraws it")
    place.check(place.of(one) is None, "and the server has no review")
    place.check(place.command("review", one, "--defer", "1d").returncode == 0, "--defer defers it")

    file = Path(place.folder, "verdicts.csv")
    by_file = place.run("Task omicron")
    file.write_text(f'trace_id,result,feedback\n{by_file},fail,"two, and\nmore"\n')
    dry = place.command("review", "apply", str(file), "--dry-run")
    place.check(dry.returncode == 0 and place.of(by_file) is None, "a dry run sends nothing")
    for _ in range(2):
        place.check(place.command("review", "apply", str(file)).returncode == 0, "a file is applied")
    place.check(place.of(by_file) == ("fail", "two, and\nmore"), "and stored")
    place.check(place.reviews_ever(by_file) == 1, "once, also if it is applied twice")
    place.clear()


def _is_purple(pane: Pane) -> bool:
    """Whether anything on the screen has the colour that only a hostile text asks for."""
    return re.search(r"\x1b\[(?:\d+;)*45(?:;\d+)*m", pane.styled()) is not None
