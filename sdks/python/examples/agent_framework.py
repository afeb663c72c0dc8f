"""Records a LangGraph agent in two ways: captured while it runs, and converted afterwards.

`install()` records every model and tool call of LangChain inside a `trace` block, so no trajectory has to be passed.
`from_deepagents` converts the final state of a graph to a trajectory, for code that cannot use capture. For OpenAI
Agents, use `reflect_sdk.capture.openai_agents.install` and `reflect_sdk.from_openai_agents`.

    pip install 'reflect-memory-client[langchain]' langgraph langchain-openai
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project OPENAI_API_KEY=sk-...
    python agent_framework.py --model gpt-5.4-mini

Set OPENAI_BASE_URL to use another OpenAI-compatible server. The graph calls the tool directly, not the model, so
models without tool support work too.
"""

from __future__ import annotations

import argparse
import re
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph

from reflect_sdk import ReflectClient, from_deepagents
from reflect_sdk.capture.langchain import install


@tool
def find_order(number: int) -> str:
    """Where an order is."""
    return f"Order {number} is at the depot in {'Turku' if number % 2 else 'Vaasa'}."


def build_agent(model: str) -> Any:
    """A graph with two nodes: one finds the order, one writes the answer."""
    chat = ChatOpenAI(model=model)

    def look_up(state: MessagesState) -> dict[str, Any]:
        number = re.search(r"\d+", str(state["messages"][0].content))
        found = find_order.invoke({"number": int(number[0]) if number else 0})
        return {"messages": [HumanMessage(f"{found} Tell the customer in one short sentence.")]}

    def write(state: MessagesState) -> dict[str, Any]:
        return {"messages": [chat.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("look_up", look_up)
    graph.add_node("write", write)
    graph.add_edge(START, "look_up")
    graph.add_edge("look_up", "write")
    graph.add_edge("write", END)
    return graph.compile()


def verdict(answer: str, town: str) -> tuple[str, str | None]:
    """The result and the feedback: the answer must contain the town."""
    return ("pass", None) if town in answer else ("fail", f"Name the town of the depot; it was {town}.")


def main() -> None:
    """Two runs of the same agent."""
    parser = argparse.ArgumentParser(description="Record a LangGraph agent in two ways.")
    parser.add_argument("--model", default="gpt-5.4-mini", help="which model")
    agent = build_agent(parser.parse_args().model)

    with ReflectClient() as client:
        install()
        with client.trace("Where is order 1181?") as captured:
            state = agent.invoke({"messages": [HumanMessage(captured.augmented_task)]})
            captured.review(*verdict(state["messages"][-1].content, "Turku"))

        with client.trace("Where is order 1190?") as converted:
            state = agent.invoke({"messages": [HumanMessage(converted.augmented_task)]})
            result, feedback = verdict(state["messages"][-1].content, "Vaasa")
            # These messages take precedence over the captured ones.
            converted.set_output(trajectory=from_deepagents(state), result=result, feedback_text=feedback)

        for how, run in (("captured", captured), ("converted", converted)):
            trace = client.get_trace(run.trace_id)
            print(f"{how}: {', '.join(str(message['role']) for message in trace.trajectory)}")
            print(f"  {trace.review.result if trace.review else '?'}: {trace.final_response!r}")


if __name__ == "__main__":
    main()
