"""LiteLLM: a loop with a tool that learns from a failed run.

    pip install 'reflect-memory-client[litellm]'
    python examples/frameworks/litellm_loop.py

Needs REFLECT_BASE_URL, REFLECT_API_KEY and OPENAI_API_KEY.
"""

from __future__ import annotations

import json
from typing import Any

import litellm

from reflect_sdk import ReflectClient
from reflect_sdk.capture.litellm import ReflectLogger

PARAMETERS = {"type": "object", "properties": {"order": {"type": "integer"}}, "required": ["order"]}
TOOLS = [{"type": "function", "function": {"name": "price_of", "parameters": PARAMETERS}}]


def price_of(order: int) -> str:
    """The price of an order."""
    return f"order {order}: 24.00"


def answer_to(prompt: str) -> str:
    """What the model says, after its tool calls."""
    messages: list[Any] = [{"role": "user", "content": prompt}]
    while True:
        message = litellm.completion(model="openai/gpt-5.4-mini", messages=messages, tools=TOOLS).choices[0].message
        messages.append(message)
        for call in message.tool_calls or []:
            result = price_of(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
        if not message.tool_calls:
            return message.content or ""


def main() -> None:
    """Two similar tasks: the second run gets what was learned from the first one."""
    litellm.callbacks = [ReflectLogger()]
    client = ReflectClient()
    # `blocking` waits until the review has become a memory.
    with client.trace("Refund order 1182, which arrived broken", blocking=True) as run:
        answer_to(run.augmented_task)
        run.review("fail", "Ask for a photo of the damage before you refund.")
    with client.trace("Refund order 1201, which arrived broken") as run:
        print(answer_to(run.augmented_task))
        print(f"memories in the prompt: {[memory.reflection for memory in run.memories]}")
    client.flush()


if __name__ == "__main__":
    main()
