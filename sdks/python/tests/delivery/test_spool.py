from __future__ import annotations

import json
import os
import shutil
import stat
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from delivery_support.receiver import Receiver
from delivery_support.sending import SECRET, record

from reflect_sdk._delivery import Destination, FlushResult, Outbox, frames, journal, maintenance
from reflect_sdk._delivery.folder import waiting_records
from reflect_sdk._delivery.segment import Segment

Make = Callable[..., Outbox]
UNREACHABLE = "http://127.0.0.1:1"


def segments(spool: Path) -> list[Path]:
    return sorted(spool.glob("*/*.seg"))


def left(spool: Path) -> int:
    return sum(len(waiting_records(path.read_bytes())[0]) for path in segments(spool))


def leave_behind(outboxes: Make, destination: Destination, count: int) -> list[str]:
    """Runs in a segment without an owner."""
    outbox = outboxes(exit_timeout=0.0)
    records = [record(f"run {number}") for number in range(count)]
    with outbox._state.guard:  # nothing is sent meanwhile
        for one in records:
            outbox._state.accept(destination, one)
        outbox._state.hand_over(outbox._state.queue(destination))
    assert outbox.counters().spooled == count
    return [one.trace_id for one in records]


def test_a_run_is_on_disk_when_put_returns(outboxes: Make, spool: Path) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    one = record("find me", reviewed=True)
    outboxes().put(nowhere, one)
    (path,) = segments(spool)
    (found,), damage = waiting_records(path.read_bytes())
    assert (found.trace_id, found.reviewed, damage) == (one.trace_id, True, [])
    assert path.read_bytes()[found.body_at :] == one.body
    assert SECRET.encode() not in path.read_bytes()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.parent.name == nowhere.folder_name


def test_a_spool_folder_names_its_project_and_address(outboxes: Make, spool: Path) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    outboxes().put(nowhere, record())

    named = spool / nowhere.folder_name / "destination.json"
    assert json.loads(named.read_text()) == {"base_url": UNREACHABLE, "project_id": "tests"}
    assert list(spool.glob("*/*.new")) == []


def test_an_address_with_a_password_is_not_written_to_disk(outboxes: Make, spool: Path) -> None:
    outboxes().put(Destination("http://ana:hunter2@127.0.0.1:1", "tests", SECRET), record())

    assert len(segments(spool)) == 1
    assert list(spool.glob("*/destination.json*")) == []


def test_a_folder_that_cannot_be_named_keeps_runs(outboxes: Make, spool: Path) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    # A folder in the place of the temporary file: writing fails.
    (spool / nowhere.folder_name / "destination.json.new").mkdir(parents=True)

    outboxes().put(nowhere, record())

    assert left(spool) == 1


def test_nothing_stays_when_all_has_arrived(outboxes: Make, destination: Destination, spool: Path) -> None:
    outbox = outboxes()
    for _ in range(3):
        outbox.put(destination, record())
    assert outbox.flush(20).sent == 3
    assert segments(spool) == []


def test_the_open_segment_does_not_grow_for_ever(
    outboxes: Make, receiver: Receiver, destination: Destination, spool: Path
) -> None:
    outbox = outboxes(linger=0.0)
    for number in range(1, 4):
        outbox.put(destination, record("x" * 1000))
        receiver.wait_for(lambda number=number: len(receiver.stored) == number)  # type: ignore[misc]
        deadline = time.monotonic() + 10
        while outbox.has_pending():
            assert time.monotonic() < deadline
        (path,) = segments(spool)
        assert path.stat().st_size == len(frames.HEADER)


def test_segments_rotate(
    outboxes: Make, destination: Destination, receiver: Receiver, spool: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal, "SEGMENT_BYTES", 10_000)
    receiver.open.clear()
    outbox = outboxes()
    for _ in range(30):
        outbox.put(destination, record("x" * 1000))
    assert len(segments(spool)) == 4
    assert all(path.stat().st_size <= 10_000 for path in segments(spool))
    receiver.open.set()
    assert outbox.flush(20).sent == 30
    assert segments(spool) == []


