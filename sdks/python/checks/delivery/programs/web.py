"""A WSGI application with two runs per request. It is loaded before the server forks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

from runs import Runs

runs = Runs()
runs.one()


def application(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Answers with the worker's process id when both runs have ended."""
    runs.many(2)
    start("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
