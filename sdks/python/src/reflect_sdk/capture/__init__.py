"""Automatic recording of the model calls of a run.

Calls outside a `trace()` block are not recorded, and importing this module patches nothing. An error in the
recording never affects the recorded call; it is logged once.

    client = capture(OpenAI())
    with reflect.trace("Refund order 1182") as ctx:
        client.chat.completions.create(model="gpt-5.4-mini", messages=[...])
    # The messages and the answer are the trajectory of the trace.

For other clients and frameworks see `reflect_sdk.capture.anthropic`, `claude_agent_sdk`, `crewai`, `google_adk`,
`langchain` (also for LangGraph), `litellm`, `openai_agents` and `pydantic_ai`. Use only one of them for each call: a
LangChain model with a captured client would be recorded twice.
"""

from __future__ import annotations

from reflect_sdk.capture._openai import UnsupportedClientError, capture, release

__all__ = ["UnsupportedClientError", "capture", "release"]
