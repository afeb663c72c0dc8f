from __future__ import annotations

from pathlib import Path

import pytest

from reflect_sdk._delivery import DeliverySettings, Destination
from reflect_sdk._delivery.lane import Lane
from reflect_sdk._delivery.memory import Memory
from reflect_sdk._delivery.record import Entry
from reflect_sdk._delivery.segment import Segment


@pytest.fixture
def lane() -> Lane:
    return Lane(Destination("http://127.0.0.1", "p", "k"), DeliverySettings(), None)


def entry(lane: Lane, name: str, *, reviewed: bool = False, segment: Segment | None = None, size: int = 10) -> Entry:
    made = Entry(lane, name, size=size, reviewed=reviewed, written_ms=0, queued_at=0.0)
    made.segment = segment
    lane.add(made)
    return made


def names(entries: list[Entry]) -> list[str]:
    return [entry.trace_id for entry in entries]


def test_the_oldest_without_a_review_goes_first(lane: Lane) -> None:
    memory = Memory(3, 1000)
    given_up: list[Entry] = []
    for name, reviewed in (("a", True), ("b", False), ("c", False), ("d", True), ("e", True), ("f", True)):
        dropped = memory.keep(entry(lane, name, reviewed=reviewed), b"x" * 10)
        for one in dropped:
            lane.settle(one)
        given_up += dropped
    assert names(given_up) == ["b", "c", "a"]
    # A new one without a review is then itself the oldest of its kind.
    assert names(memory.keep(entry(lane, "g"), b"x" * 10)) == ["g"]


def test_bytes_are_bounded_too(lane: Lane) -> None:
    memory = Memory(1000, 100)
    assert memory.keep(entry(lane, "a", size=60), b"x" * 60) == []
    assert names(memory.keep(entry(lane, "b", size=60), b"x" * 60)) == ["a"]
    # One that would never fit does not push out the rest.
    assert names(memory.keep(entry(lane, "c", size=101), b"x" * 101)) == ["c"]
    assert names(memory.keep(entry(lane, "d", size=30), b"x" * 30)) == []


def test_what_is_on_disk_gives_way_without_loss(lane: Lane, tmp_path: Path) -> None:
    segment = Segment.create(tmp_path)
    memory = Memory(2, 1000)
    first, second = entry(lane, "a", segment=segment), entry(lane, "b", segment=segment)
    third = entry(lane, "c", segment=segment)
    for one in (first, second, third):
        assert memory.keep(one, b"x" * 10) == []
    assert [one.body is None for one in (first, second, third)] == [False, False, True]
    assert memory.keep(entry(lane, "d"), b"x" * 10) == []
    assert [one.body is None for one in (first, second, third)] == [False, True, True]
    segment.remove()


def test_what_is_on_its_way_is_not_dropped(lane: Lane) -> None:
    memory = Memory(2, 1000)
    for name in ("a", "b"):
        memory.keep(entry(lane, name), b"x" * 10)
    assert names(lane.take(0.0)) == ["a", "b"]
    assert names(memory.keep(entry(lane, "c"), b"x" * 10)) == ["c"]
    lane.give_back(lane.flying)
    assert names(memory.keep(entry(lane, "d"), b"x" * 10)) == ["a"]
