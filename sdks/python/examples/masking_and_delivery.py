"""Keeps secrets out of what is stored, and shows what becomes of runs when the server is there and when it is not.

A mask is a function from text to text. It sees every text of a run before it is sent, queued or written to disk;
a run that it fails on is dropped and counted, because unmasked text must not leave the process.

    pip install reflect-sdk
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project
    python masking_and_delivery.py

The second half needs no server: it sends to an address where none is, and finds the run on disk.
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
    """Names no person and no card."""
    return CARD.sub("[card]", EMAIL.sub("[email]", text))


def run(client: ReflectClient) -> str | None:
    """One run whose texts hold an address and a card; gives the id of its trace."""
    with client.trace(TASK) as ctx:
        if ctx.degraded:
            print(f"  this run has no memories ({ctx.degraded})")
        # The agent itself works with the real text: only what leaves the process is masked.
        assert "ada@example.org" in ctx.augmented_task
        ctx.step("user", ctx.augmented_task)
        ctx.tool("send_mail", {"to": "ada@example.org"}, "250 OK")
        ctx.step("assistant", REPLY)
        ctx.review("pass")
    return ctx.trace_id


def show(result: FlushResult) -> None:
    """What a flush came to."""
    print(f"  flush: sent {result.sent}, pending {result.pending}, spooled {result.spooled}", end="")
    print(f", dropped {result.dropped}")


def main() -> None:
    """The same run with the server there, and with it away."""
    print("The server is there")
    client = ReflectClient(mask=mask)
    trace_id = run(client)
    show(client.flush())
    stored = client.get_trace(trace_id)
    print(f"  task: {stored.task}")
    print(f"  final response: {stored.final_response}")

    print("The server is away")
    with tempfile.TemporaryDirectory() as folder:
        # A spool of its own, so that this run does not wait on your disk for a server that never comes.
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
