"""Resets outboxes after a fork and shuts them down when the process exits."""

from __future__ import annotations

import atexit
import time
from typing import Protocol
from weakref import WeakValueDictionary

from reflect_sdk import _fork
from reflect_sdk._delivery.log_buffer import logger


class ShutdownHook(Protocol):
    """The methods of an outbox that process exit and fork handlers call."""

    @property
    def exit_timeout(self) -> float:
        """The maximum number of seconds for `shutdown`."""
        ...

    def after_fork(self) -> None:
        """Resets the state in a forked child."""
        ...

    def shutdown(self, deadline: float) -> None:
        """Sends runs until the deadline and leaves the rest in the spool."""
        ...


# Weak references: registration must not keep an unused outbox alive.
_hooks: WeakValueDictionary[int, ShutdownHook] = WeakValueDictionary()
_registered = False


def register(hook: ShutdownHook) -> None:
    """Registers an outbox for process exit and fork."""
    global _registered
    if not _registered:
        _registered = True
        atexit.register(_shut_down)
        _fork.in_child(_reset_after_fork)
    _hooks[id(hook)] = hook


def _reset_after_fork() -> None:
    for hook in list(_hooks.values()):
        hook.after_fork()


def _shut_down() -> None:
    hooks = list(_hooks.values())
    started = time.monotonic()
    for hook in hooks:
        try:
            hook.shutdown(started + hook.exit_timeout)
        except Exception:
            logger.exception("Shutdown of the delivery failed.")
