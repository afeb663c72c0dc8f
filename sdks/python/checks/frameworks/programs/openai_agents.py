"""OpenAI Agents: `Runner.run_sync`, `run` and `run_streamed`."""

from __future__ import annotations

from adapters_support import wire
from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_trace_processors
from openai import AsyncOpenAI
from scenario import Mode, Scenario, broken, weather

from reflect_sdk.capture.openai_agents import install

# The framework's own processor would send what it sees to its maker.
set_trace_processors([])
install()
checks = Scenario("openai-agents", "openai-agents", wire.told_items)


def agent() -> Agent:
    client = AsyncOpenAI(base_url=checks.server.url, api_key="k", max_retries=0)
    model = OpenAIResponsesModel(model="m", openai_client=client)
    # Without its own handler of errors, a tool that raises ends the run.
    tools = [function_tool(weather), function_tool(broken)]
    return Agent(name="A", instructions="Be brief.", model=model, tools=tools)


def blocking(prompt: str) -> str:
    return str(Runner.run_sync(agent(), prompt).final_output)


async def asynchronous(prompt: str) -> str:
    return str((await Runner.run(agent(), prompt)).final_output)


async def streaming(prompt: str) -> str:
    result = Runner.run_streamed(agent(), prompt)
    async for _ in result.stream_events():
        pass
    return str(result.final_output)


checks.run(
    [
        Mode("async", asynchronous, augmented=True),
        Mode("async stream", streaming, augmented=True),
        Mode("sync", blocking, augmented=True),
    ]
)
checks.report()
