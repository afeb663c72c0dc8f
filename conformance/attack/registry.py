"""The registry: what an attack is, and what it can report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from attack.target import Target

# An attack returns what it saw if the server held, and raises `Breach` if it did not.
Act = Callable[["Target"], str]


class Breach(Exception):
    """The server did not hold."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(reason)
        self.kind = kind


class Impossible(Exception):
    """The attack could not be tried: its preparation failed. That is a failure of the run, not a success."""


def got_in(reason: str) -> NoReturn:
    """The attacker read, changed or influenced something that it must not."""
    raise Breach("got in", reason)


def took_down(reason: str) -> NoReturn:
    """The attacker kept others from using the server."""
    raise Breach("took it down", reason)


@dataclass(frozen=True)
class Attack:
    """One attack."""

    name: str
    attacker: str
    act: Act
    # The row of the list of confirmed vulnerabilities that this attack repeats.
    row: int | None
    # The `reflect_types::Defence` that stops it. Without this defence the attack must report a breach.
    defence: str | None
    # Whether the short form of the run contains it. It leaves out attacks that wait for long timeouts.
    quick: bool
    # Whether others must not notice the attack. False for attacks that use other processes than the server.
    watched: bool


ATTACKS: list[Attack] = []


def attacks_of(attacker: str) -> Callable[..., Callable[[Act], Act]]:
    """The decorator of one module, whose attacks have the same attacker."""

    def attack(
        name: str,
        *,
        row: int | None = None,
        defence: str | None = None,
        quick: bool = True,
        watched: bool = True,
    ) -> Callable[[Act], Act]:
        def register(act: Act) -> Act:
            if any(known.name == name for known in ATTACKS):
                raise ValueError(f"two attacks have the name {name}")
            ATTACKS.append(Attack(name, attacker, act, row, defence, quick, watched))
            return act

        return register

    return attack
