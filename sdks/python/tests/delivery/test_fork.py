from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

from delivery_support.receiver import Receiver
from delivery_support.sending import SECRET, record

from reflect_sdk._delivery import Destination, Outbox
from reflect_sdk._delivery.segment import Segment

Make = Callable[..., Outbox]
Program = Callable[..., "subprocess.Popen[str]"]


def in_child(work: Callable[[], bool]) -> bool:
    """Runs it in a forked child, which ends without any clean-up."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_child_inherits_nothing_and_works(outboxes: Make, receiver: Receiver, destination: Destination) -> None:
    outbox = outboxes()
    receiver.open.clear()
    mine, its = record(), record()
    outbox.put(destination, mine)

    def child() -> bool:
        fresh = not outbox.is_pending(mine.trace_id) and outbox.counters().produced == 0
        outbox.put(destination, its)
        return fresh and outbox.flush(30).sent == 1

    receiver.open.set()
    assert in_child(child)
    outbox.flush(30)
    assert outbox.counters().sent == 1
    assert dict(receiver.stored) == {mine.trace_id: 1, its.trace_id: 1}


def test_a_child_starts_while_another_thread_holds_the_lock(
    outboxes: Make, receiver: Receiver, destination: Destination
) -> None:
    outbox = outboxes()
    outbox.put(destination, record())
    outbox.flush(20)
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with outbox._state.guard:
            held.set()
            done.wait(60)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(20)
    try:

        def child() -> bool:
            outbox.put(destination, record())
            return outbox.flush(30).sent == 1

        assert in_child(child)
    finally:
        done.set()
        thread.join()


def test_the_lock_stays_the_parents(outboxes: Make, spool: Path) -> None:
    nowhere = Destination("http://127.0.0.1:1", "tests", SECRET)
    outbox = outboxes()
    outbox.put(nowhere, record())
    outbox.flush(0.2)
    (path,) = spool.glob("*/*.seg")
    keep, ready = os.pipe(), os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(keep[1])
        os.write(ready[1], b"x")
        os.read(keep[0], 1)  # lives until the parent lets go
        os._exit(0)
    os.close(keep[0])
    os.read(ready[0], 1)
    # The child closed its copies, and the lock is still there ...
    assert Segment.adopt(path) is None
    outbox.close(0)
    # ... and ends with the parent's, although the child lives.
    adopted = Segment.adopt(path)
    assert adopted is not None
    adopted.release()
    os.close(keep[1])
    os.waitpid(pid, 0)


def test_a_fork_that_python_does_not_know_of_is_noticed(
    outboxes: Make, receiver: Receiver, destination: Destination, spool: Path
) -> None:
    outbox = outboxes()
    outbox.put(Destination("http://127.0.0.1:1", "tests", SECRET), record())
    assert outbox.flush(0.2).spooled == 1
    (path,) = spool.glob("*/*.seg")
    outbox._pid -= 1  # as it looks in such a child
    outbox.put(destination, record())
    assert outbox.counters().produced == 1
    assert outbox.flush(20).sent == 1
    adopted = Segment.adopt(path)
    assert adopted is not None
    adopted.release()


def test_callbacks_run_in_their_order_and_one_that_fails_stops_none(program: Program) -> None:
    process = program(
        "from reflect_sdk import _fork\n"
        "said = []\n"
        "_fork.in_child(lambda: said.append('first'))\n"
        "_fork.in_child(lambda: 1 / 0)\n"
        "_fork.in_child(lambda: said.append('last'))\n"
        "pid = os.fork()\n"
        "if pid == 0: os._exit(0 if said == ['first', 'last'] else 1)\n"
        "print(os.waitpid(pid, 0)[1], said)"
    )
    out, err = process.communicate(timeout=60)
    assert out == "0 []\n"
    assert "ZeroDivisionError" in err
