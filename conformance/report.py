"""Evaluates and prints the results: one line per item in order, and the totals at the end.

Also reads the lists of items that do not pass yet or do not apply. A listed item is still run, so an item
that starts to pass is detected.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

ITEMS = range(1, 57)

# The items that may be listed in not-yet.toml. An item that has left this set must not return.
MAY_WAIT: frozenset[int] = frozenset()

# The items that do not apply to a client in another language.
MAY_BE_FOREIGN = frozenset({16, 48, 56})


class BadList(Exception):
    """A list of exempt items is invalid."""


@dataclass(frozen=True)
class Result:
    """The result of one item."""

    item: int
    sentence: str
    passed: bool
    reason: str = ""


@dataclass(frozen=True)
class Excuses:
    """The items that need not pass, each with its reason, and the label of such items."""

    word: str
    mark: str
    reasons: Mapping[int, str]
    # The item's line shows the reason instead of the item's sentence.
    told: bool = False
    # Below the line: the reason and the failure.
    explained: bool = False


def read_not_yet(path: Path, *, verbose: bool) -> Excuses:
    """The items that the server does not satisfy yet."""
    return Excuses("not yet", "not yet", _read(path, "not_yet", MAY_WAIT), explained=verbose)


def read_not_applicable(path: Path) -> Excuses:
    """The items that do not apply."""
    return Excuses("not applicable", "n/a", _read(path, "not_applicable", MAY_BE_FOREIGN), told=True)


def _read(path: Path, table: str, may: frozenset[int]) -> dict[int, str]:
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8")).get(table, {})
    except tomllib.TOMLDecodeError as error:
        raise BadList(f"{path.name} cannot be read: {error}") from error
    reasons: dict[int, str] = {}
    for key, reason in listed.items():
        if not key.isdecimal() or int(key) not in may:
            raise BadList(f"{path.name}: item {key} may not be listed; only {sorted(may)} may")
        if not isinstance(reason, str) or not reason.strip():
            raise BadList(f"{path.name}: item {key} needs a reason")
        reasons[int(key)] = reason.strip()
    return reasons


class Report:
    """Collects results and prints them in the order of their numbers."""

    def __init__(
        self,
        items: Iterable[int],
        excuses: Excuses | None,
        out: TextIO,
        *,
        title: str = "conformance",
    ) -> None:
        self._title = title
        self._order = sorted(items)
        # None: every item has to pass, and the totals have no third number.
        self._excuses = excuses
        self._out = out
        self._held: dict[int, Result] = {}
        self._printed = 0
        self.passed = 0
        self.failed = 0
        self.excused = 0

    def add(self, result: Result) -> None:
        """Adds a result and prints all lines that are next in order."""
        self._held[result.item] = result
        while self._printed < len(self._order) and self._order[self._printed] in self._held:
            self._print(self._held[self._order[self._printed]])
            self._printed += 1

    def close(self) -> bool:
        """Counts items without a result as failed; returns whether all passed."""
        for item in self._order:
            if item not in self._held:
                self.add(Result(item, "did not run", False, "no result came back for this item"))
        return self.failed == 0

    def summary(self) -> str:
        """The totals line."""
        others = f", {self.excused} {self._excuses.word}" if self._excuses else ""
        return f"{self._title}: {self.passed} passed, {self.failed} failed{others}"

    def _print(self, result: Result) -> None:
        excuse = self._excuses.reasons.get(result.item) if self._excuses else None
        sentence, reason = result.sentence, result.reason
        if excuse is not None and result.passed:
            mark, reason = "FAIL", "passes: take it off the list"
            self.failed += 1
        elif excuse is not None and self._excuses is not None:
            mark = self._excuses.mark
            sentence = excuse if self._excuses.told else sentence
            reason = f"{excuse}\n{reason}" if self._excuses.explained else ""
            self.excused += 1
        elif result.passed:
            mark, reason = "ok", ""
            self.passed += 1
        else:
            mark = "FAIL"
            self.failed += 1
        print(f"{mark:<8}{result.item:>3}  {sentence}", file=self._out)
        for line in reason.splitlines():
            print(f"             {line}", file=self._out)
        self._out.flush()
