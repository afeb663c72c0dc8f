"""Produces a number of runs in a number of threads, then waits to be told to flush."""

from __future__ import annotations

import threading

from runs import ORDER, Runs, tell, told

if ORDER.get("bounds"):
    # The client has no options for these: they are small here so that they are reached soon.
    import functools

    import reflect_sdk._outgoing as outgoing

    outgoing.DeliverySettings = functools.partial(  # type: ignore[misc,assignment]
        outgoing.DeliverySettings, **ORDER["bounds"]
    )

runs = Runs()
threads = [threading.Thread(target=runs.many, args=(ORDER["count"],)) for _ in range(ORDER["threads"])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
tell("produced")
told("end")
result = runs.client.flush(90)
runs.note_dropped()
tell(f"{result.pending} pending, {result.spooled} spooled")
