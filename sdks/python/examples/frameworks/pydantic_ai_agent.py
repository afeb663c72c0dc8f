"""Pydantic AI: an agent that learns from a failed run.

    pip install 'reflect-memory-client[pydantic-ai]' 'pydantic-ai-slim[openai]'
    python examples/frameworks/pydantic_ai_agent.py

Needs REFLECT_BASE_URL, REFLECT_API_KEY and OPENAI_API_KEY.
"""

from __future__ import annotations

from pydantic_ai import Agent

from reflect_sdk import ReflectClient
from reflect_sdk.capture.pydantic_ai import ReflectCapability


def price_of(order: int) -> str:
    """The price of an order."""
    return f"order {order}: 24.00"


def main() -> None:
    """Two similar tasks: the second run gets what was learned from the first one."""
    agent = Agent("openai-chat:gpt-5.4-mini", tools=[price_of], capabilities=[ReflectCapability()])
    client = ReflectClient()
    # `blocking` waits until the review has become a memory.
    with client.trace("Refund order 1182, which arrived broken", blocking=True) as run:
        agent.run_sync(run.task)
        run.review("fail", "Ask for a photo of the damage before you refund.")
    with client.trace("Refund order 1201, which arrived broken") as run:
        print(agent.run_sync(run.task).output)
        print(f"memories in the prompt: {[memory.reflection for memory in run.memories]}")
    client.flush()


if __name__ == "__main__":
    main()
