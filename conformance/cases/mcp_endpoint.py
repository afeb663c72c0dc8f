"""Item 56: the MCP endpoint, through the MCP client that comes with the published client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from cases.newer import NewerClient, accepted
from cases.registry import case
from cases.setting import ALL_SCOPES, Setting

TASK = "Water the plants in the office"
MOST = 20


@asynccontextmanager
async def session(here: Setting, key: str, project: str | None) -> AsyncIterator[Any]:
    """A connected MCP client; without a project the key decides."""
    # Imported here, so an environment without it fails only this item.
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    headers = {"Authorization": f"Bearer {key}"} | ({"X-Project-Id": project} if project else {})
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{here.base_url}/mcp", http_client=http)) as client,
    ):
        yield client


def items(result: Any) -> list[dict[str, Any]]:
    """The memories in a tool's answer, whether they came structured or as JSON text."""
    assert not result.is_error, f"the tool failed: {result.content!r}"
    found = result.structured_content
    if found is None:
        found = json.loads("".join(part.text for part in result.content))
    if isinstance(found, dict):
        # Structured content had to be an object in earlier revisions, so lists come wrapped.
        lists = [value for value in found.values() if isinstance(value, list)]
        assert len(lists) == 1, f"no single list in {found!r}"
        found = lists[0]
    return found


@case(56, "/mcp lists both tools, honours X-Project-Id, and caps the limit at 20")
def mcp(here: Setting) -> None:
    asyncio.run(asyncio.wait_for(use_tools(here), 60))


async def use_tools(here: Setting) -> None:
    """Lists the tools, writes into one project, and reads from two."""
    other = here.another_project()
    async with session(here, here.master_key, here.project) as client:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert {"retrieve_memories", "create_memory"} <= names, f"the tools are {sorted(names)}"
        arguments = {
            "task": TASK,
            "result": "pass",
            "summary": "The fern needs water twice a week.",
            "guidance": "Start with the fern.",
        }
        made = await client.call_tool("create_memory", arguments)
        assert not made.is_error, f"create_memory failed: {made.content!r}"
        found = items(await client.call_tool("retrieve_memories", {"query": TASK}))
        assert [memory["task"] for memory in found] == [TASK], f"retrieved {found!r}"
        for name in ("id", "reflection", "q_value", "similarity", "score", "success"):
            assert name in found[0], f"a memory without {name}"

    assert [trace.task for trace in here.client().list_traces()] == [TASK]
    async with session(here, here.master_key, other) as client:
        found = items(await client.call_tool("retrieve_memories", {"query": TASK}))
        assert found == [], "X-Project-Id was not honoured"

    for number in range(MOST + 3):
        # Equal lessons would be returned once.
        reflection = {"summary": f"Floor {number} has ferns.", "guidance": f"Look at floor {number}."}
        accepted(NewerClient(here).create_memory(f"{TASK} on floor {number}", reflection=reflection))
    # This key belongs to the project, so no header is needed.
    async with session(here, here.key(*ALL_SCOPES), None) as client:
        asked = {"query": TASK, "limit": 50}
        found = items(await client.call_tool("retrieve_memories", asked))
        assert len(found) == MOST, f"a limit of 50 returned {len(found)} of {MOST + 4}"
