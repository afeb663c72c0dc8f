"""Masks secrets, and shows how runs are delivered with and without a reachable server.

A mask is a function from str to str. It is applied to every text of a run before the text is sent, queued or written
to disk. If the mask raises an exception, the run is dropped and counted, because unmasked text must not leave the
process.

    pip install reflect-memory-client
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project
    python masking_and_delivery.py

The second half needs no server: it sends to an unreachable address, and finds the run on disk.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from reflect_sdk import FlushResult, ReflectClient

EMAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.]+")
CARD = re.compile(r"\b\d(?:[ -]?\d){12,15}\b")

TASK = "Answer ada@example.org, whose card 4111 1111 1111 1111 was charged twice"
REPLY = "I wrote to ada@example.org that one of the two charges is being refunded."


def mask(text: str) -> str:
    """Replaces e-mail addresses and card numbers."""
    return CARD.sub("[card]", EMAIL.sub("[email]", text))


def run(client: ReflectClient) -> str | None:
    """One run with an e-mail address and a card number; returns the id of its trace."""
    with client.trace(TASK) as ctx:
        if ctx.degraded:
            print(f"  this run has no memories ({ctx.degraded})")
        # The agent works with the real text: only data that leaves the process is masked.
        assert "ada@example.org" in ctx.augmented_task
        ctx.step("user", ctx.augmented_task)
        ctx.tool("send_mail", {"to": "ada@example.org"}, "250 OK")
        ctx.step("assistant", REPLY)
        ctx.review("pass")
    return ctx.trace_id


def show(result: FlushResult) -> None:
    """Prints the result of a flush."""
    print(f"  flush: sent {result.sent}, pending {result.pending}, spooled {result.spooled}", end="")
    print(f", dropped {result.dropped}")


def main() -> None:
    """The same run with a reachable and with an unreachable server."""
    print("The server is there")
    client = ReflectClient(mask=mask)
    trace_id = run(client)
    show(client.flush())
    stored = client.get_trace(trace_id)
    print(f"  task: {stored.task}")
    print(f"  final response: {stored.final_response}")

    print("The server is away")
    with tempfile.TemporaryDirectory() as folder:
        # A separate spool folder, so this run does not stay in your default spool.
        away = ReflectClient(base_url="http://127.0.0.1:9", mask=mask, spool=folder)
        run(away)
        show(away.flush(timeout=2.0))
        on_disk = b"".join(file.read_bytes() for file in Path(folder).rglob("*") if file.is_file())
        print(f"  on disk: {len(on_disk)} bytes, masked: {b'[email]' in on_disk and b'ada@' not in on_disk}")

        counters = away.delivery
        print(f"  counters: produced {counters.produced}, sent {counters.sent}, spooled {counters.spooled}", end="")
        print(f", dropped {dict(counters.dropped)}")


if __name__ == "__main__":
    main()
