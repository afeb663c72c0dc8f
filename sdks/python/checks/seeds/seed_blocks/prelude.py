"""Definitions for names that the blocks use but do not define.

The blocks of one document share their names, like the cells of a notebook. A document starts with the names below
and with no names of another document. `open_for` redefines a name if a block means something else by it.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

import openai

from reflect_sdk import ReflectClient

from .place import Place

CSV_TASK = "Parse the CSV and return the top 5 rows"
CLI_TASK = "Explain transformer attention in one sentence"
MESSAGES = (
    {"role": "user", "content": "Sort the inbox and say what is urgent"},
    {"role": "assistant", "content": "Two letters are urgent: the bank's and the school's."},
)


class Prelude:
    """The names of one document, and a record of the model calls in its blocks."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.client = ReflectClient(base_url=place.base_url, api_key=place.api_key, project_id=place.project)
        # The last answer of the agent or the model. Every answer is different.
        self.said = ""
        # The value of `ctx.trace_id` at each call of the agent or the model.
        self.inside: list[object] = []
        self._answers = 0
        self.stored_trace_id = self._stored_runs()
        self.names: dict[str, Any] = {"__name__": "seed_block", **self._names()}

    def open_for(self, block: int) -> None:
        """Defines the names that one block needs and that are not defined yet."""
        # No block uses the context of another one.
        self.names.pop("ctx", None)
        self.inside.clear()
        match self._place.document, block:
            case "000", 5:
                # The full program that contains this block builds it like this.
                answer = self.names["response"].choices[0].message.content
                self.names["trajectory"] = [
                    *self.names["messages"],
                    {"role": "assistant", "content": answer},
                ]
            case "001", 3:
                # The only block with an asynchronous model.
                self.names["my_llm"] = self._answer_awaited
            case "001", 4:
                self.names["my_llm"] = self._answer
            case "002", 4:
                # It waits for a run with an inline review; the block above has already reviewed its run.
                self.names["submission"] = self.client.create_trace(
                    task=CSV_TASK, trajectory=list(MESSAGES), review_result="pass"
                )
            case _:
                pass

    def _names(self) -> dict[str, Any]:
        if self._place.document == "000":
            return {
                "os": os,
                "ReflectClient": ReflectClient,
                "args": argparse.Namespace(task=CLI_TASK, limit=3, model="gpt-5.4-mini"),
                "openai": openai.OpenAI(api_key="any text", base_url=self._place.openai_url),
                # The program's value for a pass.
                "feedback": None,
            }
        if self._place.document == "001":
            return {
                "client": self.client,
                "my_agent": self._answer,
                "my_llm": self._answer,
                "messages": list(MESSAGES),
            }
        return {"client": self.client}

    def _stored_runs(self) -> str:
        """Stores a memory for the tasks of the documents, and a run without a review; returns its id."""
        for task in (CSV_TASK, CLI_TASK):
            self.client.create_trace_and_wait(
                task=task,
                trajectory=list(MESSAGES),
                review_result="fail",
                feedback_text="The answer has nothing to do with the task.",
            )
        return self.client.create_trace(task="Water the plants", trajectory=list(MESSAGES)).id

    def _answer(self, asked: object) -> str:
        ctx = self.names.get("ctx")
        if ctx is not None:
            self.inside.append(ctx.trace_id)
        self._answers += 1
        self.said = f"Answer {self._answers}: these are the top 5 rows."
        return self.said

    async def _answer_awaited(self, asked: object) -> str:
        return self._answer(asked)
