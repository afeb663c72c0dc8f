"""CrewAI: crews and single agents, with the framework's own client for models."""

from __future__ import annotations

from typing import Any

from adapters_support import wire
from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool
from scenario import Mode, Scenario, broken, weather

from reflect_sdk.capture.crewai import install

install()
checks = Scenario("crewai", "crewai", wire.told)
TOOLS: Any = [tool(weather), tool(broken)]


def agent(stream: bool = False) -> Agent:
    llm = LLM(model="openai/gpt-5.4-mini", base_url=checks.server.url, api_key="k", stream=stream, max_retries=0)
    return Agent(role="Helper", goal="Help.", backstory="Brief.", llm=llm, tools=TOOLS, max_retry_limit=0)


def crew(prompt: str, stream: bool = False) -> Crew:
    worker = agent(stream)
    return Crew(agents=[worker], tasks=[Task(description=prompt, expected_output="A text.", agent=worker)])


def blocking(prompt: str) -> str:
    return str(crew(prompt).kickoff())


async def asynchronous(prompt: str) -> str:
    return str(await crew(prompt).kickoff_async())


def streaming(prompt: str) -> str:
    return str(crew(prompt, stream=True).kickoff())


def single(prompt: str) -> str:
    return str(agent().kickoff(prompt))


checks.run(
    [
        Mode("sync", blocking),
        Mode("async", asynchronous),
        Mode("stream", streaming),
        Mode("single agent", single),
    ]
)
checks.report()
