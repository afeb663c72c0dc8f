"""Runs the Python blocks of the README in order, in one process."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from documented.environment import Environment

# Far above the usual time; only a block that hangs reaches it.
README_SECONDS = 300.0

# Languages whose blocks are not Python, and are not run.
SHOWN = ("sh", "text")


@dataclass(frozen=True)
class Block:
    """One block of Python."""

    # The heading above it; the second block below the same heading is called "Heading 2", and so on.
    name: str
    # The line of its first statement, for tracebacks with README lines.
    line: int
    source: str


class NotRead(Exception):
    """The README has an unknown format."""


def blocks_of(text: str) -> list[Block]:
    """All Python blocks; raises NotRead for a block in an unknown language."""
    blocks: list[Block] = []
    heading, language, begun, counted = "", None, 0, dict[str, int]()
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if language is None and line.startswith("#"):
            heading = line.lstrip("#").strip()
        fence = re.fullmatch(r"```(\w*)", line)
        if fence is None:
            continue
        if language is None:
            language, begun = fence[1], number
            if language not in (*SHOWN, "python"):
                raise NotRead(f"line {number}: a block is python, {' or '.join(SHOWN)}, not {language!r}")
            continue
        if language == "python":
            counted[heading] = counted.get(heading, 0) + 1
            name = heading if counted[heading] == 1 else f"{heading} {counted[heading]}"
            blocks.append(Block(name, begun + 1, "\n".join(lines[begun : number - 1])))
        language = None
    if language is not None:
        raise NotRead(f"line {begun}: the block does not end")
    return blocks


def run_readme(environment: Environment, readme: Path) -> Iterator[tuple[str, str, bool]]:
    """Yields the name of each block, a message, and whether it passed."""
    blocks = blocks_of(readme.read_text(encoding="utf-8"))
    project = environment.project("readme")
    told = {"path": str(readme), "blocks": [asdict(block) for block in blocks]}
    try:
        done = subprocess.run(
            [str(environment.python), "-m", "documented.readme_worker"],
            env={**environment.variables, **project.environment()},
            input=json.dumps(told),
            capture_output=True,
            text=True,
            timeout=README_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as problem:
        yield "a block", str(problem), False
        return
    missing = {block.name for block in blocks}
    for line in done.stdout.splitlines():
        name, said, passed = json.loads(line)
        missing.discard(name)
        yield name, said, passed
    if missing or done.returncode != 0 or not blocks:
        reason = f"the process ended with {done.returncode}\n{done.stderr[-3000:]}"
        yield ", ".join(sorted(missing)) or "the end", reason, False
