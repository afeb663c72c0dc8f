"""What is changed in a block, what is not, and which comments are promises."""

from __future__ import annotations

from seed_blocks.extract import Block, blocks_of
from seed_blocks.promises import promises_of
from seed_blocks.rewrites import COROUTINE, MESSAGES, rewrite


def only_block(text: str) -> Block:
    (block,) = blocks_of(text)
    return block


def test_an_elided_trajectory_becomes_messages_and_is_told() -> None:
    block = only_block('Words.\nmade = go(task="...", trajectory=[...], n=1)\n')

    rewritten = rewrite(block, "an-id")

    assert rewritten.source == f'\nmade = go(task="...", trajectory={MESSAGES}, n=1)'
    assert rewritten.changes == ("line 2: trajectory=[...] became two messages",)
    assert not rewritten.is_coroutine


def test_a_placeholder_becomes_the_id_of_a_stored_trace_also_behind_other_letters() -> None:
    block = only_block('made = {"ä": go(trace_id="abc-123"), "ö": go(trace_id="x", trajectory=[...])}\n')

    rewritten = rewrite(block, "an-id")

    expected = f"""made = {{"ä": go(trace_id='an-id'), "ö": go(trace_id='an-id', trajectory={MESSAGES})}}"""
    assert rewritten.source == expected
    assert len(rewritten.changes) == 3


def test_everything_else_stays_to_the_letter() -> None:
    text = (
        'made = go(ids=["mem-abc"], task="...", trace_id=made.id, more=[...], trajectory=[..., 1])\n'
        "def later(trajectory=...):\n    ..."
    )

    rewritten = rewrite(only_block(text), "an-id")

    assert rewritten.source == text
    assert rewritten.changes == ()


def test_waiting_outside_a_function_makes_a_coroutine() -> None:
    outside = only_block("if go():\n    async with there() as x:\n        y = x.y\n")
    inside = only_block("async def f():\n    await go()\n")

    assert rewrite(outside, "an-id").is_coroutine
    assert rewrite(outside, "an-id").changes == (COROUTINE,)
    assert rewrite(outside, "an-id").source == outside.source
    assert not rewrite(inside, "an-id").is_coroutine


def test_comments_that_compare_are_promises() -> None:
    block = only_block(
        "Words.\nx = 1  # x == 1\n# x == y (the first one)\n# x.id is now set\n"
        "# x.id is available after this\n# Compare\n# x is nice to have\n# or None\n# x - a number\n"
    )

    found = [(promise.line, promise.expression) for promise in promises_of(block)]

    assert found == [(2, "x == 1"), (3, "x == y"), (4, "x.id is not None"), (5, "x.id is not None")]
