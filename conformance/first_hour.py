"""What a developer meets in the first hour, from the built package.

    python3 conformance/first_hour.py --binary PATH --provider PATH

Installs the wheel without a package index and starts `reflect dev` as a new user would. Then: responses of
proxies, misspelled fields, eight equal passes, long feedback, bad answers of a model. The exit code is 1 if a
check fails.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from announced import NotReached, announced
from first_hour_run import programs
from first_hour_run.answers import FEEDBACK, RECORDED
from first_hour_run.proxy import RESPONSES, Response, proxy
from first_memory_run.dev_server import DevServer
from first_memory_run.installed import NotInstalled, build_wheel, install
from first_memory_run.user import User
from real_models import folder_of
from surroundings import Missing, whole_environment

PROVIDER_SECONDS = 10.0
# The line before what a model added to the reviewer's words.
ADDED_BY_MODEL = "Added by a model"


class Checks:
    """Counts what passed, and prints what failed."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def check(self, name: str, good: bool, seen: object) -> None:
        """One check; `seen` is printed if it fails."""
        if good:
            self.passed += 1
            print(f"  ok      {name}", flush=True)
        else:
            self.failed += 1
            print(f"  FAILED  {name}\n          {seen}", flush=True)


def run(user: User, exports: dict[str, str], program: str, name: str) -> Any:
    """The JSON that a program prints."""
    return json.loads(user.run_python(program, exports, name))


def behind_proxies(user: User, exports: dict[str, str], checks: Checks) -> None:
    """The trace block never raises, whatever a proxy returns."""

    def attempt(response: Response) -> Any:
        with proxy(response) as address:
            return run(user, {**exports, "REFLECT_BASE_URL": address}, programs.BEHIND_PROXY, response.name)

    # In parallel: a program that cannot deliver its run waits a while before it ends.
    with ThreadPoolExecutor(max_workers=6) as pool:
        outcomes = list(pool.map(attempt, RESPONSES))
    for response, seen in zip(RESPONSES, outcomes, strict=True):
        for style, outcome in seen.items():
            checks.check(f"{response.name}: a trace block ({style}) does not raise", outcome == "ok", outcome)


def mistakes(user: User, exports: dict[str, str], checks: Checks) -> None:
    """No verdict is dropped silently."""
    seen = run(user, exports, programs.MISTAKES, "the mistakes")
    expected = {
        "late_review": "review_trace",
        "misspelled_argument": "feedback_text",
        "misspelled_field": "feedback_text",
        "feedback_alone": "result",
        "empty_task": "task",
        "no_trajectory": "trajectory",
    }
    for name, word in expected.items():
        told = seen[name]
        checks.check(f"{name.replace('_', ' ')}: rejected, and the message names {word}", word in told, told)
    answer = run(user, exports, programs.UNKNOWN_FIELD, "the unknown field")
    warning = answer["warning"] or ""
    good = answer["status"] in (201, 202) and "feedback" in warning and "feedback_text" in warning
    checks.check("an unknown field by HTTP: accepted, and named in a warning", good, answer)


def lessons(user: User, exports: dict[str, str], checks: Checks) -> None:
    """Equal lessons once, feedback whole."""
    seen = run(user, exports, programs.EIGHT_PASSES, "the eight passes")
    text, block = seen["text"], seen["block"]
    checks.check("eight equal passes: one lesson", seen["served"] == 1 and seen["runs"] == 8, seen)
    once = block.count("list_orders") == 1 and "and 7 more" in block
    checks.check("the prompt has it once, with its count", once, block)
    # Runs with the same tools share the lesson, so it has the approach and not the answer of one of them.
    told = "list_orders" in text and "312 lines" not in text and "passed" not in text.split("\n")[0]
    checks.check("the lesson says what the run did", told, text)
    before, after = seen["utility"]
    checks.check("a pass of a run with it moves its utility", after > before, seen["utility"])
    seen = run(user, exports, programs.LONG_FEEDBACK, "the long feedback")
    whole = seen["feedback"] in seen["block"]
    checks.check(f"feedback of {len(seen['feedback'])} characters arrives whole", whole, seen["block"])


def model_lessons(user: User, exports: dict[str, str], checks: Checks) -> None:
    """Recorded bad answers of a model are replaced by the reviewer's words."""
    for recorded in RECORDED:
        given = {**exports, "TASK": recorded.task, "FEEDBACK": FEEDBACK}
        seen = run(user, given, programs.MODEL_LESSON, recorded.task)
        first = seen["text"].startswith(FEEDBACK)
        if recorded.accepted:
            good = first and ADDED_BY_MODEL in seen["text"] and recorded.guidance in seen["text"]
            checks.check("a good lesson of a model follows the reviewer's words", good, seen)
        else:
            served = recorded.guidance in seen["text"] or recorded.summary in seen["text"]
            good = first and not served and bool(seen["note"]) and seen["origin"] == "offline"
            checks.check(f"not stored: {recorded.summary[:50]}", good, seen)


def whole_hour(binary: Path, provider: Path, folder: Path) -> Checks:
    """All checks."""
    everything = whole_environment()
    wheel = build_wheel(binary, folder_of("minilm", everything), folder)
    venv = install(wheel, folder, everything)
    checks = Checks()
    user = User.create(folder / "home-1", venv)
    with DevServer(user) as server:
        behind_proxies(user, server.exports, checks)
        mistakes(user, server.exports, checks)
        lessons(user, server.exports, checks)
        server.stop()
    script = {"chat": {"rules": [recorded.rule() for recorded in RECORDED]}}
    command = [str(provider), "--port", "0", "--script", json.dumps(script)]
    log = folder / "provider.log"
    with announced(command, everything, log=log, says="listening on ", seconds=PROVIDER_SECONDS) as url:
        user = User.create(folder / "home-2", venv)
        with DevServer(user, "--text-url", f"{url}/v1", "--text-model", "scripted") as server:
            model_lessons(user, server.exports, checks)
            server.stop()
    return checks


def main() -> int:
    """Exit code 0: all checks passed; 1: a check failed; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description="Check what a developer meets in the first hour.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `reflect` binary for the wheel")
    parser.add_argument("--provider", type=Path, required=True, help="the built `scripted-provider` binary")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="first-hour-") as name:
            # The test user may differ from the user of this process.
            Path(name).chmod(0o755)
            checks = whole_hour(options.binary.absolute(), options.provider.absolute(), Path(name))
    except (Missing, NotInstalled, NotReached) as problem:
        print(f"first hour could not start: {problem}", file=sys.stderr)
        return 2
    except AssertionError as problem:
        print(f"first hour: FAILED: {problem}", file=sys.stderr)
        return 1
    if checks.failed:
        print(f"first hour: {checks.passed} checks passed, {checks.failed} FAILED")
        return 1
    print(f"first hour: {checks.passed} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
