"""Anthropic's client: an agent that learns from a failed run.

    pip install 'reflect-memory-client[anthropic]'
    python examples/frameworks/anthropic_tools.py

Needs REFLECT_BASE_URL, REFLECT_API_KEY and ANTHROPIC_API_KEY.
"""

from __future__ import annotations

from anthropic import Anthropic, beta_tool

from reflect_sdk import ReflectClient
from reflect_sdk.capture.anthropic import ReflectMiddleware


@beta_tool
def price_of(order: int) -> str:
    """The price of an order."""
    return f"order {order}: 24.00"


def answer_to(llm: Anthropic, task: str) -> str:
    """What the agent says."""
    messages = [{"role": "user", "content": task}]
    runner = llm.beta.messages.tool_runner(
        model="claude-sonnet-5", max_tokens=500, tools=[price_of], messages=messages
    )
    return "".join(block.text for block in runner.until_done().content if block.type == "text")


def main() -> None:
    """Two similar tasks: the second run gets what was learned from the first one."""
    llm, client = Anthropic(middleware=[ReflectMiddleware()]), ReflectClient()
    # `blocking` waits until the review has become a memory.
    with client.trace("Refund order 1182, which arrived broken", blocking=True) as run:
        answer_to(llm, run.task)
        run.review("fail", "Ask for a photo of the damage before you refund.")
    with client.trace("Refund order 1201, which arrived broken") as run:
        print(answer_to(llm, run.task))
        print(f"memories in the prompt: {[memory.reflection for memory in run.memories]}")
    client.flush()


if __name__ == "__main__":
    main()
