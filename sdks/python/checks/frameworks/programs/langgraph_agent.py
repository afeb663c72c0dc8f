"""LangChain and LangGraph: `create_agent`."""

from __future__ import annotations

from typing import Any

from adapters_support import wire
from langchain.agents import create_agent
from langchain_openai import ChatOpenAI
from scenario import Mode, Scenario, broken, weather

from reflect_sdk.capture.langchain import install

install()
checks = Scenario("langgraph", "langgraph", wire.told)


def agent() -> Any:
    model: Any = ChatOpenAI(model="m", base_url=checks.server.url, api_key="k", max_retries=0)  # type: ignore[arg-type]
    return create_agent(model, [weather, broken], system_prompt="Be brief.")


def state(prompt: str) -> Any:
    return {"messages": [{"role": "user", "content": prompt}]}


def blocking(prompt: str) -> str:
    return str(agent().invoke(state(prompt))["messages"][-1].content)


async def asynchronous(prompt: str) -> str:
    return str((await agent().ainvoke(state(prompt)))["messages"][-1].content)


def streaming(prompt: str) -> str:
    chunks = agent().stream(state(prompt), stream_mode="messages")
    return last(chunks)


async def streaming_async(prompt: str) -> str:
    return last([chunk async for chunk in agent().astream(state(prompt), stream_mode="messages")])


def last(chunks: Any) -> str:
    """The text of the last message among streamed chunks."""
    texts: dict[str, str] = {}
    for message, _ in chunks:
        texts[message.id] = texts.pop(message.id, "") + str(message.content)
    return next(reversed(texts.values()))


checks.run(
    [
        Mode("sync", blocking, augmented=True),
        Mode("async", asynchronous, augmented=True),
        Mode("stream", streaming, augmented=True),
        Mode("async stream", streaming_async, augmented=True),
    ]
)
checks.report()
