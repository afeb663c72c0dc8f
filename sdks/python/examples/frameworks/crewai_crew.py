"""CrewAI: a crew that learns from a failed run.

    pip install 'reflect-memory-client[crewai]'
    python examples/frameworks/crewai_crew.py

Needs REFLECT_BASE_URL, REFLECT_API_KEY and OPENAI_API_KEY.
"""

from __future__ import annotations

from crewai import LLM, Agent, Crew, Task
from crewai.tools import tool

from reflect_sdk import ReflectClient
from reflect_sdk.capture.crewai import install


@tool
def price_of(order: int) -> str:
    """The price of an order."""
    return f"order {order}: 24.00"


def answer_to(task: str) -> str:
    """What the crew says."""
    llm = LLM(model="openai/gpt-5.4-mini")
    support = Agent(role="Support", goal="Help customers.", backstory="A shop.", llm=llm, tools=[price_of])
    work = Task(description=task, expected_output="A sentence.", agent=support)
    return str(Crew(agents=[support], tasks=[work]).kickoff())


def main() -> None:
    """Two similar tasks: the second run gets what was learned from the first one."""
    install()
    client = ReflectClient()
    # `blocking` waits until the review has become a memory.
    with client.trace("Refund order 1182, which arrived broken", blocking=True) as run:
        answer_to(run.task)
        run.review("fail", "Ask for a photo of the damage before you refund.")
    with client.trace("Refund order 1201, which arrived broken") as run:
        print(answer_to(run.task))
        print(f"memories in the prompt: {[memory.reflection for memory in run.memories]}")
    client.flush()


if __name__ == "__main__":
    main()
