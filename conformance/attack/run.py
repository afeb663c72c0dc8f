"""Runs attacks one after another, and judges each by what it reached and by what others noticed."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import ClassVar

from attack import wire
from attack.registry import Attack, Breach, Impossible
from attack.target import Target
from attack.watch import Latencies, Neighbour, until_memory_is_back
from database import DatabaseProblem
from server import ServerProblem

# The longest attack waits for a timeout of the server.
MOST_SECONDS = 240.0
MOST_REPEATS = 20
# A p99 over the bound is measured until it has this many samples: of 120, the two slowest decide it.
ENOUGH_SAMPLES = 600


@dataclass(frozen=True)
class Bounds:
    """What others may notice."""

    # How much slower the neighbour's p99 may be, and below which p99 it is never too slow.
    factor: float
    floor: float
    # Queries of the neighbour per second.
    rate: float
    # How long the neighbour is measured alone, before and after each attack.
    alone_seconds: float
    # Shorter attacks are repeated for this long, so that the p99 has samples.
    least_seconds: float
    # How long the memory may take to return.
    memory_wait: float
    memory_kilobytes: float = float("inf")


@dataclass(frozen=True)
class Outcome:
    """What an attack reached."""

    KINDS: ClassVar = ("held", "got in", "took it down", "not tried")

    name: str
    kind: str
    reason: str

    @staticmethod
    def of_memory(target: Target, most_kilobytes: float, seconds: float) -> Outcome:
        """Whether the memory has returned to the baseline after all attacks."""
        used = until_memory_is_back(target, most_kilobytes, seconds)
        reason = f"{used // 1024} MB resident, {int(most_kilobytes) // 1024} MB are allowed"
        kind = "held" if used <= most_kilobytes else "took it down"
        print(f"{kind:12} memory after all attacks: {reason}", flush=True)
        return Outcome("memory after all attacks", kind, reason)


@dataclass
class _Tried:
    """What one attack did, as its thread reports it."""

    kind: str = "not tried"
    reason: str = "did not end"
    repeats: int = 0
    done: threading.Event = field(default_factory=threading.Event)


def run_attacks(target: Target, neighbour: Neighbour, attacks: list[Attack], bounds: Bounds) -> list[Outcome]:
    """Runs all attacks; a server that ended is started again for the next one."""
    outcomes = []
    before = _alone(neighbour, bounds)
    for attack in attacks:
        began = time.monotonic()
        tried, during = _try_watched(target, neighbour, attack, bounds, before)
        revived = _revive(target)
        after = _alone(neighbour, bounds)
        alone = Latencies(before.samples + after.samples)
        kind, reason = tried.kind, tried.reason
        if revived:
            kind, reason = "took it down", f"the process ended ({reason})"
        elif kind == "held" and attack.watched and not _is_fast(during, alone, bounds):
            kind = "took it down"
            reason = f"the neighbour's p99 was {_ms(during.p99())}, alone {_ms(alone.p99())} ({reason})"
        if kind == "held" and bounds.memory_wait:
            used = until_memory_is_back(target, bounds.memory_kilobytes, bounds.memory_wait)
            if used > bounds.memory_kilobytes:
                kind = "took it down"
                reason = f"{used // 1024} MB are resident {bounds.memory_wait:.0f} s later ({reason})"
        seconds = time.monotonic() - began
        figures = f"{seconds:5.1f} s, p99 {_ms(during.p99()):>9} of {len(during.samples):4}"
        resident, files = target.memory_kilobytes(), target.memory_kilobytes("RssFile")
        figures += f", alone {_ms(alone.p99()):>7}, {resident // 1024:4} MB, {files // 1024:3} of files"
        print(f"{kind:12} {attack.attacker:15} {attack.name:58} {figures}  {reason[:160]}", flush=True)
        outcomes.append(Outcome(attack.name, kind, reason))
        before = after
    return outcomes


def _try_watched(
    target: Target, neighbour: Neighbour, attack: Attack, bounds: Bounds, alone: Latencies
) -> tuple[_Tried, Latencies]:
    """Runs the attack, and again while its p99 is over the bound but has few samples. All samples count."""
    began = time.monotonic()
    while True:
        tried = _try(target, attack, bounds.least_seconds)
        neighbour.settle()
        during = neighbour.between(began, time.monotonic())
        is_undecided = attack.watched and 0 < len(during.samples) < ENOUGH_SAMPLES
        has_time = time.monotonic() - began < MOST_SECONDS
        if tried.kind != "held" or not is_undecided or not has_time or _is_fast(during, alone, bounds):
            return tried, during


def _alone(neighbour: Neighbour, bounds: Bounds) -> Latencies:
    began = time.monotonic()
    time.sleep(bounds.alone_seconds)
    neighbour.settle()
    return neighbour.between(began, time.monotonic())


def _is_fast(during: Latencies, alone: Latencies, bounds: Bounds) -> bool:
    return during.p99() <= max(bounds.floor, bounds.factor * alone.p99())


def _try(target: Target, attack: Attack, least_seconds: float) -> _Tried:
    """Runs the attack in a thread with low priority, repeatedly if it is short."""
    tried = _Tried()

    def act() -> None:
        wire.low_priority()
        began = time.monotonic()
        try:
            while True:
                tried.reason = attack.act(target)
                tried.kind = "held"
                tried.repeats += 1
                if time.monotonic() - began >= least_seconds or tried.repeats >= MOST_REPEATS:
                    break
        except Breach as breach:
            tried.kind, tried.reason = breach.kind, str(breach)
        except (
            Impossible,
            DatabaseProblem,
            ServerProblem,
            OSError,
            LookupError,
            ValueError,
            TypeError,
        ) as problem:
            # A preparation that reads a response of an unexpected form fails here too.
            tried.kind, tried.reason = "not tried", f"{type(problem).__name__}: {problem}"
        finally:
            tried.done.set()

    threading.Thread(target=act, daemon=True).start()
    tried.done.wait(MOST_SECONDS)
    return tried


def _revive(target: Target) -> bool:
    """Starts the server again if it ended; returns whether it had."""
    if target.is_alive():
        return False
    # A server that is only busy answers later.
    deadline = time.monotonic() + 30
    while target.server.is_running and time.monotonic() < deadline:
        if target.is_alive():
            return False
        time.sleep(0.5)
    target.server.stop()
    target.server.start()
    return True


def _ms(seconds: float) -> str:
    return "failed" if seconds == float("inf") else f"{seconds * 1000:.0f} ms"
