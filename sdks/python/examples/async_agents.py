"""Twenty concurrent agents with the asynchronous client.

Each run retrieves its memories and is stored without blocking the others: the end of a block only queues the run, and
it is sent in the background. `flush` returns what the server acknowledged.

    pip install reflect-memory-client
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project
    python async_agents.py

Ten agents are blocks of code, ten are calls of a decorated function. `ask_model` simulates a language model that
needs half a second.
"""

from __future__ import annotations

import asyncio
import time

from reflect_sdk import AsyncReflectClient, TraceContext, TraceResult, reflect_trace

CITIES = ["Oslo", "Bergen", "Turku", "Aarhus", "Malmö", "Tromsø", "Vaasa", "Umeå", "Odense", "Luleå"]

# Creating a client sends nothing, and any number of tasks may use it.
client = AsyncReflectClient()


async def ask_model(prompt: str) -> str:
    """A slow model."""
    await asyncio.sleep(0.5)
    return f"There is one at 7:40 (found in {len(prompt.split())} words)."


@reflect_trace(client, task=lambda city: f"Find a train to {city}")
async def find_train(ctx: TraceContext, city: str) -> TraceResult:
    """An agent as a function: the caller gets `output`; the rest is stored."""
    answer = await ask_model(ctx.augmented_task)
    messages = [
        {"role": "user", "content": ctx.augmented_task},
        {"role": "assistant", "content": answer},
    ]
    return TraceResult(output=f"{city}: {answer}", trajectory=messages, final_response=answer, result="pass")


async def find_ferry(city: str) -> str:
    """An agent as a block."""
    async with client.trace(f"Find a ferry to {city}") as ctx:
        answer = await ask_model(ctx.augmented_task)
        ctx.set_output(
            trajectory=[
                {"role": "user", "content": ctx.augmented_task},
                {"role": "assistant", "content": answer},
            ],
            result="pass",
        )
    return f"{city}: {answer}"


async def main() -> None:
    """Runs all agents concurrently."""
    async with client:
        began = time.monotonic()
        answers = await asyncio.gather(*(find_train(city) for city in CITIES), *(find_ferry(city) for city in CITIES))
        print(f"{len(answers)} runs in {time.monotonic() - began:.1f} s, for example: {answers[0]}")

        delivered = await client.flush()
        print(f"sent {delivered.sent}, pending {delivered.pending}, spooled {delivered.spooled}", end="")
        print(f", dropped {delivered.dropped}")

        mine = {f"Find a {what} to {city}" for city in CITIES for what in ("train", "ferry")}
        stored = {trace.task async for trace in client.iter_traces() if trace.task in mine}
        print(f"{len(stored)} of {len(mine)} tasks are on the server")


if __name__ == "__main__":
    asyncio.run(main())
