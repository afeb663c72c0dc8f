"""Judges and prints the results: one line per item, in the order of the list, and the sum at the end.

Also reads the list of items that are not there yet. An item on that list is run like any other,
so that the list cannot keep an item that has begun to work.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

ITEMS = range(1, 57)

# The items that may wait. Once an item has left this set it can never be put off again.
MAY_WAIT = frozenset({56})


class BadList(Exception):
    """The list of items that are not there yet says something it may not say."""


@dataclass(frozen=True)
class Result:
    """What became of one item."""

    item: int
    sentence: str
    passed: bool
    reason: str = ""


def read_not_yet(path: Path) -> dict[int, str]:
    """The listed items, each with the reason why it waits."""
    try:
        listed = tomllib.loads(path.read_text(encoding="utf-8")).get("not_yet", {})
    except tomllib.TOMLDecodeError as error:
        raise BadList(f"{path.name} cannot be read: {error}") from error
    waiting: dict[int, str] = {}
    for key, reason in listed.items():
        if not key.isdecimal() or int(key) not in MAY_WAIT:
            raise BadList(f"{path.name}: item {key} may not wait; only {sorted(MAY_WAIT)} may")
        if not isinstance(reason, str) or not reason.strip():
            raise BadList(f"{path.name}: item {key} needs a reason")
        waiting[int(key)] = reason.strip()
    return waiting


class Report:
    """Collects results as they come and prints them in the order of their numbers."""

    def __init__(
        self,
        items: Iterable[int],
        not_yet: Mapping[int, str] | None,
        out: TextIO,
        *,
        title: str = "conformance",
        verbose: bool = False,
    ) -> None:
        self._title = title
        self._order = sorted(items)
        # None: nothing may wait, and the sum does not speak of it.
        self._counts_waiting = not_yet is not None
        self._not_yet = not_yet or {}
        self._out = out
        self._verbose = verbose
        self._held: dict[int, Result] = {}
        self._printed = 0
        self.passed = 0
        self.failed = 0
        self.waiting = 0

    def add(self, result: Result) -> None:
        """Takes a result, and prints every line whose turn has come."""
        self._held[result.item] = result
        while self._printed < len(self._order) and self._order[self._printed] in self._held:
            self._print(self._held[self._order[self._printed]])
            self._printed += 1

    def close(self) -> bool:
        """Counts items without a result as failed, and says whether all is well."""
        for item in self._order:
            if item not in self._held:
                self.add(Result(item, "did not run", False, "no result came back for this item"))
        return self.failed == 0

    def summary(self) -> str:
        """How many items ended how."""
        waiting = f", {self.waiting} not yet" if self._counts_waiting else ""
        return f"{self._title}: {self.passed} passed, {self.failed} failed{waiting}"

    def _print(self, result: Result) -> None:
        waits_for = self._not_yet.get(result.item)
        reason = result.reason
        if waits_for is not None and result.passed:
            mark, reason = "FAIL", "passes: take it off the list"
            self.failed += 1
        elif waits_for is not None:
            mark = "not yet"
            reason = f"{waits_for}\n{reason}" if self._verbose else ""
            self.waiting += 1
        elif result.passed:
            mark, reason = "ok", ""
            self.passed += 1
        else:
            mark = "FAIL"
            self.failed += 1
        print(f"{mark:<8}{result.item:>3}  {result.sentence}", file=self._out)
        for line in reason.splitlines():
            print(f"             {line}", file=self._out)
        self._out.flush()
