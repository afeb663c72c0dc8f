"""Pydantic AI: `run_sync`, `run`, `run_stream` and `run_stream_sync`."""

from __future__ import annotations

from adapters_support import wire
from openai import AsyncOpenAI
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider
from scenario import Mode, Scenario, broken, weather

from reflect_sdk.capture.pydantic_ai import ReflectCapability

checks = Scenario("pydantic-ai", "pydantic-ai-slim", wire.told)


def agent() -> Agent:
    client = AsyncOpenAI(base_url=checks.server.url, api_key="k", max_retries=0)
    model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client))
    capabilities = [ReflectCapability()]
    return Agent(model, instructions="Be brief.", tools=[weather, broken], capabilities=capabilities)


def blocking(prompt: str) -> str:
    return agent().run_sync(prompt).output


async def asynchronous(prompt: str) -> str:
    return (await agent().run(prompt)).output


def streaming(prompt: str) -> str:
    result = agent().run_stream_sync(prompt)
    return "".join(result.stream_text(delta=True))


async def streaming_async(prompt: str) -> str:
    async with agent().run_stream(prompt) as result:
        return "".join([text async for text in result.stream_text(delta=True)])


checks.run(
    [
        Mode("sync", blocking),
        Mode("async", asynchronous),
        Mode("stream", streaming),
        Mode("async stream", streaming_async),
    ]
)
checks.report()
