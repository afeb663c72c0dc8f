"""Google ADK with a Gemini model: `Runner.run_async`, also streamed, and `Runner.run`."""

from __future__ import annotations

import asyncio
from typing import Any

from adapters_support.gemini_wire import told
from google.adk.agents import Agent
from google.adk.agents.run_config import RunConfig, StreamingMode
from google.adk.models.google_llm import Gemini
from google.adk.runners import InMemoryRunner
from google.genai import types
from scenario import Mode, Scenario, broken, weather

from reflect_sdk import current_trace
from reflect_sdk.capture.google_adk import ReflectPlugin

checks = Scenario("google-adk", "google-adk", told)


def runner(plugin: ReflectPlugin) -> InMemoryRunner:
    model = Gemini(model="gemini-2.5-flash", base_url=checks.server.root)
    agent = Agent(name="helper", model=model, instruction="Be brief.", tools=[weather, broken])
    return InMemoryRunner(agent=agent, app_name="app", plugins=[plugin])


def message(prompt: str) -> types.Content:
    return types.Content(role="user", parts=[types.Part(text=prompt)])


async def asynchronous(prompt: str, config: RunConfig | None = None) -> str:
    found = runner(ReflectPlugin())
    session = await found.session_service.create_session(app_name="app", user_id="u")
    events = found.run_async(
        user_id="u", session_id=session.id, new_message=message(prompt), run_config=config or RunConfig()
    )
    return last([event async for event in events])


async def streaming(prompt: str) -> str:
    return await asynchronous(prompt, RunConfig(streaming_mode=StreamingMode.SSE))


def blocking(prompt: str) -> str:
    found = runner(ReflectPlugin(run=current_trace()))
    session = asyncio.run(found.session_service.create_session(app_name="app", user_id="u"))
    return last(found.run(user_id="u", session_id=session.id, new_message=message(prompt)))


def last(events: Any) -> str:
    """The text of the last complete event."""
    said = ""
    for event in events:
        texts = [part.text for part in event.content.parts if part.text] if event.content else []
        if texts and not event.partial:
            said = "".join(texts)
    return said


checks.run([Mode("async", asynchronous), Mode("async stream", streaming), Mode("sync", blocking)])
checks.report()
