"""What has to happen in a child process right after a fork.

One registry for the whole package, because the order matters: what was registered first runs first.
A callback must not take a lock that existed before the fork: the thread that held it is gone.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable

_callbacks: list[Callable[[], None]] = []
_installed = False


def in_child(callback: Callable[[], None]) -> None:
    """Have `callback` run in every child process that is forked from now on. It is kept for ever."""
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
            # One part that cannot start anew must not keep the others from it. There is nobody to
            # raise this to, and the logging of the application may not be usable yet.
            traceback.print_exc()
