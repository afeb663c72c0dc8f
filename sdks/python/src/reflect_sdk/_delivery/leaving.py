"""What happens to outboxes when the process forks or ends."""

from __future__ import annotations

import atexit
import time
from typing import Protocol
from weakref import WeakValueDictionary

from reflect_sdk import _fork
from reflect_sdk._delivery.notices import logger


class Leaver(Protocol):
    """An outbox, as far as the end of a process concerns it."""

    @property
    def exit_timeout(self) -> float:
        """How many seconds it may take to end."""
        ...

    def after_fork(self) -> None:
        """Starts anew in a child."""
        ...

    def end(self, deadline: float) -> None:
        """Delivers what it can until then and keeps the rest."""
        ...


# Weak: an outbox that nobody uses any more is not kept for the sake of this.
_known: WeakValueDictionary[int, Leaver] = WeakValueDictionary()
_registered = False


def register(outbox: Leaver) -> None:
    """Looks after an outbox from now on."""
    global _registered
    if not _registered:
        _registered = True
        atexit.register(_end)
        _fork.in_child(_start_anew)
    _known[id(outbox)] = outbox


def _start_anew() -> None:
    for outbox in list(_known.values()):
        outbox.after_fork()


def _end() -> None:
    outboxes = list(_known.values())
    started = time.monotonic()
    for outbox in outboxes:
        try:
            outbox.end(started + outbox.exit_timeout)
        except Exception:
            logger.exception("Delivery could not be ended in order.")
