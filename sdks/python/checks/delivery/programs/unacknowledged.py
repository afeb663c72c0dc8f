"""Produces runs over a connection that loses responses. The mutant sends no ids, so retries are not idempotent."""

from __future__ import annotations

import json

from runs import ORDER, Runs, tell

if ORDER["mutant"]:
    import reflect_sdk._outgoing as outgoing

    honest = outgoing.post_batch

    def forgetful(destination, body):  # type: ignore[no-untyped-def]
        """The same batch without the ids of its traces."""
        batch = json.loads(body)
        for trace in batch["traces"]:
            del trace["trace_id"]
        return honest(destination, json.dumps(batch).encode())

    outgoing.post_batch = forgetful

runs = Runs()
runs.many(ORDER["count"])
result = runs.client.flush(60)
runs.note_dropped()
tell(f"{result.pending} pending, {result.spooled} spooled")
