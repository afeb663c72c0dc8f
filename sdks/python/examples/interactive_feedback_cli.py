"""Answers one question with a language model, lets you judge the answer, and stores the run.

It shows every step of the loop without blocks or decorators: retrieve memories, call the model, ask you, store the
run. A pass or a fail becomes a memory for the next run with a similar task. A deferred run is stored without a result
and can be reviewed later.

    pip install reflect-memory-client openai
    export REFLECT_API_KEY=rf_live_... REFLECT_PROJECT_ID=my-project OPENAI_API_KEY=sk-...
    python interactive_feedback_cli.py --task "Which number is larger, 9.11 or 9.9?"

Run it twice with the same task and answer `n` the first time: the second run retrieves your feedback. Set
OPENAI_BASE_URL to use another OpenAI-compatible server, and REFLECT_BASE_URL to use another Reflect server.
"""

from __future__ import annotations

import argparse
import os

from openai import OpenAI
from openai.types.chat import ChatCompletionMessageParam

from reflect_sdk import ReflectClient

INSTRUCTIONS = "Answer in one or two sentences. Lessons from earlier runs may stand below the task; use what fits."


def arguments() -> argparse.Namespace:
    """The options from the command line or the environment."""
    parser = argparse.ArgumentParser(description="Answer a task with memories, then judge the answer.")
    parser.add_argument("--task", default="Which number is larger, 9.11 or 9.9?", help="the task for the model")
    parser.add_argument("--model", default="gpt-5.4-mini", help="which model")
    parser.add_argument("--limit", type=int, default=3, help="the most memories")
    parser.add_argument("--base-url", default=os.getenv("REFLECT_BASE_URL", "http://localhost:8000"))
    parser.add_argument("--project-id", default=os.getenv("REFLECT_PROJECT_ID"))
    parser.add_argument("--reflect-api-key", default=os.getenv("REFLECT_API_KEY"))
    given = parser.parse_args()
    if not given.project_id:
        parser.error("name a project: set REFLECT_PROJECT_ID or pass --project-id")
    if not given.reflect_api_key:
        parser.error("there is no key: set REFLECT_API_KEY or pass --reflect-api-key")
    if not os.getenv("OPENAI_API_KEY"):
        parser.error("the model needs a key: set OPENAI_API_KEY")
    return given


def verdict() -> tuple[str | None, str | None]:
    """Your result and feedback; no result means that the review is deferred."""
    while True:
        said = input("Is the answer right? y = yes, n = no, d = decide later: ").strip().lower()
        if said in ("y", "yes"):
            return "pass", None
        if said in ("n", "no"):
            # Precise feedback makes a better memory.
            feedback = input("What should it have said? ").strip()
            return "fail", feedback or "The answer is wrong."
        if said in ("d", "defer", "later"):
            return None, None
        print("Please type y, n or d.")


def main() -> None:
    """One run, from the task to its memory."""
    given = arguments()
    reflect = ReflectClient(base_url=given.base_url, api_key=given.reflect_api_key, project_id=given.project_id)

    augmented = reflect.augment_with_memories(task=given.task, limit=given.limit)
    print(f"Task:     {given.task}")
    print(f"Memories: {len(augmented.memories)} retrieved")

    messages: list[ChatCompletionMessageParam] = [
        {"role": "system", "content": INSTRUCTIONS},
        {"role": "user", "content": augmented.augmented_task},
    ]
    reply = OpenAI().chat.completions.create(model=given.model, messages=messages)
    answer = (reply.choices[0].message.content or "").strip()
    print(f"\n{answer}\n")

    result, feedback = verdict()
    trace = reflect.create_trace_and_wait(
        task=given.task,
        trajectory=[*messages, {"role": "assistant", "content": answer}],
        # Without these ids, the memories get no credit.
        retrieved_memory_ids=augmented.memory_ids,
        model=given.model,
        review_result=result,
        feedback_text=feedback,
    )

    print(f"\nResult:   {result or 'deferred'}")
    if feedback:
        print(f"Feedback: {feedback}")
    print(f"Trace:    {trace.id} ({trace.review_status})")
    if trace.created_memory_id:
        print(f"Memory:   {trace.created_memory_id}")


if __name__ == "__main__":
    main()
