from __future__ import annotations

import logging
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from delivery_support.receiver import Receiver
from delivery_support.sending import SECRET, post, record

from reflect_sdk._delivery import DeliverySettings, Destination, FlushResult, Outbox

Make = Callable[..., Outbox]
UNREACHABLE = "http://127.0.0.1:1"


def balanced(outbox: Outbox) -> bool:
    seen = outbox.counters()
    settled = seen.sent + seen.pending + seen.spooled + sum(seen.dropped.values())
    return seen.produced + seen.adopted == settled


def test_runs_arrive_once_and_in_batches(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    outbox = outboxes(batch_items=20)
    receiver.open.clear()
    records = [record() for _ in range(50)]
    for one in records:
        outbox.put(destination, one)
    assert outbox.is_pending(records[0].trace_id)
    assert outbox.has_pending()
    receiver.open.set()
    assert outbox.flush(20) == FlushResult(sent=50, pending=0, spooled=0, dropped=0)
    assert dict(receiver.stored) == {one.trace_id: 1 for one in records}
    assert max(len(batch) for batch in receiver.batches) == 20
    assert [name for batch in receiver.batches for name in batch] == [one.trace_id for one in records]
    assert not outbox.is_pending(records[0].trace_id)
    assert not outbox.has_pending()
    assert outbox.flush(20) == FlushResult(0, 0, 0, 0)


def test_a_run_is_sent_without_being_asked_for(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    outboxes().put(destination, record())
    receiver.wait_for(lambda: len(receiver.stored) == 1)


def test_a_batch_is_bounded_by_bytes(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    outbox = outboxes(batch_bytes=10_000)
    receiver.open.clear()
    for _ in range(10):
        outbox.put(destination, record("x" * 4000))
    outbox.put(destination, record("x" * 50_000))
    receiver.open.set()
    assert outbox.flush(20).sent == 11
    assert max(len(batch) for batch in receiver.batches) == 2
    assert len(receiver.batches[-1]) == 1


@pytest.mark.parametrize("on_disk", [True, False])
def test_a_server_that_is_away_is_waited_for(
    outboxes: Make, receiver: Receiver, destination: Destination, on_disk: bool
) -> None:
    receiver.script = [(503, {"Retry-After": "0"}, {}), (500, {}, {}), (200, {}, b'{"results": [')]
    outbox = outboxes(spool=on_disk)
    for _ in range(3):
        outbox.put(destination, record())
    assert outbox.flush(30) == FlushResult(3, 0, 0, 0)
    assert set(receiver.stored.values()) == {1}


def test_what_is_not_sent_is_said(outboxes: Make) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    outbox, loose = outboxes(), outboxes(spool=False)
    for one in (outbox, loose):
        one.put(nowhere, record())
    assert outbox.flush(0.3) == FlushResult(sent=0, pending=0, spooled=1, dropped=0)
    assert loose.flush(0.3) == FlushResult(sent=0, pending=1, spooled=0, dropped=0)
    assert balanced(outbox) and balanced(loose)


def test_single_runs_are_rejected_or_tried_again(
    outboxes: Make, receiver: Receiver, destination: Destination, caplog: pytest.LogCaptureFixture
) -> None:
    seen: dict[str, int] = {}

    def refuse(trace: dict[str, Any]) -> dict[str, str] | None:
        seen[trace["task"]] = seen.get(trace["task"], 0) + 1
        if trace["task"] == "bad":
            return {"code": "invalid_request", "message": "task must not be bad"}
        if trace["task"] == "unlucky" and seen["unlucky"] < 3:
            return {"code": "unavailable", "message": "later"}
        return None

    receiver.refuse = refuse
    outbox = outboxes()
    for task in ("good", "bad", "unlucky", "good"):
        outbox.put(destination, record(task))
    assert outbox.flush(20) == FlushResult(sent=3, pending=0, spooled=0, dropped=1)
    assert seen == {"good": 2, "bad": 1, "unlucky": 3}
    assert outbox.counters().rejected == 1
    (said,) = [line for line in caplog.records if line.levelno == logging.ERROR]
    assert "task must not be bad" in said.getMessage()
    assert SECRET not in caplog.text
    assert balanced(outbox)


def test_a_batch_that_is_refused_is_halved(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    judge = receiver._judge

    def refuse_whole(body: bytes) -> Any:
        answer = judge(body)
        if b"poison" in body:
            for trace_id in receiver.batches[-1]:
                receiver.stored[trace_id] -= 1
            return 422, {}, {"error": {"code": "invalid_request", "message": "no"}}
        return answer

    receiver._judge = refuse_whole  # type: ignore[method-assign]
    outbox = outboxes()
    records = [record("poison" if number in (3, 30) else "fine") for number in range(40)]
    for one in records:
        outbox.put(destination, one)
    assert outbox.flush(30) == FlushResult(sent=38, pending=0, spooled=0, dropped=2)
    arrived = {name for name, count in receiver.stored.items() if count == 1}
    assert arrived == {one.trace_id for number, one in enumerate(records) if number not in (3, 30)}
    assert len(receiver.batches) < 40


def test_one_run_that_makes_the_server_fail_does_not_hold_up_the_rest(
    outboxes: Make, receiver: Receiver, destination: Destination
) -> None:
    judge = receiver._judge

    def fail(body: bytes) -> Any:
        return (500, {}, {}) if b"poison" in body else judge(body)

    receiver._judge = fail  # type: ignore[method-assign]
    outbox = outboxes(batch_items=4)
    outbox.put(destination, record("poison"))
    for _ in range(8):
        outbox.put(destination, record())
    deadline = time.monotonic() + 30
    while outbox.counters().sent < 8:
        assert time.monotonic() < deadline
        outbox.flush(0.1)
    assert len(receiver.stored) == 8
    assert outbox.counters().spooled == 1


def test_a_refused_key_drops_nothing_and_is_told_once(
    outboxes: Make, receiver: Receiver, destination: Destination, caplog: pytest.LogCaptureFixture
) -> None:
    judge = receiver._judge
    refusal = {"error": {"code": "key_revoked", "message": "this key was revoked"}}
    receiver._judge = lambda body: (401, {}, refusal)  # type: ignore[method-assign]
    outbox = outboxes()
    outbox.put(destination, record())
    for _ in range(2):
        started = time.monotonic()
        assert outbox.flush(20) == FlushResult(0, 0, 1, 0)
        assert time.monotonic() - started < 10
    assert caplog.text.count("key_revoked") == 1
    assert "trace:write" in caplog.text
    assert SECRET not in caplog.text
    receiver._judge = judge  # type: ignore[method-assign]
    assert outbox.flush(20).sent == 1


def test_a_destination_that_hangs_does_not_hold_up_another(
    outboxes: Make, receiver: Receiver, destination: Destination
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        silent.settimeout(30)
        hanging = Destination(f"http://127.0.0.1:{silent.getsockname()[1]}", "tests", SECRET)
        outbox = outboxes()
        outbox.put(hanging, record())
        accepted, _ = silent.accept()
        outbox.put(destination, record())
        assert outbox.flush(5, destination=destination) == FlushResult(1, 0, 0, 0)
        # An empty answer ends the call that hangs, so that the outbox can be closed.
        accepted.close()
        silent.close()


def test_one_thread_for_one_destination_and_four_at_most(outboxes: Make, receiver: Receiver) -> None:
    before = {thread.ident for thread in threading.enumerate()}

    def ours() -> int:
        return sum(
            thread.name == "reflect-delivery" and thread.ident not in before for thread in threading.enumerate()
        )

    outbox = outboxes()
    assert ours() == 0
    for _ in range(5):
        outbox.put(Destination(receiver.url, "p0", SECRET), record())
    outbox.flush(20)
    assert ours() == 1
    for number in range(10):
        outbox.put(Destination(receiver.url, f"p{number}", SECRET), record())
    assert outbox.flush(20).sent == 10
    assert ours() == 4
    outbox.close(5)
    assert ours() == 0


def test_full_memory_goes_to_disk(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    receiver.open.clear()
    outbox = outboxes(max_items=5, batch_items=2)
    records = [record(f"run {number}") for number in range(40)]
    for one in records:
        outbox.put(destination, one)
    assert sum(entry.body is not None for entry in outbox._state.queue(destination).entries()) == 5
    receiver.open.set()
    assert outbox.flush(20) == FlushResult(40, 0, 0, 0)
    assert dict(receiver.stored) == {one.trace_id: 1 for one in records}


def test_full_memory_without_a_disk_drops_what_has_no_review(
    outboxes: Make, destination: Destination, receiver: Receiver, caplog: pytest.LogCaptureFixture
) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    outbox = outboxes(max_items=4, spool=False, linger=60)
    for reviewed in (True, False, False, True, True, True, False):
        outbox.put(nowhere, record("", reviewed=reviewed))
    assert outbox.counters().dropped == {"full": 3}
    assert outbox.counters().pending == 4
    assert caplog.text.count("queue is full") == 1
    assert balanced(outbox)


def test_hooks_run_after_acceptance_and_may_flush(
    outboxes: Make, destination: Destination, caplog: pytest.LogCaptureFixture
) -> None:
    outbox = outboxes()
    called: list[tuple[Destination, FlushResult]] = []
    called_event = threading.Event()

    def hook(accepted: Destination) -> None:
        called.append((accepted, outbox.flush(30)))
        called_event.set()
        raise ValueError("a mistake in a callback")

    outbox.on_accepted.append(hook)
    outbox.put(destination, record())
    assert called_event.wait(20)
    assert called == [(destination, FlushResult(1, 0, 0, 0))]
    outbox.put(destination, record())
    outbox.flush(20)
    assert outbox.counters().sent == 2


def test_flush_from_many_threads(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    outbox = outboxes()
    results: list[FlushResult] = []

    def run() -> None:
        for _ in range(5):
            outbox.put(destination, record())
            results.append(outbox.flush(30))

    threads = [threading.Thread(target=run) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len(results) == 100
    assert sum(result.sent for result in results) == 100
    assert set(receiver.stored.values()) == {1}
    assert len(receiver.stored) == 100


def test_a_put_inside_a_put_waits_for_its_turn(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    # What a signal handler does that interrupts `put` at the worst moment.
    outbox = outboxes()
    guard = outbox._state.guard
    inner = record()
    with guard as entered:
        assert entered
        outbox.put(destination, inner)
        assert not outbox.is_pending(inner.trace_id)
        assert outbox.flush(30) == FlushResult(0, 0, 0, 0)
    assert outbox.is_pending(inner.trace_id)
    assert outbox.flush(20).sent == 1


def test_shared_is_one(tmp_path: Any) -> None:
    settings = DeliverySettings(spool_dir=tmp_path)
    one = Outbox.shared(settings, post)
    assert Outbox.shared(DeliverySettings(spool_dir=tmp_path), post) is one
    assert Outbox.shared(DeliverySettings(spool=False), post) is not one


def test_an_outbox_can_be_used_after_it_was_closed(
    outboxes: Make, receiver: Receiver, destination: Destination
) -> None:
    outbox = outboxes()
    outbox.put(destination, record())
    assert outbox.close(10) == FlushResult(1, 0, 0, 0)
    outbox.put(destination, record())
    assert outbox.flush(20).sent == 1
    outbox.count_dropped("mask_failed")
    outbox.count_empty()
    assert outbox.counters().dropped == {"mask_failed": 1}
    assert outbox.counters().empty == 1
    assert balanced(outbox)
