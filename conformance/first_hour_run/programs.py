"""The programs of a new user. Each prints one line of JSON."""

from __future__ import annotations

# A trace block, in both styles, behind a proxy that answers in the server's place.
BEHIND_PROXY = """
import asyncio, json, logging
from reflect_sdk import AsyncReflectClient, ReflectClient

logging.disable(logging.CRITICAL)
said = [{"role": "assistant", "content": "Refunded 24.00."}]

def plain():
    client = ReflectClient()
    with client.trace("Refund order 1182") as run:
        assert run.augmented_task == "Refund order 1182" and run.memory_block == ""
        run.set_output(trajectory=said, result="pass")
    client.flush(timeout=0.2)

async def awaited():
    client = AsyncReflectClient()
    async with client.trace("Refund order 1182") as run:
        assert run.augmented_task == "Refund order 1182" and run.memory_block == ""
        run.set_output(trajectory=said, result="pass")
    await client.flush(timeout=0.2)

outcome = {}
for name, work in (("plain", plain), ("awaited", lambda: asyncio.run(awaited()))):
    try:
        work()
        outcome[name] = "ok"
    except BaseException as problem:
        outcome[name] = f"{type(problem).__name__}: {problem}"
print(json.dumps(outcome))
"""

# What must be rejected before it is sent, with the correct name in the message.
MISTAKES = """
import json
from reflect_sdk import ReflectClient

client = ReflectClient()
said = [{"role": "assistant", "content": "Refunded 24.00."}]
stored = client.create_trace(task="Refund order 1182", trajectory=said)

def late_review():
    with client.trace("Refund order 1182") as run:
        run.set_output(trajectory=said)
    run.review("pass")

def misspelled_argument():
    client.review_trace(stored.trace_id, "fail", feedback="The order cost 24.00.")

def misspelled_field():
    review = {"trace_id": stored.trace_id, "result": "fail", "feedback": "The order cost 24.00."}
    client.review_traces([review])

def feedback_alone():
    client.create_trace(task="Refund order 1182", trajectory=said, feedback_text="The order cost 24.00.")

def empty_task():
    client.create_trace(task=" ", trajectory=said)

def no_trajectory():
    client.create_trace(task="Refund order 1182", trajectory=7)

outcome = {}
made = (late_review, misspelled_argument, misspelled_field, feedback_alone, empty_task, no_trajectory)
for mistake in made:
    try:
        mistake()
        outcome[mistake.__name__] = "accepted"
    except Exception as problem:
        outcome[mistake.__name__] = str(problem)
print(json.dumps(outcome))
"""

# A misspelled field by plain HTTP: the server ignores it, as the contract requires, and names it.
UNKNOWN_FIELD = """
import json, os, urllib.request

body = {
    "task": "Refund order 1182",
    "trajectory": [{"role": "assistant", "content": "Refunded 24.00."}],
    "review": {"result": "fail", "feedback": "The order cost 24.00."},
}
request = urllib.request.Request(
    f"{os.environ['REFLECT_BASE_URL']}/v1/projects/{os.environ['REFLECT_PROJECT_ID']}/traces",
    data=json.dumps(body).encode(),
    headers={"Authorization": f"Bearer {os.environ['REFLECT_API_KEY']}", "Content-Type": "application/json"},
)
with urllib.request.urlopen(request) as response:
    print(json.dumps({"status": response.status, "warning": response.headers.get("Reflect-Warning")}))
"""

# Eight equal passes, then a run that is served their lesson and passes.
EIGHT_PASSES = """
import json
from reflect_sdk import ReflectClient

client = ReflectClient()
task = "Export the orders of March as CSV"
said = [
    {"role": "user", "content": task},
    {"role": "assistant", "tool_calls": [
        {"id": "c1", "function": {"name": "list_orders", "arguments": "{\\"month\\": 3}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "312 orders"},
    {"role": "assistant", "content": "Wrote orders-march.csv with 312 lines."},
]
for _ in range(8):
    client.create_trace_and_wait(task=task, trajectory=said, review_result="pass")
before = client.query_memories(task)
augmented = client.augment_with_memories(task)
with client.trace(task, blocking=True) as run:
    run.set_output(trajectory=said, result="pass")
(lesson,) = before
after = client.get_memory(lesson.id)
print(json.dumps({
    "served": len(before),
    "runs": lesson.runs,
    "text": lesson.reflection,
    "block": augmented.memory_block,
    "utility": [lesson.q_value, after.q_value],
}))
"""

# Feedback of 3,500 characters whose last line matters most.
LONG_FEEDBACK = """
import json
from reflect_sdk import ReflectClient

client = ReflectClient()
task = "Publish the release branch"
lines = [f"{number}. Check item {number} of the list before you push the branch." for number in range(1, 60)]
feedback = "\\n".join(lines)[:3480] + "\\nnever use --force"
client.create_trace_and_wait(
    task=task,
    trajectory=[{"role": "assistant", "content": "git push --force"}],
    review_result="fail",
    feedback_text=feedback,
)
print(json.dumps({"feedback": feedback, "block": client.augment_with_memories(task).memory_block}))
"""

# One failed run per recorded answer of a model; the scripted provider picks its answer by the task.
MODEL_LESSON = """
import json, os
from reflect_sdk import ReflectClient

client = ReflectClient()
task, feedback = os.environ["TASK"], os.environ["FEEDBACK"]
trace = client.create_trace_and_wait(
    task=task,
    trajectory=[{"role": "assistant", "content": "git push --force origin main"}],
    review_result="fail",
    feedback_text=feedback,
)
(memory,) = [one for one in client.query_memories(task) if one.id == trace.created_memory_id]
print(json.dumps({"origin": memory.origin, "note": memory.note, "text": memory.reflection}))
"""