def test_what_was_left_is_sent_by_the_next(
    outboxes: Make, destination: Destination, receiver: Receiver, spool: Path
) -> None:
    ids = leave_behind(outboxes, destination, 7) + leave_behind(outboxes, destination, 5)
    assert len(segments(spool)) == 2
    outbox = outboxes()
    assert outbox.flush(20, destination=destination) == FlushResult(12, 0, 0, 0)
    assert sorted(receiver.stored) == sorted(ids)
    assert outbox.counters().adopted == 12
    assert outbox.counters().produced == 0
    assert segments(spool) == []


def test_what_was_left_is_found_without_a_flush(outboxes: Make, destination: Destination, receiver: Receiver) -> None:
    leave_behind(outboxes, destination, 4)
    outboxes().put(destination, record())
    receiver.wait_for(lambda: len(receiver.stored) == 5)


def test_a_running_process_takes_over_about_once_a_minute(
    outboxes: Make, destination: Destination, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("reflect_sdk._delivery.worker.INTERVAL", 0.2)
    outbox = outboxes()
    periods: list[int] = []
    outbox.periodic.append(lambda: periods.append(1))
    outbox.put(destination, record())
    assert outbox.flush(20).sent == 1
    leave_behind(outboxes, destination, 4)
    receiver.wait_for(lambda: len(receiver.stored) == 5)
    assert periods


def test_a_segment_that_somebody_owns_is_not_taken(
    outboxes: Make, destination: Destination, receiver: Receiver, spool: Path
) -> None:
    owner = outboxes()
    receiver.open.clear()
    owner.put(destination, record())
    other = outboxes()
    assert other.flush(20, destination=destination) == FlushResult(0, 0, 0, 0)
    assert len(segments(spool)) == 1
    receiver.open.set()
    assert owner.flush(20).sent == 1


def test_acknowledged_runs_are_not_sent_again(
    outboxes: Make, destination: Destination, receiver: Receiver, spool: Path
) -> None:
    leave_behind(outboxes, destination, 6)
    receiver.script = []
    first = outboxes(batch_items=2)
    judge, answered = receiver._judge, []

    def once(body: bytes) -> object:
        answered.append(1)
        return judge(body) if len(answered) == 1 else (401, {}, {})

    receiver._judge = once  # type: ignore[assignment,method-assign]
    assert first.flush(20, destination=destination).sent == 2
    first.close(0)
    assert left(spool) == 4
    receiver._judge = judge  # type: ignore[method-assign]
    assert outboxes().flush(20, destination=destination).sent == 4
    assert set(receiver.stored.values()) == {1}


def test_damage_does_not_stop_the_rest(
    outboxes: Make, destination: Destination, receiver: Receiver, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ids = leave_behind(outboxes, destination, 5)
    (path,) = segments(spool)
    data = bytearray(path.read_bytes())
    records, _ = waiting_records(bytes(data))
    data[records[2].body_at + 3] ^= 0xFF
    path.write_bytes(bytes(data) + frames.record_head("torn", b"x" * 100, reviewed=False, written_ms=1)[:25])
    outbox = outboxes()
    assert outbox.flush(20, destination=destination).sent == 4
    assert sorted(receiver.stored) == sorted(ids[:2] + ids[3:])
    assert outbox.counters().damaged == 2
    assert "2 unreadable section(s)" in caplog.text
    assert segments(spool) == []


def test_a_later_version_is_left_alone(outboxes: Make, destination: Destination, spool: Path) -> None:
    leave_behind(outboxes, destination, 1)
    (path,) = segments(spool)
    path.write_bytes(b"reflect-spool 2\nsomething else")
    assert outboxes().flush(20, destination=destination) == FlushResult(0, 0, 0, 0)
    assert path.read_bytes() == b"reflect-spool 2\nsomething else"


def test_too_old_is_dropped_and_counted(
    outboxes: Make, destination: Destination, receiver: Receiver, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    leave_behind(outboxes, destination, 3)
    outbox = outboxes(spool_days=-1.0)  # whatever is there is too old
    assert outbox.flush(20, destination=destination) == FlushResult(0, 0, 0, 3)
    assert outbox.counters().dropped == {"expired": 3}
    assert segments(spool) == []
    assert "spool_days" in caplog.text
    assert not receiver.stored


def test_maintenance_remove_old_segments_of_any_destination(
    outboxes: Make, destination: Destination, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    leave_behind(outboxes, Destination(UNREACHABLE, "abandoned", SECRET), 3)
    leave_behind(outboxes, Destination(UNREACHABLE, "recent", SECRET), 2)
    (old,) = (spool / Destination(UNREACHABLE, "abandoned", SECRET).folder_name).glob("*.seg")
    eight_days_ago = time.time() - 8 * 24 * 3600
    os.utime(old, (eight_days_ago, eight_days_ago))
    outbox = outboxes()
    maintenance.run_maintenance(outbox._state)
    assert outbox.counters().dropped == {"expired": 3}
    assert "3 run(s) in it are lost" in caplog.text
    assert left(spool) == 2


def test_maintenance_give_up_what_cannot_be_sent_for_too_long(outboxes: Make, spool: Path) -> None:
    outbox = outboxes(spool_days=1.0)
    outbox.put(Destination(UNREACHABLE, "tests", SECRET), record())
    assert outbox.flush(0.2).spooled == 1
    (entry,) = outbox._state.queues[Destination(UNREACHABLE, "tests", SECRET)].entries()
    entry.written_ms -= 2 * 24 * 3600 * 1000
    deadline = time.monotonic() + 10
    while outbox.counters().dropped != {"expired": 1}:
        maintenance.run_maintenance(outbox._state)
        assert time.monotonic() < deadline


def test_the_spool_has_a_bound(outboxes: Make, spool: Path, caplog: pytest.LogCaptureFixture) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    outbox = outboxes(spool_bytes=5000, max_items=2, linger=60)
    for number in range(10):
        outbox.put(nowhere, record("x" * 1000, reviewed=number < 5))
    seen = outbox.counters()
    assert (seen.spooled, seen.pending, seen.dropped) == (4, 2, {"full": 4})
    assert sum(path.stat().st_size for path in segments(spool)) <= 5000
    assert "cannot be stored on disk" in caplog.text
    # Another process sees what is used already.
    other = outboxes(spool_bytes=5000)
    other.put(nowhere, record("x" * 1000))
    assert other.counters().pending == 1


def test_a_folder_that_cannot_be_used_is_no_reason_to_fail(
    outboxes: Make, destination: Destination, spool: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spool.write_text("a file where the folder should be")
    outbox = outboxes()
    outbox.put(destination, record())
    assert outbox.flush(20).sent == 1
    assert "cannot be stored on disk" in caplog.text
    assert "REFLECT_SPOOL_DIR" in caplog.text


def test_a_folder_that_was_cleared_is_made_again(outboxes: Make, spool: Path) -> None:
    nowhere = Destination(UNREACHABLE, "tests", SECRET)
    outbox = outboxes(max_items=1)
    for _ in range(3):
        outbox.put(nowhere, record())
    outbox.flush(0.2)
    shutil.rmtree(spool)
    maintenance.run_maintenance(outbox._state)
    outbox.put(nowhere, record())
    assert left(spool) == 1
    # What was in the removed file can still be read by the process that has it open.
    entries = outbox._state.queue(nowhere).entries()
    assert len(entries) == 4
    for entry in entries:
        assert entry.body is not None or entry.segment is not None
        if entry.body is None and entry.segment is not None:
            assert entry.segment.body_of(entry.trace_id, entry.offset, entry.length) is not None


def test_a_segment_is_visible_only_when_locked(tmp_path: Path) -> None:
    segment = Segment.create(tmp_path)
    assert Segment.adopt(segment.path) is None
    segment.release()
    adopted = Segment.adopt(segment.path)
    assert adopted is not None
    adopted.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_not_followed(outboxes: Make, destination: Destination, spool: Path, tmp_path: Path) -> None:
    leave_behind(outboxes, destination, 1)
    (path,) = segments(spool)
    elsewhere = tmp_path / "elsewhere.seg"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert outboxes().flush(20, destination=destination).sent == 0
    assert elsewhere.exists()
