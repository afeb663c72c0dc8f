"""What was produced, as the producing processes wrote it down, held against what became of it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Produced:
    """The lines of a ledger."""

    done: frozenset[str]
    """Runs whose block has ended."""
    begun: frozenset[str]
    """Runs whose block had begun, and of which nobody can say whether it ended: the process was killed."""
    dropped: int
    """What the processes themselves counted as lost."""


def read_ledger(path: Path) -> Produced:
    """Reads what was written so far."""
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
    """One scenario, counted."""

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


def weigh(name: str, produced: Produced, stored: Counter[str], spooled: frozenset[str], *, clean: bool) -> Outcome:
    """Holds what was produced against what the server has, what is on disk, and what was counted as lost."""
    # A block that was cut short by a kill counts when its run was taken over.
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
        outcome.problems.append(f"{missing} runs are gone and nobody counted them")
    if missing < 0:
        outcome.problems.append(f"{-missing} runs were counted as dropped and are there")
    if outcome.duplicates:
        outcome.problems.append(f"{outcome.duplicates} runs are stored more than once")
    strangers = stored.keys() - ended
    if strangers:
        outcome.problems.append(f"{len(strangers)} runs are stored that nobody produced")
    if not ended:
        outcome.problems.append("nothing was produced, so nothing was checked")
    if clean and (outcome.spooled or outcome.dropped):
        outcome.problems.append("with the server up and a disk that works, nothing may be spooled or dropped")
    return outcome
