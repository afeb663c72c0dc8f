"""OpenAI's client: the chat API and the Responses API."""

from __future__ import annotations

import json
from typing import Any

from adapters_support import wire
from openai import AsyncOpenAI, OpenAI
from scenario import SCHEMA, Mode, Scenario, called

from reflect_sdk.capture import capture


def told(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return wire.told(asked) if "messages" in asked else wire.told_items(asked)


checks = Scenario("openai", "openai", told)
options: Any = {"base_url": checks.server.url, "api_key": "k", "max_retries": 0}
client = capture(OpenAI(**options))
NAMES = ("weather", "broken")
TOOLS: Any = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in NAMES]
FLAT: Any = [{"type": "function", "name": name, "parameters": SCHEMA, "strict": False} for name in NAMES]


def awaiting() -> AsyncOpenAI:
    """A client of its own for each event loop."""
    return capture(AsyncOpenAI(**options))


def request(prompt: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
    return {"model": "m", "tools": TOOLS, "messages": messages}


def following(asked: dict[str, Any], message: Any) -> bool:
    asked["messages"].append(message)
    for call in message.tool_calls or []:
        result = called(call.function.name, json.loads(call.function.arguments))
        asked["messages"].append({"role": "tool", "tool_call_id": call.id, "content": result})
    return bool(message.tool_calls)


def blocking(prompt: str) -> str:
    asked = request(prompt)
    while following(asked, message := client.chat.completions.create(**asked).choices[0].message):
        pass
    return str(message.content)


async def asynchronous(prompt: str) -> str:
    asked = request(prompt)
    async with awaiting() as client:
        while following(asked, message := (await client.chat.completions.create(**asked)).choices[0].message):
            pass
    return str(message.content)


def streaming(prompt: str) -> str:
    asked = request(prompt)
    while True:
        with client.chat.completions.stream(**asked) as stream:
            for _ in stream:
                pass
            message = stream.get_final_completion().choices[0].message
        if not following(asked, message):
            return str(message.content)


async def streaming_async(prompt: str) -> str:
    asked = request(prompt)
    while True:
        async with awaiting() as client, client.chat.completions.stream(**asked) as stream:
            message = (await stream.get_final_completion()).choices[0].message
        if not following(asked, message):
            return str(message.content)


def responses(prompt: str) -> str:
    items: Any = [{"role": "user", "content": prompt}]
    while True:
        given = client.responses.create(model="m", instructions="Be brief.", input=items, tools=FLAT)
        items += given.output
        calls: Any = [item for item in given.output if item.type == "function_call"]
        for call in calls:
            result = called(call.name, json.loads(call.arguments))
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": result})
        if not calls:
            return given.output_text


checks.run(
    [
        Mode("sync", blocking, augmented=True),
        Mode("async", asynchronous, augmented=True),
        Mode("stream", streaming, augmented=True),
        Mode("async stream", streaming_async, augmented=True),
        Mode("responses", responses, augmented=True),
    ]
)
checks.report()
