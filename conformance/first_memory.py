"""From the built package in an empty environment to a memory that helps a second run, as a newcomer does it.

    python3 conformance/first_memory.py --binary PATH [--shipped]

Installs the wheel without an index, then twice, in an empty home each: `reflect dev`, the programs of the
package's page, the link to the console, Ctrl-C, and a second start. Once without a provider, once with a real
language model. Ends with 1 when anything is not as the page says, or takes longer than it may.
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
from newcomer import guide
from newcomer.browser import sign_in
from newcomer.development import Development
from newcomer.installed import NotInstalled, build_wheel, install
from newcomer.machine import Taken, Watch
from newcomer.person import Person
from real_models import folder_of, language_model
from surroundings import Missing, whole_environment

BUDGET_SECONDS = 90.0


def first_memory(person: Person, options: Sequence[str], writer: str, *, shipped: bool) -> Watch:
    """The whole way of one newcomer; the watch was stopped when a pass had moved the first memory."""
    first, second = guide.programs()
    watch = Watch()
    with Development(person, *options) as server:
        started = watch.read().passed
        print(f"  `reflect dev` was ready after {started:.1f} s", flush=True)
        said = person.runs_python(first, server.exports, "the first program")
        learned = said.split("learned ")[1].strip()
        (memory,) = memories(person, server.exports)
        assert memory["id"] == learned, f"the program learned {learned}, the server has {memory['id']}"
        assert memory["q_value"] == 0.5, f"a new memory has the utility {memory['q_value']}"
        check_writer(memory, writer)
        print(f"  first run: failed, and learned from after {watch.read().passed:.1f} s", flush=True)
        print(f"    {' '.join(memory['reflection'].split())[:200]}", flush=True)

        said = person.runs_python(second, server.exports, "the second program")
        assert memory["id"] in said, f"the second run was not given the memory:\n{said}"
        # The program ends with memories and their utilities; the second lesson may be on its way yet.
        utility = float(said.rsplit(learned, 1)[1].split()[0])
        assert utility > 0.5, f"the pass left the utility at {utility}"
        watch.stop()
        moved = f"utility 0.50 -> {utility:.2f}"
        print(f"  second run: was given the lesson, passed, {moved}", flush=True)

        assert server.link is not None
        sign_in(server.link, console_inside=shipped)
        print(f"  the link signs in, once{', and the console is there' if shipped else ''}", flush=True)
        print(f"  Ctrl-C: ended after {server.stop():.1f} s, and nothing is left running", flush=True)
        first_place = server.exports
    with Development(person, *options) as server:
        # The port is another one when somebody else has taken it meanwhile.
        for name in ("REFLECT_API_KEY", "REFLECT_PROJECT_ID"):
            assert server.exports[name] == first_place[name], f"a second start has another {name}"
        kept = {one["id"]: one["q_value"] for one in memories(person, server.exports)}
        assert kept.get(learned) == utility, f"a second start has {kept}"
        tutorial = guide.tutorial()
        if writer == "offline" and tutorial is not None:
            # A model this small does not write what the tutorial's agent looks for.
            said = person.runs_python(tutorial, server.exports, "the tutorial")
            assert guide.TUTORIALS_END in said, f"the tutorial ended otherwise:\n{said}"
            print("  the tutorial's program does what the tutorial says", flush=True)
        server.stop()
    print("  second start: the same key, the same memory, the same utility", flush=True)
    return watch


def memories(person: Person, exports: dict[str, str]) -> list[dict[str, Any]]:
    """What the server has on the first task."""
    found: list[dict[str, Any]] = json.loads(
        person.runs_python(guide.MEMORIES, exports, "the look at the memories")
    )
    for memory in found:
        assert memory["similarity"] > 0.0, f"found by its words and not by its meaning: {memory}"
    return found


def check_writer(memory: dict[str, Any], writer: str) -> None:
    """A lesson says who wrote it."""
    if writer == "offline":
        assert memory["origin"] == "offline", f"the lesson is by {memory['origin']}"
        assert "24.00" in memory["reflection"], f"the feedback is not in the lesson: {memory['reflection']}"
    else:
        assert memory["origin"] == "review", f"the model's lesson is {memory['origin']}: {memory['note']}"
        assert memory["model"], "the lesson names no model"


def both(binary: Path, folder: Path, *, shipped: bool) -> dict[str, Taken]:
    """The two newcomers, one after the other."""
    everything = whole_environment()
    wheel = build_wheel(binary, folder_of("minilm", everything), folder)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB", flush=True)
    venv = install(wheel, folder, everything)
    print("without a provider:", flush=True)
    person = Person.moves_in(folder / "home-1", venv)
    alone = first_memory(person, (), "offline", shipped=shipped).read()
    with language_model(everything, folder / "model.log") as url:
        print("with llama.cpp's server:", flush=True)
        person = Person.moves_in(folder / "home-2", venv)
        watch = first_memory(person, ("--text-url", url), "model", shipped=shipped)
    # Now that the model's server has ended, its work is counted too.
    return {"without a provider": alone, "with llama.cpp's server": watch.read()}


def main() -> int:
    """0 when both came to their memory in time, 1 when one did not, 2 when they could not begin."""
    # Without this, a run that is told to end would leave its programs behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description="Be a newcomer, twice.")
    parser.add_argument(
        "--binary", type=Path, required=True, help="the built `reflect`, which the wheel is made of"
    )
    parser.add_argument(
        "--shipped", action="store_true", help="it is built as it is shipped: the console is inside"
    )
    options = parser.parse_args()
    binary: Path = options.binary
    try:
        with tempfile.TemporaryDirectory(prefix="first-memory-") as name:
            # The person may be somebody else than this program.
            Path(name).chmod(0o755)
            taken = both(binary.absolute(), Path(name), shipped=options.shipped)
    except (Missing, NotInstalled, NotReached) as problem:
        print(f"the newcomers could not begin: {problem}", file=sys.stderr)
        return 2
    except AssertionError as problem:
        print(f"first memory: FAILED: {problem}", file=sys.stderr)
        return 1
    for name, one in taken.items():
        print(f"{name}: {one}, at most {BUDGET_SECONDS:g}")
    slower = max(taken, key=lambda name: taken[name].machine)
    print(f"the slower one is {slower}")
    print(f"first memory: {taken[slower].machine:.1f} s")
    return 0 if taken[slower].machine < BUDGET_SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
