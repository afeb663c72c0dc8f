"""Produces runs in several threads, then waits for the command to flush."""

from __future__ import annotations

import threading

from runs import ORDER, Runs, tell, told

if ORDER.get("bounds"):
    # The client has no options for these limits; small values are reached quickly.
    import functools

    import reflect_sdk._outgoing as outgoing

    outgoing.DeliverySettings = functools.partial(  # type: ignore[misc,assignment]
        outgoing.DeliverySettings, **ORDER["bounds"]
    )

runs = Runs()
threads = [threading.Thread(target=runs.many, args=(ORDER["count"],)) for _ in range(ORDER["parallel"])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
tell("produced")
told("end")
result = runs.client.flush(90)
runs.note_dropped()
tell(f"{result.pending} pending, {result.spooled} spooled")
