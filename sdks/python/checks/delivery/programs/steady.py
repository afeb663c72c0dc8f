"""Produces runs until it is stopped or killed; then optionally flushes and reports its drops."""

from __future__ import annotations

import threading

from runs import ORDER, Runs, tell, told

runs = Runs()
stop = threading.Event()


def produce() -> None:
    """Runs until the end."""
    while not stop.is_set():
        runs.one()
        stop.wait(ORDER.get("pause", 0.0))


threads = [threading.Thread(target=produce, daemon=True) for _ in range(ORDER["parallel"])]
for thread in threads:
    thread.start()
tell("producing")
told("stop")
stop.set()
for thread in threads:
    thread.join()
tell("stopped")
told("end")
runs.client.flush(60)
runs.note_dropped()
