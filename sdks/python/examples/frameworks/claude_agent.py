"""The Claude Agent SDK: an agent that learns from a failed run.

    pip install 'reflect-memory-client[claude-agent-sdk]'
    python examples/frameworks/claude_agent.py

Needs REFLECT_BASE_URL, REFLECT_API_KEY and ANTHROPIC_API_KEY.
"""

from __future__ import annotations

import asyncio
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ResultMessage, create_sdk_mcp_server, query, tool

from reflect_sdk import AsyncReflectClient
from reflect_sdk.capture.claude_agent_sdk import record, reflect_hooks


@tool("price_of", "The price of an order.", {"order": int})
async def price_of(arguments: dict[str, Any]) -> dict[str, Any]:
    """The price of an order."""
    return {"content": [{"type": "text", "text": f"order {arguments['order']}: 24.00"}]}


async def answer_to(task: str) -> str:
    """What the agent says. The hook adds the memories of the run to the prompt."""
    options = ClaudeAgentOptions(
        mcp_servers={"shop": create_sdk_mcp_server("shop", tools=[price_of])},
        tools=[],
        allowed_tools=["mcp__shop__price_of"],
        hooks=reflect_hooks(),
    )
    said = ""
    async for message in record(query(prompt=task, options=options)):
        if isinstance(message, ResultMessage):
            said = message.result or ""
    return said


async def main() -> None:
    """Two similar tasks: the second run gets what was learned from the first one."""
    async with AsyncReflectClient() as client:
        # `blocking` waits until the review has become a memory.
        async with client.trace("Refund order 1182, which arrived broken", blocking=True) as run:
            await answer_to(run.task)
            run.review("fail", "Ask for a photo of the damage before you refund.")
        async with client.trace("Refund order 1201, which arrived broken") as run:
            print(await answer_to(run.task))
            print(f"memories in the prompt: {[memory.reflection for memory in run.memories]}")
        await client.flush()


if __name__ == "__main__":
    asyncio.run(main())
