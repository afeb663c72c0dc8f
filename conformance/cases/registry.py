"""The registry of cases: which function tests which item."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cases.setting import Setting

Run = Callable[[Setting], None]


@dataclass(frozen=True)
class Case:
    """One item of the compatibility list."""

    item: int
    sentence: str
    run: Run


CASES: dict[int, Case] = {}


def case(item: int, sentence: str) -> Callable[[Run], Run]:
    """Marks a function as the proof of an item; the function fails by raising."""

    def register(run: Run) -> Run:
        if item in CASES:
            raise ValueError(f"item {item} has two cases")
        CASES[item] = Case(item, sentence, run)
        return run

    return register
