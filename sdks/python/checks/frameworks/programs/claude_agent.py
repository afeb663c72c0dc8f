"""The Claude Agent SDK with the program that it brings, in front of the model server."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any

from adapters_support import anthropic_wire
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    ResultMessage,
    create_sdk_mcp_server,
    query,
    tool,
)
from scenario import Mode, Scenario, broken, weather

from reflect_sdk.capture.claude_agent_sdk import record, reflect_hooks

# The name of a tool has the name of its server.
PREFIX = "mcp__local__"
REMINDER = "<system-reminder>"


def told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """The conversation without what the program itself adds: its system prompt and its reminders."""
    messages: list[dict[str, Any]] = []
    for message in asked["messages"]:
        if message["role"] == "system":
            continue
        blocks = message["content"]
        if not isinstance(blocks, str):
            blocks = [block for block in blocks if not block.get("text", "").startswith(REMINDER)]
        messages.append({**message, "content": blocks})
    return anthropic_wire.told({"messages": messages})


checks = Scenario("claude-agent-sdk", "claude-agent-sdk", told, prefix=PREFIX)


@tool("weather", "The weather of a city.", {"city": str})
async def look(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": weather(arguments["city"])}]}


@tool("broken", "A tool that fails.", {"city": str})
async def fail(arguments: dict[str, Any]) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": broken(arguments["city"])}]}


def options() -> ClaudeAgentOptions:
    return ClaudeAgentOptions(
        system_prompt="Be brief.",
        tools=[],
        mcp_servers={"local": create_sdk_mcp_server("local", tools=[look, fail])},
        allowed_tools=[f"{PREFIX}weather", f"{PREFIX}broken"],
        model="claude-sonnet-5",
        cwd=os.environ["HOME"],
        setting_sources=[],
        hooks=reflect_hooks(),
        env={
            "ANTHROPIC_BASE_URL": checks.server.root,
            "ANTHROPIC_API_KEY": "sk-ant-loopback",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        },
    )


async def once(prompt: str) -> str:
    return await result(record(query(prompt=prompt, options=options())))


async def session(prompt: str) -> str:
    async with ClaudeSDKClient(options=options()) as client:
        await client.query(prompt)
        return await result(record(client.receive_response()))


async def result(messages: AsyncIterator[Any]) -> str:
    said = ""
    async for message in messages:
        if isinstance(message, ResultMessage):
            said = message.result or ""
            if message.is_error:
                raise RuntimeError(said)
    return said


checks.run([Mode("async", once), Mode("session", session)])
checks.report()
