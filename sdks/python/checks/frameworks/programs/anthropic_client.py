"""Anthropic's client: a loop of our own, and the library's tool runner."""

from __future__ import annotations

from typing import Any

from adapters_support.anthropic_wire import told
from anthropic import Anthropic, AsyncAnthropic, beta_async_tool, beta_tool
from scenario import SCHEMA, Mode, Scenario, broken, called, weather

from reflect_sdk.capture.anthropic import ReflectMiddleware

checks = Scenario("anthropic", "anthropic", told)
options: Any = {"base_url": checks.server.root, "api_key": "k", "max_retries": 0}
client = Anthropic(middleware=[ReflectMiddleware()], **options)
TOOLS: Any = [{"name": tool.__name__, "description": "-", "input_schema": SCHEMA} for tool in (weather, broken)]


def awaiting() -> AsyncAnthropic:
    """A client of its own for each event loop."""
    return AsyncAnthropic(middleware=[ReflectMiddleware()], **options)


def request(prompt: str) -> dict[str, Any]:
    messages = [{"role": "user", "content": prompt}]
    return {"model": "m", "max_tokens": 100, "system": "Be brief.", "tools": TOOLS, "messages": messages}


def following(asked: dict[str, Any], answer: Any) -> bool:
    """Adds the answer and the results of its tools; whether there are any."""
    asked["messages"].append({"role": "assistant", "content": answer.content})
    uses = [block for block in answer.content if block.type == "tool_use"]
    results = [{"type": "tool_result", "tool_use_id": use.id, "content": called(use.name, use.input)} for use in uses]
    if results:
        asked["messages"].append({"role": "user", "content": results})
    return bool(results)


def blocking(prompt: str) -> str:
    asked = request(prompt)
    while following(asked, answer := client.messages.create(**asked)):
        pass
    return str(answer.content[0].text)


async def asynchronous(prompt: str) -> str:
    asked = request(prompt)
    async with awaiting() as client:
        while following(asked, answer := await client.messages.create(**asked)):
            pass
    return str(answer.content[0].text)


def streaming(prompt: str) -> str:
    asked = request(prompt)
    while True:
        with client.messages.stream(**asked) as stream:
            text = "".join(stream.text_stream)
            if not following(asked, stream.get_final_message()):
                return text


async def streaming_async(prompt: str) -> str:
    asked = request(prompt)
    while True:
        async with awaiting() as client, client.messages.stream(**asked) as stream:
            text = "".join([piece async for piece in stream.text_stream])
            if not following(asked, await stream.get_final_message()):
                return text


def runner(prompt: str) -> str:
    tools = [beta_tool(weather), beta_tool(broken)]
    last = client.beta.messages.tool_runner(**{**request(prompt), "tools": tools}).until_done()
    return str(last.content[0].text)


async def runner_async(prompt: str) -> str:
    async def look(city: str) -> str:
        """The weather of a city."""
        return weather(city)

    async def fail(city: str) -> str:
        """A tool that fails."""
        return broken(city)

    look.__name__, fail.__name__ = "weather", "broken"
    tools = [beta_async_tool(look), beta_async_tool(fail)]
    async with awaiting() as client:
        last = await client.beta.messages.tool_runner(**{**request(prompt), "tools": tools}).until_done()
    return str(last.content[0].text)


checks.run(
    [
        Mode("sync", blocking),
        Mode("async", asynchronous),
        Mode("stream", streaming),
        Mode("async stream", streaming_async),
        Mode("tool runner", runner, continued=True),
        Mode("async tool runner", runner_async, continued=True),
    ]
)
checks.report()
