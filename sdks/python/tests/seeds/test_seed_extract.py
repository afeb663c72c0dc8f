"""The rules by which blocks are found, each shown on a small document of its own."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest
from seed_blocks.documents import Document
from seed_blocks.extract import blocks_of
from seed_blocks.report import lost_lines
from seed_blocks.statements import looks_like_code


def found(text: str) -> list[str]:
    return [block.source for block in blocks_of(dedent(text))]


def test_code_between_prose_is_one_block_with_its_lines() -> None:
    (block,) = blocks_of("How to begin.\nx = make(1)\ny = x.go()\n\nThat was all.\n")

    assert (block.number, block.first, block.last) == (1, 2, 3)
    assert block.source == "x = make(1)\ny = x.go()"


@pytest.mark.parametrize(
    "prose",
    [
        "Overview",
        "1",
        "interactive_cli.py",
        "ctx.trace_id",
        '"The answer was wrong"',
        "Note: something",
        "trace_id | str | required",
        "pass",
        "A - B",
        "yes, no",
        "return nothing",
        "a == b",
    ],
)
def test_prose_that_python_can_read_is_no_block(prose: str) -> None:
    assert found(f"{prose}\n") == []
    assert found(f"{prose}\nx = 1\n{prose}\n\n{prose}\ny = 2") == ["x = 1", "y = 2"]


@pytest.mark.parametrize("perhaps", ["client.trace()", "Parameter(s)", "..."])
def test_what_may_be_a_heading_is_code_beside_code_only(perhaps: str) -> None:
    assert found(f"{perhaps}\n") == []
    assert found(f"{perhaps}\n\nMore words.\nx = 1\n") == ["x = 1"]
    assert found(f"x = 1\n\n{perhaps}\ny = 2\n") == [f"x = 1\n\n{perhaps}\ny = 2"]


def test_prose_between_two_blocks_parts_them() -> None:
    assert found("x = 1\n2\ny = 2\nReviews\nz = 3\n") == ["x = 1", "y = 2", "z = 3"]


def test_blank_lines_do_not_part_a_block() -> None:
    text = "import os\n\n\ndef one() -> int:\n    return 1\n\n\none()"

    assert found(f"A program\n\n{text}\n\nRun it\n") == [text]


def test_a_call_whose_indentation_was_lost_is_still_one_statement() -> None:
    text = 'made = make(\ntask="x",\nmessages=[\n{"role": "user"},\n],\n# a remark\n)\nprint(made.id) # id'

    assert found(f"Make one\n{text}\n| Name | Type |\n") == [text]


def test_bodies_decorators_and_further_branches_belong_to_their_statement() -> None:
    text = dedent("""\
        @traced(client, task=lambda q: q)
        async def answer(q):
            ...

        try:
            go()

            go()
        except ValueError:
            raise
        else:
            stay()""")

    assert found(f"Words.\n{text}\nWords again.\n") == [text]


def test_a_docstring_opens_a_program() -> None:
    text = '"""What it does.\n\nx = 1 is a line of it, and\nso is this\n"""\n\nimport os'

    assert found(f"program.py\n{text}\n") == [text]


def test_a_docstring_without_code_is_no_block() -> None:
    assert found('"""Just words."""\n') == []


def test_comments_belong_to_the_code_that_they_touch() -> None:
    text = "# first\nx = 1\n# x is 1\n\n# second\ny = 2\n# y is 2"

    assert found(f"Words.\n{text}\nMore words.\n") == [text]
    assert found("x = 1\n\n# A heading\n\nWords below it.\n") == ["x = 1"]
    assert found("# A heading of a text\n") == []


def test_waiting_outside_a_function_is_code() -> None:
    text = "async with client.trace() as ctx:\n    x = await go(ctx)"

    assert found(f"Async variant\n\n{text}\n\nNext\n") == [text]
    assert found("await go()\n") == ["await go()"]


def test_a_call_that_hands_something_over_is_code_by_itself() -> None:
    assert found('print("x")\n') == ['print("x")']
    assert found("client.go(task=t)\n") == ["client.go(task=t)"]


def test_only_what_looks_at_its_own_name_is_a_program() -> None:
    text = 'def main(): ...\nif __name__ == "__main__":\n    main()\nWords here.\nif x:\n    y = 1\n'

    program, block = blocks_of(text)

    assert program.is_program
    assert not block.is_program


def test_broken_code_is_no_block_but_is_noticed() -> None:
    text = "Words.\nmade = client.make(\n    task=?,\n)\nWords.\n"
    document = Document("000", Path("x"), text)

    assert blocks_of(text) == []
    assert lost_lines(document, []) == [2, 4]


@pytest.mark.parametrize(
    "line",
    [
        "trace = client.make(",
        "with client.trace('x') as ctx:",
        "@reflect_trace(client)",
        "from reflect_sdk import TraceResult, reflect_trace",
        "    x = 1",
        "client.make(task='x', more",
        "])",
    ],
)
def test_lines_that_look_like_code_are_told_from_words(line: str) -> None:
    assert looks_like_code(line)


@pytest.mark.parametrize(
    "line",
    [
        "Passing review_result=None stores the trace (see below).",
        "export API_KEY=rf_live_...",
        "Import what you need from there.",
        "with care, and for a reason:",
        "client.trace() - tracks what was retrieved",
        'the result is "fail"',
    ],
)
def test_words_do_not_look_like_code(line: str) -> None:
    assert not looks_like_code(line)
