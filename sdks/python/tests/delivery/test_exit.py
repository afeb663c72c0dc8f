from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from delivery_support.receiver import Receiver
from delivery_support.sending import SECRET

from reflect_sdk._delivery import Destination, Outbox
from reflect_sdk._delivery.folder import waiting_records

Program = Callable[..., "subprocess.Popen[str]"]
Make = Callable[..., Outbox]
UNREACHABLE = "http://127.0.0.1:1"


def left(spool: Path) -> int:
    return sum(len(waiting_records(path.read_bytes())[0]) for path in spool.glob("*/*.seg"))


def finish(process: subprocess.Popen[str], status: int = 0) -> str:
    out, err = process.communicate(timeout=60)
    assert process.returncode == status, err
    assert "Traceback" not in err, err
    assert SECRET not in err
    return out + err


def test_what_was_put_is_sent_before_the_end(program: Program, receiver: Receiver, spool: Path) -> None:
    finish(program("for _ in range(120): outbox.put(to, record())"))
    assert len(receiver.stored) == 120
    assert list(spool.glob("*/*.seg")) == []


def test_a_server_that_is_down_does_not_hold_up_the_end(program: Program, spool: Path) -> None:
    said = finish(
        program(
            "outbox.put(to, record()); outbox.flush(0.2); started = time.monotonic()\n"
            "import reflect_sdk._delivery.lifecycle as lifecycle\n"
            "lifecycle._shut_down(); print(time.monotonic() - started < 1.0)",
            url=UNREACHABLE,
        )
    )
    assert said.startswith("True\n")
    assert "are stored in" in said
    assert left(spool) == 1


def test_a_server_that_hangs_holds_up_the_end_for_so_long_only(
    program: Program, receiver: Receiver, spool: Path
) -> None:
    receiver.open.clear()
    started = time.monotonic()
    finish(program("outbox.put(to, record())", settings="exit_timeout=1.0"))
    assert time.monotonic() - started < 9
    assert left(spool) == 1


def test_without_a_disk_the_end_counts_what_is_lost(program: Program) -> None:
    said = finish(
        program(
            "atexit.register(lambda: print(dict(outbox.counters().dropped)))\n"
            "outbox.put(to, record()); outbox.flush(0.2)\n"
            "import reflect_sdk._delivery.lifecycle as lifecycle; lifecycle._shut_down()",
            url=UNREACHABLE,
            settings="spool=False",
        )
    )
    assert "{'exit': 1}" in said
    assert "1 run(s)" in said


@pytest.mark.parametrize("settings", ["", "spool=False"])
def test_a_put_from_another_exit_handler(program: Program, receiver: Receiver, settings: str) -> None:
    # Handlers run in the reverse order: one of these runs after ours, the other before it.
    finish(
        program(
            "from reflect_sdk._delivery import lifecycle\n"
            "atexit.unregister(lifecycle._shut_down)\n"
            "atexit.register(lambda: outbox.put(to, record()))\n"
            "atexit.register(lifecycle._shut_down)\n"
            "atexit.register(lambda: outbox.put(to, record()))\n"
            "outbox.put(to, record())",
            settings=settings,
        )
    )
    assert len(receiver.stored) == 3


def test_the_first_put_from_an_exit_handler(program: Program, receiver: Receiver) -> None:
    finish(program("atexit.register(lambda: outbox.put(to, record()))"))
    assert len(receiver.stored) == 1


@pytest.mark.parametrize("end", ["os._exit(9)", "os.kill(os.getpid(), signal.SIGKILL)"])
def test_a_sudden_end_loses_nothing(
    program: Program, receiver: Receiver, outboxes: Make, spool: Path, end: str
) -> None:
    process = program(f"for _ in range(30): outbox.put(to, record())\n{end}")
    finish(process, 9 if "_exit" in end else -signal.SIGKILL)
    assert len(receiver.stored) + left(spool) >= 30
    outboxes().flush(20, destination=Destination(receiver.url, "tests", SECRET))
    assert len(receiver.stored) == 30
    assert list(spool.glob("*/*.seg")) == []


def test_where_no_thread_can_be_started_the_caller_sends(program: Program, receiver: Receiver) -> None:
    said = finish(
        program(
            'def fail(self): raise RuntimeError("can\'t start new thread")\n'
            "threading.Thread.start = fail\n"
            "outbox.put(to, record()); print(outbox.flush(20).sent)\n"
            "outbox.put(to, record())"
        )
    )
    assert said.startswith("1\n")
    assert len(receiver.stored) == 2


def test_a_signal_handler_may_put_and_flush(program: Program, receiver: Receiver) -> None:
    code = """
count = 0
def handler(*_):
    global count
    count += 1
    outbox.put(to, record()); outbox.flush(0)
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for _ in range(2000): outbox.put(to, record())
signal.setitimer(signal.ITIMER_REAL, 0)
result = outbox.flush(60)
seen = outbox.counters()
print(count > 3, seen.produced == 2000 + count == seen.sent)
"""
    assert finish(program(code)).startswith("True True")
    assert set(receiver.stored.values()) == {1}


def test_a_file_that_may_not_grow_is_followed_by_another(program: Program, spool: Path) -> None:
    code = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
for _ in range(30): outbox.put(to, record("x" * 3000))
outbox.put(to, record("x" * 30_000))
seen = outbox.counters()
print(seen.spooled, seen.pending, flush=True)
os._exit(0)
"""
    assert finish(program(code, url=UNREACHABLE)).startswith("30 1\n")
    assert left(spool) == 30
    assert all(path.stat().st_size <= 20_000 for path in spool.glob("*/*.seg"))
