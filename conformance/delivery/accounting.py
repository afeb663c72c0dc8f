"""Compares the runs that the test processes produced with the runs that are stored, spooled or dropped."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Produced:
    """The entries of a run log."""

    done: frozenset[str]
    """Runs whose block has ended."""
    begun: frozenset[str]
    """Runs whose block had started; it is unknown whether it ended, because the process was killed."""
    dropped: int
    """The drops that the processes counted."""


def read_run_log(path: Path) -> Produced:
    """Reads the entries so far."""
    kinds: dict[str, list[str]] = {"b": [], "d": [], "x": []}
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        kinds[kind].append(rest)
    dropped = sum(sum(json.loads(said).values()) for said in kinds["x"])
    done = frozenset(kinds["d"])
    return Produced(done, frozenset(kinds["b"]) - done, dropped)


@dataclass
class Outcome:
    """The counts of one scenario."""

    name: str
    produced: int
    accepted: int
    spooled: int
    dropped: int
    duplicates: int
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return (
            f"{self.name}: {self.produced} produced = {self.accepted} accepted + {self.spooled} spooled + "
            f"{self.dropped} dropped, {self.duplicates} duplicates"
        )


def reconcile(
    name: str, produced: Produced, stored: Counter[str], spooled: frozenset[str], *, clean: bool
) -> Outcome:
    """Compares the produced runs with the stored, spooled and dropped runs."""
    # A block that was interrupted by a kill counts if its run was queued.
    ended = produced.done | (produced.begun & (stored.keys() | spooled))
    waiting = (spooled & ended) - stored.keys()
    outcome = Outcome(
        name,
        produced=len(ended),
        accepted=len(ended & stored.keys()),
        spooled=len(waiting),
        dropped=produced.dropped,
        duplicates=sum(count - 1 for count in stored.values()),
    )
    missing = outcome.produced - outcome.accepted - outcome.spooled - outcome.dropped
    if missing > 0:
        outcome.problems.append(f"{missing} runs are missing and were not counted as dropped")
    if missing < 0:
        outcome.problems.append(f"{-missing} runs were counted as dropped but exist")
    if outcome.duplicates:
        outcome.problems.append(f"{outcome.duplicates} runs are stored more than once")
    strangers = stored.keys() - ended
    if strangers:
        outcome.problems.append(f"{len(strangers)} stored runs were not produced by this scenario")
    if not ended:
        outcome.problems.append("nothing was produced, so nothing was checked")
    if clean and (outcome.spooled or outcome.dropped):
        outcome.problems.append("with the server up and a disk that works, nothing may be spooled or dropped")
    return outcome
