from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SOURCE = HERE.parents[1] / "src"
sys.path.insert(0, str(HERE))

from delivery_support.receiver import Receiver  # noqa: E402
from delivery_support.sending import SECRET, post  # noqa: E402

from reflect_sdk._delivery import DeliverySettings, Destination, Outbox  # noqa: E402

Program = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def destination(receiver: Receiver) -> Destination:
    return Destination(receiver.url, "tests", SECRET)


@pytest.fixture
def spool(tmp_path: Path) -> Path:
    return tmp_path / "spool"


@pytest.fixture
def outboxes(spool: Path) -> Iterator[Callable[..., Outbox]]:
    """Makes outboxes with the given settings, and closes them at the end."""
    made: list[Outbox] = []

    def make(**settings: object) -> Outbox:
        settings = {"spool_dir": spool, **settings}
        made.append(Outbox(DeliverySettings(**settings), post))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for outbox in made:
        outbox.close(0.0)


@pytest.fixture
def program(spool: Path, receiver: Receiver) -> Iterator[Program]:
    """Starts Python programs that have `outbox`, `to` and `record` at hand."""
    started: list[subprocess.Popen[str]] = []

    def start(code: str, url: str = receiver.url, settings: str = "") -> subprocess.Popen[str]:
        beginning = f"""
import atexit, logging, os, signal, sys, threading, time
from pathlib import Path
logging.basicConfig(level=logging.INFO, stream=sys.stderr)
from delivery_support.sending import post, record
from reflect_sdk._delivery import DeliverySettings, Destination, Outbox
to = Destination({url!r}, "tests", {SECRET!r})
outbox = Outbox(DeliverySettings(spool_dir=Path({str(spool)!r}), {settings}), post)
"""
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONPATH": os.pathsep.join((str(SOURCE), str(HERE))),
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        started.append(
            subprocess.Popen(
                [sys.executable, "-c", beginning + code],
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()
