"""Deep Agents."""

from __future__ import annotations

from typing import Any

from adapters_support import wire
from deepagents import create_deep_agent
from langchain_openai import ChatOpenAI
from scenario import Mode, Scenario, broken, weather

from reflect_sdk.capture.langchain import install

install()
checks = Scenario("deepagents", "deepagents", wire.told)


def agent() -> Any:
    model: Any = ChatOpenAI(model="m", base_url=checks.server.url, api_key="k", max_retries=0)  # type: ignore[arg-type]
    return create_deep_agent(model=model, tools=[weather, broken], system_prompt="Be brief.")


def state(prompt: str) -> Any:
    return {"messages": [{"role": "user", "content": prompt}]}


def blocking(prompt: str) -> str:
    return str(agent().invoke(state(prompt))["messages"][-1].content)


async def asynchronous(prompt: str) -> str:
    return str((await agent().ainvoke(state(prompt)))["messages"][-1].content)


async def streaming(prompt: str) -> str:
    said = ""
    async for update in agent().astream(state(prompt), stream_mode="values"):
        said = str(update["messages"][-1].content)
    return said


checks.run(
    [
        Mode("sync", blocking, augmented=True),
        Mode("async", asynchronous, augmented=True),
        Mode("async stream", streaming, augmented=True),
    ]
)
checks.report()
