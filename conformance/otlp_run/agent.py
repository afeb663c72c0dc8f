"""One agent run with the official OpenTelemetry SDK, recorded by our SDK at the same time.

    python agent.py openai|langchain|anthropic json|protobuf MODEL_URL

The exporter is configured with the standard variables only. Our SDK stores the same run in another project,
which is what the run that arrives as spans is compared with. Prints the ids of both.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from opentelemetry import trace
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from reflect_sdk import ReflectClient

TASK = "How warm is it in Oslo and in Atlantis?"
SYSTEM = "You are a meteorologist."
TOOL = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
}
SESSION = "session-7"


def weather(city: str) -> str:
    """The temperature in a city."""
    return "12 degrees" if city == "Oslo" else f"unknown city {city}"


def tracing(encoding: str) -> TracerProvider:
    """Exports spans as the standard variables say."""
    if encoding == "json":
        from opentelemetry.exporter.otlp.json.http.trace_exporter import OTLPSpanExporter
    else:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    provider = TracerProvider(resource=Resource.create({"service.name": "weather-desk"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return provider


def openai_run(url: str, ctx: Any) -> None:
    """The loop of an agent that calls the client of OpenAI."""
    from openai import OpenAI
    from openinference.instrumentation.openai import OpenAIInstrumentor
    from reflect_sdk.capture import capture

    OpenAIInstrumentor().instrument()
    client = capture(OpenAI(base_url=f"{url}/v1", api_key="none"))
    messages: list[Any] = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": ctx.augmented_task},
    ]
    tools: list[Any] = [{"type": "function", "function": {"name": "weather", "parameters": TOOL}}]
    while True:
        answer = client.chat.completions.create(model="m", messages=messages, tools=tools).choices[0].message
        messages.append(answer.model_dump(exclude_none=True))
        if not answer.tool_calls:
            return
        for call in answer.tool_calls:
            content = weather(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})


def langchain_run(url: str, ctx: Any) -> None:
    """An agent of LangChain."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI
    from openinference.instrumentation.langchain import LangChainInstrumentor
    from reflect_sdk.capture.langchain import install

    LangChainInstrumentor().instrument()
    install()
    model = ChatOpenAI(model="m", base_url=f"{url}/v1", api_key="none")
    agent = create_agent(model, tools=[weather], system_prompt=SYSTEM)
    # One tool after the other: our SDK stores results as tools end, and two at once would end in any order.
    agent.invoke({"messages": [{"role": "user", "content": ctx.augmented_task}]}, {"max_concurrency": 1})


def anthropic_run(url: str, ctx: Any) -> None:
    """The loop of an agent that calls the client of Anthropic, which our SDK does not capture."""
    from anthropic import Anthropic
    from opentelemetry.instrumentation.anthropic import AnthropicInstrumentor

    AnthropicInstrumentor().instrument()
    client = Anthropic(base_url=url, api_key="none")
    messages: list[Any] = [{"role": "user", "content": ctx.augmented_task}]
    while True:
        answer = client.messages.create(
            model="m",
            max_tokens=100,
            system=SYSTEM,
            messages=messages,
            tools=[{"name": "weather", "input_schema": TOOL}],
        )
        messages.append({"role": "assistant", "content": [block.model_dump() for block in answer.content]})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            break
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": weather(**call.input)}
            for call in calls
        ]
        messages.append({"role": "user", "content": results})
    ctx.set_output(trajectory=[{"role": "system", "content": SYSTEM}, *messages], model=answer.model)


RUNS = {"openai": openai_run, "langchain": langchain_run, "anthropic": anthropic_run}


def main() -> None:
    """Runs one agent."""
    framework, encoding, url = sys.argv[1:4]
    provider = tracing(encoding)
    tracer = trace.get_tracer("agent")
    client = ReflectClient()
    with tracer.start_as_current_span("handle request", attributes={"session.id": SESSION}) as root:
        context = root.get_span_context()
        with client.trace(TASK) as ctx:
            RUNS[framework](url, ctx)
    provider.shutdown()
    client.flush()
    print(
        json.dumps(
            {"otel": f"{context.trace_id:032x}", "span": f"{context.span_id:016x}", "sdk": ctx.trace_id}
        )
    )


if __name__ == "__main__":
    main()
