"""Google ADK: an agent that learns from a failed run.

    pip install 'reflect-memory-client[google-adk]'
    python examples/frameworks/google_adk_agent.py

Needs REFLECT_BASE_URL, REFLECT_API_KEY and GOOGLE_API_KEY.
"""

from __future__ import annotations

import asyncio

from google.adk.agents import Agent
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part

from reflect_sdk import AsyncReflectClient
from reflect_sdk.capture.google_adk import ReflectPlugin


def price_of(order: int) -> str:
    """The price of an order."""
    return f"order {order}: 24.00"


async def answer_to(runner: InMemoryRunner, task: str) -> str:
    """What the agent says."""
    session = await runner.session_service.create_session(app_name="shop", user_id="u1")
    message = Content(role="user", parts=[Part(text=task)])
    said = ""
    async for event in runner.run_async(user_id="u1", session_id=session.id, new_message=message):
        if event.is_final_response() and event.content:
            said = "".join(part.text or "" for part in event.content.parts)
    return said


async def main() -> None:
    """Two similar tasks: the second run gets what was learned from the first one."""
    agent = Agent(name="support", model="gemini-3-flash", instruction="You answer customers.", tools=[price_of])
    runner = InMemoryRunner(agent=agent, app_name="shop", plugins=[ReflectPlugin()])
    async with AsyncReflectClient() as client:
        # `blocking` waits until the review has become a memory.
        async with client.trace("Refund order 1182, which arrived broken", blocking=True) as run:
            await answer_to(runner, run.task)
            run.review("fail", "Ask for a photo of the damage before you refund.")
        async with client.trace("Refund order 1201, which arrived broken") as run:
            print(await answer_to(runner, run.task))
            print(f"memories in the prompt: {[memory.reflection for memory in run.memories]}")
        await client.flush()


if __name__ == "__main__":
    asyncio.run(main())
