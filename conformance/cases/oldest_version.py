"""Item 48, through the oldest published client, whose asynchronous half maps no labels."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx

from cases.registry import case
from cases.runs import messages
from cases.setting import Setting

TASK = "Rename the files by date"


@case(48, "The results success and failure are accepted as they are")
def raw_labels(here: Setting) -> None:
    client = here.client()
    sent: list[Any] = []
    send = httpx.AsyncClient.send

    async def watched(self: httpx.AsyncClient, request: httpx.Request, **options: Any) -> httpx.Response:
        sent.append(json.loads(request.content))
        return await send(self, request, **options)

    for label, meaning in (("success", "pass"), ("failure", "fail")):
        httpx.AsyncClient.send = watched  # type: ignore[method-assign,assignment]
        try:
            made = asyncio.run(
                client.create_trace_async(
                    task=TASK, trajectory=messages(TASK), review_result=label, feedback_text="why"
                )
            )
        finally:
            httpx.AsyncClient.send = send  # type: ignore[method-assign]

        # If a client maps them, this case proves nothing.
        assert sent[-1]["review"]["result"] == label
        assert made.ingest_status in ("queued", "completed"), f"{label}: {made.ingest_status!r}"
        review = client.get_trace(made.id).review
        assert review is not None, f"{label}: the trace has no review"
        assert review.result == meaning, f"{label} became {review!r}"
