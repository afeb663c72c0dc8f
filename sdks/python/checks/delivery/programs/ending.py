"""Produces runs and ends in the requested way."""

from __future__ import annotations

import atexit
import json
import os

how = json.loads(os.environ["ORDER"])["how"]
if how == "handlers":
    # Registered before the package is used, so it runs after the package's atexit handler.
    atexit.register(lambda: runs.many(2))

from runs import ORDER, Runs  # noqa: E402

runs = Runs()
runs.many(ORDER["count"])
if how == "handlers":
    atexit.register(lambda: runs.many(2))
if how == "at once":
    os._exit(0)
