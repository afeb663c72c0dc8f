"""Prints the steps and their times."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SHOWN = ("id", "task", "summary", "guidance", "key_mistake", "correct_action", "applicable_tools")
SHOWN_OF_ORIGIN = ("origin", "model", "note", "success", "q_value", "similarity")


class Progress:
    """One line per step, with its time."""

    def __init__(self) -> None:
        self._in_a_step = False

    def title(self, text: str) -> None:
        """Prints the title of a round."""
        print(f"\n{text}", flush=True)

    @contextmanager
    def step(self, sentence: str) -> Iterator[None]:
        """Prints a step, and its time when it is done."""
        # Print it first, because some steps take half a minute.
        print(f"  {sentence} ... ", end="", flush=True)
        self._in_a_step, began = True, time.monotonic()
        yield
        print(f"{time.monotonic() - began:.1f} s", flush=True)
        self._in_a_step = False

    def note(self, text: str) -> None:
        """A detail of the last step."""
        print(f"      {text}", flush=True)

    def memory(self, memory: dict[str, Any]) -> None:
        """All fields of a memory."""
        for name in (*SHOWN, *SHOWN_OF_ORIGIN):
            self.note(f"{name:<17}{memory[name]!r}")

    def broken(self, reason: str) -> None:
        """Why the loop is not closed."""
        print(f"{'' if not self._in_a_step else 'FAILED'}\n  NOT CLOSED: {reason}", flush=True)
