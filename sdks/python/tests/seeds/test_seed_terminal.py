"""A program in a terminal is answered as a person would, and neither hangs nor goes unjudged."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from seed_blocks.documents import read_document, seeds_folder
from seed_blocks.extract import blocks_of
from seed_blocks.program import printed, write_program
from seed_blocks.terminal import NotAnswered, Session, converse

ASKS = """
import sys
assert sys.stdin.isatty() and sys.stdout.isatty()
name = input("Name? ")
again = input("Name? ")
print(f"Both: {name} and {again}")
sys.exit(3)
"""


def talk(folder: Path, program: str, answers: list[tuple[str, str]], seconds: float = 60.0) -> Session:
    (folder / "asks.py").write_text(program, encoding="utf-8")
    return converse([sys.executable, "asks.py"], os.environ, folder, answers, seconds)


def test_every_question_is_answered_in_turn_and_the_end_is_told(tmp_path: Path) -> None:
    session = talk(tmp_path, ASKS, [("Name? ", "Ada"), ("Name? ", "Grace")])

    assert session.code == 3
    assert "Both: Ada and Grace\n" in session.screen


def test_a_program_that_asks_something_else_is_shown(tmp_path: Path) -> None:
    with pytest.raises(NotAnswered, match=r"(?s)'Age\? '.*Other"):
        talk(tmp_path, 'print("Other")', [("Age? ", "36")])


def test_a_program_that_does_not_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(NotAnswered, match="did not end within 1 s"):
        talk(tmp_path, 'print("Here")\nimport signal\nsignal.pause()', [], seconds=1.0)


def test_the_program_of_the_documents_is_written_unchanged_under_its_name(tmp_path: Path) -> None:
    document = read_document(seeds_folder(), "000")
    (program,) = [block for block in blocks_of(document.text) if block.is_program]

    path = write_program(document, program, tmp_path)

    assert path.name == "interactive_feedback_cli.py"
    assert path.read_text(encoding="utf-8").split("\n")[:-1] == document.text.split("\n")[19:145]


def test_a_label_must_stand_in_one_line() -> None:
    assert printed("Trace id: 7\nReview:   pending\n", "Review:") == "pending"
    for screen in ("", "Review: a\nReview: b\n", "The Review: a\n"):
        with pytest.raises(AssertionError, match="Review"):
            printed(screen, "Review:")
