"""Runs a data set twice and shows that the second pass uses the lessons of the first.

Each of the eight questions has a gold answer, so the review is automatic: compare, and give the right answer as
feedback. `blocking=True` waits at the end of each run until its review has become a memory. In the second pass every
question has a different wording.

    pip install reflect-memory-client
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project
    python evaluation_loop.py

The agent here is not a language model but the function `solve`: it knows three answers, and otherwise copies the
answer from the best memory. So the example needs no model and is deterministic. It works with a server without a
language model, whose lessons quote the feedback. If a model writes the lessons, use a real agent instead.
"""

from __future__ import annotations

import re
import uuid
from typing import NamedTuple

from reflect_sdk import Memory, ReflectClient


class Question(NamedTuple):
    """A question in two wordings, and its gold answer."""

    first: str
    again: str
    gold: str


class Outcome(NamedTuple):
    """The outcome of one run."""

    trace_id: str | None
    passed: bool
    memories: list[Memory]


QUESTIONS = [
    Question("Within how many days may a tent be returned?", "By when must a tent be sent back?", "45 days"),
    Question("Which carrier takes parcels above 30 kg?", "Who transports parcels of over 30 kg?", "Haukur"),
    Question("What does express delivery cost?", "How much is the fee for express delivery?", "149 kr"),
    Question("Who approves refunds above 5000 kr?", "Who has to approve a refund of 6000 kr?", "Team lead"),
    Question("How long is the warranty of a stove?", "For what time is a stove under warranty?", "3 years"),
    Question("What is the discount code for students?", "Which code gives students a discount?", "CAMPUS15"),
    Question("On which weekday is the warehouse closed?", "On which day is the warehouse shut?", "Sunday"),
    Question("In which currency are invoices written?", "What is the currency of an invoice?", "Krona"),
]

KNOWN = {"warehouse": "Sunday", "currency": "Krona", "warranty": "3 years"}


def solve(task: str, memories: list[Memory]) -> str:
    """The agent: the answer from the best memory, else a known answer, else a guess."""
    for memory in memories[:1]:
        learned = re.search(r'right answer is "([^"]+)"|judged right: (.+)', memory.reflection)
        if learned:
            return learned[1] or learned[2]
    return next((answer for word, answer in KNOWN.items() if word in task), "14 days")


def answer(client: ReflectClient, task: str, gold: str, evaluation: str) -> Outcome:
    """One run: retrieve memories, call the agent, compare."""
    with client.trace(
        task,
        blocking=True,
        similarity_threshold=0.5,
        # Only memories of this evaluation, so it can be repeated in the same project.
        metadata={"evaluation": evaluation},
        metadata_filter={"evaluation": evaluation},
    ) as run:
        said = solve(task, run.memories)
        passed = said == gold
        run.set_output(
            trajectory=[
                {"role": "user", "content": run.augmented_task},
                {"role": "assistant", "content": said},
            ],
            result="pass" if passed else "fail",
            feedback_text=None if passed else f'The right answer is "{gold}".',
        )
    print(f"  {'pass' if passed else 'FAIL'}  {len(run.memories)} memories  {task} {said}")
    return Outcome(run.trace_id, passed, run.memories)


def main() -> None:
    """Runs both passes and compares them."""
    evaluation = uuid.uuid4().hex
    with ReflectClient() as client:
        print("Pass 1")
        first = [answer(client, question.first, question.gold, evaluation) for question in QUESTIONS]
        print("Pass 2, in other words")
        second = [answer(client, question.again, question.gold, evaluation) for question in QUESTIONS]

    learned_from = {outcome.trace_id for outcome in first}
    helped = [run for run in second if any(memory.source_trace_id in learned_from for memory in run.memories)]
    for number, outcomes in enumerate((first, second), start=1):
        print(f"Pass {number}: {sum(run.passed for run in outcomes)} of {len(outcomes)} right")
    print(f"Runs of pass 2 that were given memories of pass 1: {len(helped)} of {len(second)}")


if __name__ == "__main__":
    main()
