"""Callbacks that run in a child process right after a fork.

The package has one registry, because the order matters: callbacks run in the order of registration.
A callback must not take a lock that existed before the fork: the thread that held it does not exist in the child.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

_callbacks: list[Callable[[], None]] = []
_installed = False


def in_child(callback: Callable[[], None]) -> None:
    """Registers `callback` for every child process that is forked from now on. It is never unregistered."""
    global _installed
    _callbacks.append(callback)
    if not _installed:
        _installed = True
        # Not on Windows, which cannot fork.
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_run)


def _run() -> None:
    for callback in list(_callbacks):
        try:
            callback()
        except Exception:
            # A failing callback must not prevent the others. No caller can handle the exception here, and
            # the application's logging may not be usable yet.
            traceback.print_exc()
