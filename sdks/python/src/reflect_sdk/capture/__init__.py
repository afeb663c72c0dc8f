"""Model calls of a run, noted without being written down by hand.

Nothing is noted outside a `trace()` block, nothing is patched by importing this, and a fault of capturing never
disturbs the call that it looks at: it is logged once.

    client = capture(OpenAI())
    with reflect.trace("Refund order 1182") as ctx:
        client.chat.completions.create(model="gpt-5.4-mini", messages=[...])
    # The messages, and the answer, are the trajectory of the trace.

For LangChain and LangGraph see `reflect_sdk.capture.langchain`, for OpenAI Agents
`reflect_sdk.capture.openai_agents`. Choose one of them for each call: a LangChain model on a captured client
would be noted by both.
"""

from __future__ import annotations

from reflect_sdk.capture._openai import UnsupportedClientError, capture, release

__all__ = ["UnsupportedClientError", "capture", "release"]
