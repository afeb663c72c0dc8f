"""Compares what was acknowledged with what the receiver recorded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from .receiver import Request
from .traffic import EXPECTED_TYPES


@dataclass(frozen=True)
class Verdict:
    """Counts over all webhooks and memories."""

    expected: int
    lost: int
    # Events that arrived although nothing caused them.
    surplus: int
    # Events that arrived before an earlier one of the same memory was accepted.
    disordered: int
    repeated: int
    example: str


def judge(webhooks: Sequence[str], memories: Sequence[str], requests: Sequence[Request]) -> Verdict:
    """Every event of every memory must be accepted at least once, in order per memory, on every webhook."""
    arrived: dict[tuple[str, str], list[Request]] = defaultdict(list)
    for request in requests:
        arrived[request.webhook, request.subject].append(request)
    lost = surplus = disordered = 0
    example = ""
    for webhook in webhooks:
        for memory in memories:
            found = arrived[webhook, memory]
            order = _in_order_of_causes(found)
            accepted = [
                event for event in order if any(one.accepted for one in found if one.event_id == event)
            ]
            kinds = {one.event_id: one.kind for one in found}
            missing = len(EXPECTED_TYPES) - len(accepted)
            if missing > 0:
                lost += missing
                example = (
                    example
                    or f"{webhook} got {len(accepted)} of {len(EXPECTED_TYPES)} events of memory {memory}"
                )
            elif missing < 0 or [kinds[event] for event in order] != list(EXPECTED_TYPES):
                surplus += 1
                example = example or f"{webhook} got {[kinds[event] for event in order]} of memory {memory}"
            wrong = _out_of_order(order, found)
            disordered += wrong
            if wrong:
                example = example or f"{webhook} got the events of memory {memory} in a wrong order: {found}"
    expected = len(webhooks) * len(memories) * len(EXPECTED_TYPES)
    distinct = {(request.webhook, request.event_id) for request in requests}
    return Verdict(expected, lost, surplus, disordered, len(requests) - len(distinct), example)


def _in_order_of_causes(found: Sequence[Request]) -> list[str]:
    """The events of one memory. Each was caused after the one before, so their times differ."""
    times = {request.event_id: request.happened_at for request in found}
    return sorted(times, key=lambda event: times[event])


def _out_of_order(order: Sequence[str], found: Sequence[Request]) -> int:
    """How many events arrived before the one before them was accepted."""
    accepted: set[str] = set()
    seen: set[str] = set()
    wrong = 0
    for request in found:
        place = order.index(request.event_id)
        if request.event_id not in seen and place > 0 and order[place - 1] not in accepted:
            wrong += 1
        seen.add(request.event_id)
        if request.accepted:
            accepted.add(request.event_id)
    return wrong
