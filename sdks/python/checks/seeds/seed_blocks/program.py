"""Runs a block that is a complete program: unchanged, from a file, in a terminal, once per answer.

The program asks a language model and then the user. The model is a real one in a third-party server, called with the
real `openai` package; `terminal.py` simulates the user.
"""

from __future__ import annotations

import http.client
import json
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .documents import Document
from .extract import Block
from .terminal import NotAnswered, converse

TASK = "Explain transformer attention in one sentence"
FEEDBACK = "It must say that every token weighs every other one."
ANSWER = "Model answer:"
VERDICT = "[y/n/d (defer)]: "
REASON = "What was wrong?"

# A run usually takes about ten seconds; only one that hangs reaches this.
RUN_SECONDS = 600.0


@dataclass(frozen=True)
class Run:
    """One run of the program: the user's answer, and the expected result."""

    answers: tuple[tuple[str, str], ...]
    printed_result: str
    review_status: str
    result: str | None
    feedback: str | None = None
    # The first run stores the first memory of the task; the later runs retrieve it.
    retrieves: bool = True


RUNS = {
    "y": Run(((VERDICT, "y"),), "pass", "reviewed", "pass", retrieves=False),
    "n": Run(((VERDICT, "n"), (REASON, FEEDBACK)), "fail", "reviewed", "fail", FEEDBACK),
    "d": Run(((VERDICT, "d"),), "defer", "pending", None),
}


@dataclass(frozen=True)
class Project:
    """The project of the program."""

    port: int
    key: str
    name: str

    def trace(self, trace_id: str) -> dict[str, Any]:
        """A trace as the server has it."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            path = f"/v1/projects/{self.name}/traces/{trace_id}"
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.key}"})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, f"GET {path} answered {answer.status}: {body[:300]!r}"
            trace: dict[str, Any] = json.loads(body)
            return trace
        finally:
            connection.close()


def write_program(document: Document, block: Block, folder: Path) -> Path:
    """Writes the block to a file with the name from the document."""
    above = document.text.split("\n")[block.first - 2].strip() if block.first > 1 else ""
    path = folder / (above if re.fullmatch(r"\w+\.py", above) else "program.py")
    path.write_text(block.source + "\n", encoding="utf-8")
    return path


def run_program(
    python: Path, program: Path, model: str, environment: Mapping[str, str], project: Project
) -> list[str]:
    """Yields one summary per run; raises AssertionError or NotAnswered on failure."""
    told: list[str] = []
    for letter, run in RUNS.items():
        command = [str(python), str(program), "--task", TASK, "--model", model]
        began = time.monotonic()
        try:
            session = converse(command, environment, program.parent, run.answers, RUN_SECONDS)
        except NotAnswered as problem:
            raise NotAnswered(f"answering {letter}: {problem}") from problem
        took = time.monotonic() - began
        try:
            assert session.code == 0, f"it ended with {session.code}"
            said = judge(run, session.screen, project, model)
        except AssertionError as problem:
            raise AssertionError(f"answering {letter}: {problem}\n{session.screen}") from problem
        told.append(f"answering {letter}: {said}, in {took:.1f} s")
    return told


def judge(run: Run, screen: str, project: Project, model: str) -> str:
    """Compares the output of the program with the data on the server."""
    # The model's answer, which may be any text, is between the two.
    before, end = screen.partition(ANSWER)[0], screen.rpartition(VERDICT)[2]
    trace = project.trace(printed(end, "Trace id:"))
    memory = printed(end, "Memory created:") if run.result else None
    retrieved = int(printed(before, "Retrieved").split()[0])
    review: dict[str, Any] = trace["review"] or {}

    assert printed(end, "Result:") == run.printed_result
    assert printed(end, "Review:") == run.review_status == trace["review_status"], f"the trace is {trace}"
    assert run.result or "Memory created:" not in end, "it printed a memory for a deferred review"
    assert trace["created_memory_id"] == memory, f"the memory is {trace['created_memory_id']}"
    assert trace["ingest_status"] == "completed", f"ingest_status is {trace['ingest_status']!r}"
    assert review.get("result") == run.result, f"the review is {review}"
    assert review.get("feedback_text") == run.feedback, f"the review is {review}"
    assert (retrieved > 0) == run.retrieves, f"{retrieved} memories were retrieved"
    assert len(trace["retrieved_memory_ids"]) == retrieved, f"they are {trace['retrieved_memory_ids']}"
    assert trace["model"] == model, f"model is {trace['model']!r}"
    assert [message["role"] for message in trace["trajectory"]] == ["system", "user", "assistant"]
    assert trace["trajectory"][2]["content"] in screen, "the stored answer is not the printed one"
    learned = f"memory {memory}" if memory else "no memory"
    return f"trace {trace['id']}, {run.review_status}, {learned}, {retrieved} retrieved"


def printed(screen: str, label: str) -> str:
    """The text after a label at the start of a line."""
    lines = [line for line in screen.split("\n") if line.startswith(label)]
    assert len(lines) == 1, f"`{label}` occurs in {len(lines)} lines"
    return lines[0].removeprefix(label).strip()
