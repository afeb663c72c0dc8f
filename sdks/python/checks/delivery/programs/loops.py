"""Ten event loops, each in its own thread, with concurrent tasks."""

from __future__ import annotations

import asyncio
import threading

from runs import ORDER, Runs

runs = Runs()


async def work() -> None:
    """One loop's work."""

    async def task() -> None:
        for _ in range(ORDER["count"]):
            await runs.one_async()

    await asyncio.gather(*(task() for _ in range(ORDER["tasks"])))


threads = [threading.Thread(target=asyncio.run, args=(work(),)) for _ in range(ORDER["loops"])]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
