"""A process with our Python client, for the outbound run, which records its connections.

    <environment>/bin/python outbound_client.py

Reads the client's settings as JSON from stdin; ends when all runs are delivered.
"""

from __future__ import annotations

import json
import sys

from reflect_sdk import ReflectClient


def main() -> None:
    """A retrieval, a run with its review, and a run that is delivered in the background."""
    with ReflectClient(**json.load(sys.stdin)) as client:
        client.query_memories("Water the plants")
        with client.trace("Water the plants on the roof") as run:
            run.set_output(trajectory=[{"role": "assistant", "content": "Done."}], final_response="Done.")
        client.create_trace(
            task="Sort the post by hand",
            trajectory=[{"role": "assistant", "content": "Sorted."}],
            final_response="Sorted.",
            retrieved_memory_ids=[],
        )


if __name__ == "__main__":
    main()
