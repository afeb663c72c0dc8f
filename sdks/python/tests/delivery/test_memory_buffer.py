from __future__ import annotations

from pathlib import Path

import pytest

from reflect_sdk._delivery import DeliverySettings, Destination
from reflect_sdk._delivery.destination_queue import DestinationQueue
from reflect_sdk._delivery.memory_buffer import MemoryBuffer
from reflect_sdk._delivery.record import Entry
from reflect_sdk._delivery.segment import Segment


@pytest.fixture
def queue() -> DestinationQueue:
    return DestinationQueue(Destination("http://127.0.0.1", "p", "k"), DeliverySettings(), None)


def entry(
    queue: DestinationQueue, name: str, *, reviewed: bool = False, segment: Segment | None = None, size: int = 10
) -> Entry:
    made = Entry(queue, name, size=size, reviewed=reviewed, written_ms=0, queued_at=0.0)
    made.segment = segment
    queue.add(made)
    return made


def names(entries: list[Entry]) -> list[str]:
    return [entry.trace_id for entry in entries]


def test_the_oldest_without_a_review_goes_first(queue: DestinationQueue) -> None:
    memory = MemoryBuffer(3, 1000)
    given_up: list[Entry] = []
    for name, reviewed in (("a", True), ("b", False), ("c", False), ("d", True), ("e", True), ("f", True)):
        dropped = memory.add(entry(queue, name, reviewed=reviewed), b"x" * 10)
        for one in dropped:
            queue.settle(one)
        given_up += dropped
    assert names(given_up) == ["b", "c", "a"]
    # A new one without a review is then itself the oldest of its kind.
    assert names(memory.add(entry(queue, "g"), b"x" * 10)) == ["g"]


def test_bytes_are_bounded_too(queue: DestinationQueue) -> None:
    memory = MemoryBuffer(1000, 100)
    assert memory.add(entry(queue, "a", size=60), b"x" * 60) == []
    assert names(memory.add(entry(queue, "b", size=60), b"x" * 60)) == ["a"]
    # One that would never fit does not push out the rest.
    assert names(memory.add(entry(queue, "c", size=101), b"x" * 101)) == ["c"]
    assert names(memory.add(entry(queue, "d", size=30), b"x" * 30)) == []


def test_what_is_on_disk_gives_way_without_loss(queue: DestinationQueue, tmp_path: Path) -> None:
    segment = Segment.create(tmp_path)
    memory = MemoryBuffer(2, 1000)
    first, second = entry(queue, "a", segment=segment), entry(queue, "b", segment=segment)
    third = entry(queue, "c", segment=segment)
    for one in (first, second, third):
        assert memory.add(one, b"x" * 10) == []
    assert [one.body is None for one in (first, second, third)] == [False, False, True]
    assert memory.add(entry(queue, "d"), b"x" * 10) == []
    assert [one.body is None for one in (first, second, third)] == [False, True, True]
    segment.remove()


def test_what_is_on_its_way_is_not_dropped(queue: DestinationQueue) -> None:
    memory = MemoryBuffer(2, 1000)
    for name in ("a", "b"):
        memory.add(entry(queue, name), b"x" * 10)
    assert names(queue.take(0.0)) == ["a", "b"]
    assert names(memory.add(entry(queue, "c"), b"x" * 10)) == ["c"]
    queue.give_back(queue.in_flight)
    assert names(memory.add(entry(queue, "d"), b"x" * 10)) == ["a"]
