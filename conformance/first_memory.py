"""Follows the getting-started page: installs the package and creates a memory that helps a second run.

    python3 conformance/first_memory.py --binary PATH [--shipped]

Installs the wheel without a package index. Then it runs twice, each time with an empty home: `reflect dev`,
the programs of the package's page, the link to the console, Ctrl-C, and a second start. The first time
without a provider, the second time with a real language model. The exit code is 1 if a result differs from
the page or a run exceeds its time limit.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from announced import NotReached
from first_memory_run import guide
from first_memory_run.browser import sign_in
from first_memory_run.dev_server import DevServer
from first_memory_run.installed import NotInstalled, build_wheel, install
from first_memory_run.stopwatch import Duration, Stopwatch
from first_memory_run.user import User
from real_models import SMALL_MODEL, folder_of, language_model
from surroundings import Missing, whole_environment

BUDGET_SECONDS = 90.0


def first_memory(user: User, options: Sequence[str], writer: str, *, shipped: bool) -> Stopwatch:
    """One complete run. The stopwatch stops when a pass has changed the utility of the first memory."""
    first, second = guide.programs()
    stopwatch = Stopwatch()
    with DevServer(user, *options) as server:
        started = stopwatch.read().passed
        print(f"  `reflect dev` was ready after {started:.1f} s", flush=True)
        said = user.run_python(first, server.exports, "the first program")
        learned = said.split("learned ")[1].strip()
        (memory,) = memories(user, server.exports)
        assert memory["id"] == learned, f"the program learned {learned}, the server has {memory['id']}"
        assert memory["q_value"] == 0.5, f"a new memory has the utility {memory['q_value']}"
        check_writer(memory, writer)
        print(f"  first run: failed, and learned from after {stopwatch.read().passed:.1f} s", flush=True)
        print(f"    {' '.join(memory['reflection'].split())[:200]}", flush=True)

        said = user.run_python(second, server.exports, "the second program")
        assert memory["id"] in said, f"the second run was not given the memory:\n{said}"
        # The output ends with memories and their utilities; the second lesson may not be stored yet.
        utility = float(said.rsplit(learned, 1)[1].split()[0])
        assert utility > 0.5, f"the pass left the utility at {utility}"
        stopwatch.stop()
        moved = f"utility 0.50 -> {utility:.2f}"
        print(f"  second run: was given the lesson, passed, {moved}", flush=True)

        assert server.link is not None
        sign_in(server.link, console_inside=shipped)
        print(f"  the link signs in, once{', and the console is there' if shipped else ''}", flush=True)
        print(f"  Ctrl-C: ended after {server.stop():.1f} s, and nothing is left running", flush=True)
        first_place = server.exports
    with DevServer(user, *options) as server:
        # The port may differ if another process took it meanwhile.
        for name in ("REFLECT_API_KEY", "REFLECT_PROJECT_ID"):
            assert server.exports[name] == first_place[name], f"a second start has another {name}"
        kept = {one["id"]: one["q_value"] for one in memories(user, server.exports)}
        assert kept.get(learned) == utility, f"a second start has {kept}"
        tutorial = guide.tutorial()
        if writer == "offline" and tutorial is not None:
            # A model this small does not write the text that the tutorial's agent expects.
            said = user.run_python(tutorial, server.exports, "the tutorial")
            assert guide.TUTORIALS_END in said, f"the tutorial ended otherwise:\n{said}"
            print("  the tutorial's program does what the tutorial says", flush=True)
        server.stop()
    print("  second start: the same key, the same memory, the same utility", flush=True)
    return stopwatch


def memories(user: User, exports: dict[str, str]) -> list[dict[str, Any]]:
    """The memories for the first task."""
    found: list[dict[str, Any]] = json.loads(
        user.run_python(guide.MEMORIES, exports, "the look at the memories")
    )
    for memory in found:
        assert memory["similarity"] > 0.0, f"found by keywords and not by its embedding: {memory}"
    return found


def check_writer(memory: dict[str, Any], writer: str) -> None:
    """Checks the origin of a lesson."""
    if writer == "offline":
        assert memory["origin"] == "offline", f"the lesson is by {memory['origin']}"
        assert "24.00" in memory["reflection"], f"the feedback is not in the lesson: {memory['reflection']}"
    elif memory["origin"] == "offline":
        # A small model may write what the server must not serve.
        assert "rejected" in memory["note"], f"the model's lesson is offline: {memory['note']}"
    else:
        assert memory["origin"] == "review", f"the model's lesson is {memory['origin']}: {memory['note']}"
        assert memory["model"], "the lesson names no model"


def both(binary: Path, folder: Path, *, shipped: bool) -> dict[str, Duration]:
    """Both runs, one after the other."""
    everything = whole_environment()
    wheel = build_wheel(binary, folder_of("minilm", everything), folder)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
    venv = install(wheel, folder, everything)
    print("without a provider:", flush=True)
    user = User.create(folder / "home-1", venv)
    alone = first_memory(user, (), "offline", shipped=shipped).read()
    with language_model(everything, folder / "model.log") as url:
        print("with llama.cpp's server:", flush=True)
        user = User.create(folder / "home-2", venv, SMALL_MODEL)
        stopwatch = first_memory(user, ("--text-url", url), "model", shipped=shipped)
    # The model's server has ended, so its processor time is included.
    return {"without a provider": alone, "with llama.cpp's server": stopwatch.read()}


def main() -> int:
    """Exit code 0: both runs passed in time; 1: a run failed; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes running.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description="Run the getting-started page twice.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `reflect` binary for the wheel")
    parser.add_argument(
        "--shipped", action="store_true", help="the binary is a release build with the console embedded"
    )
    options = parser.parse_args()
    binary: Path = options.binary
    try:
        with tempfile.TemporaryDirectory(prefix="first-memory-") as name:
            # The test user may differ from the user of this process.
            Path(name).chmod(0o755)
            durations = both(binary.absolute(), Path(name), shipped=options.shipped)
    except (Missing, NotInstalled, NotReached) as problem:
        print(f"first memory could not start: {problem}", file=sys.stderr)
        return 2
    except AssertionError as problem:
        print(f"first memory: FAILED: {problem}", file=sys.stderr)
        return 1
    for name, one in durations.items():
        print(f"{name}: {one}, at most {BUDGET_SECONDS:g}")
    slower = max(durations, key=lambda name: durations[name].machine)
    print(f"the slower one is {slower}")
    print(f"first memory: {durations[slower].machine:.1f} s")
    return 0 if durations[slower].machine < BUDGET_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
