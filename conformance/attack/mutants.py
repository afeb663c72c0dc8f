"""Mutants: a debug build without one defence. The attack that this defence stops must report a breach."""

from __future__ import annotations

import re
from pathlib import Path

from attack.registry import ATTACKS, Breach
from attack.target import Target
from surroundings import ROOT

SOURCE = ROOT / "crates" / "types" / "src" / "defence.rs"
# One of each kind, without long timeouts: the short form of the run has to end soon.
QUICK_MUTANTS = ["metric-labels", "caller-trust", "influence-receipt", "one-path"]


def defences(source: Path = SOURCE) -> list[str]:
    """The names of all defences that have an attack, in the order of `reflect_types::Defence`."""
    named = re.findall(r'\("([a-z-]+)", Self::', source.read_text(encoding="utf-8"))
    attacked = {attack.defence for attack in ATTACKS}
    unknown = attacked - set(named) - {None}
    if unknown:
        raise ValueError(f"attacks name defences that do not exist: {', '.join(sorted(map(str, unknown)))}")
    for name in named:
        if name not in attacked:
            print(f"mutant without {name}: not tried here, no attack names it")
    return [name for name in named if name in attacked]


def caught(target: Target, defence: str) -> str | None:
    """The breach that the missing defence allows, or None if no attack reports one."""
    for attack in ATTACKS:
        if attack.defence != defence:
            continue
        try:
            attack.act(target)
        except Breach as breach:
            return f"{attack.name}: {breach.kind}: {breach}"
        if not target.is_alive():
            return f"{attack.name}: the process ended"
    return None
