"""The getting-started page and the programs on it, which are run unchanged."""

from __future__ import annotations

import re

from surroundings import ROOT

PAGE = ROOT / "packaging" / "wheel" / "README.md"

# A separate program in the same environment reads the memories.
MEMORIES = """
import json
from reflect_sdk import ReflectClient

found = ReflectClient().query_memories("Refund order 1182, whose parcel arrived broken")
named = ("id", "origin", "model", "note", "reflection", "q_value", "similarity")
print(json.dumps([{name: getattr(memory, name) for name in named} for memory in found]))
"""


TUTORIAL = ROOT / "docs" / "tutorial" / "first-memory.md"
# The last output of the tutorial.
TUTORIALS_END = "0.50 -> 0.65"


def tutorial() -> str | None:
    """The code blocks of the tutorial as one program, if the tutorial exists."""
    return "\n".join(_blocks(TUTORIAL.read_text(encoding="utf-8"))) if TUTORIAL.is_file() else None


def programs() -> tuple[str, str]:
    """The programs of the first and the second run."""
    first, second = _blocks(PAGE.read_text(encoding="utf-8"))
    return first, second


def _blocks(page: str) -> list[str]:
    found: list[str] = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    return found
