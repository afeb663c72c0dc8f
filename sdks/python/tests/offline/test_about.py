"""The page that package indexes show says what the guide says; only the guide's code is run."""

from __future__ import annotations

import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[2]


def test_its_example_is_one_of_the_guide() -> None:
    blocks = re.findall(r"```\w+\n.*?```", (PACKAGE / "ABOUT.md").read_text(encoding="utf-8"), re.DOTALL)
    guide = (PACKAGE / "README.md").read_text(encoding="utf-8")
    assert len(blocks) == 2 and all(block in guide for block in blocks)
