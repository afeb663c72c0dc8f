"""Every block of the real documents is found, where a person counted it, and nothing else is."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest
from seed_blocks.documents import NUMBERS, NoDocuments, read_document, read_documents, seeds_folder
from seed_blocks.extract import Block, blocks_of
from seed_blocks.promises import promises_of
from seed_blocks.report import lost_lines
from seed_blocks.rewrites import rewrite

# First and last line of every block, counted by hand: 5, 11 and 6 blocks.
COUNTED = {
    "000": [(20, 145), (158, 162), (168, 170), (176, 180), (195, 202)],
    "001": [
        *[(31, 45), (73, 76), (84, 86), (91, 107), (122, 132), (138, 140)],
        *[(145, 159), (167, 180), (187, 199), (208, 223), (237, 243)],
    ],
    "002": [(3, 15), (29, 35), (39, 49), (53, 58), (68, 75), (77, 80)],
}

# Lines whose comment is an expression that must hold after the block, counted by hand.
PROMISES = {"000": [], "001": [45, 107, 169, 179, 180, 213, 222, 223], "002": [35, 48, 49]}

# How many things are replaced in a block before it runs, by block; all others run to the letter.
REWRITTEN = {"000": {}, "001": {3: 1, 8: 2, 9: 1, 11: 1}, "002": {2: 1, 3: 1, 5: 1, 6: 1}}


@functools.cache
def blocks_in(number: str) -> list[Block]:
    return blocks_of(read_document(seeds_folder(), number).text)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_blocks_are_those_that_were_counted_by_hand(number: str) -> None:
    document = read_document(seeds_folder(), number)

    blocks = blocks_in(number)

    assert [(block.first, block.last) for block in blocks] == COUNTED[number]
    assert [block.number for block in blocks] == list(range(1, len(COUNTED[number]) + 1))
    assert lost_lines(document, blocks) == []


def test_there_are_22_blocks_and_one_of_them_is_a_program() -> None:
    blocks = [(number, block) for number in NUMBERS for block in blocks_in(number)]

    assert len(blocks) == 22
    assert [(number, block.number) for number, block in blocks if block.is_program] == [("000", 1)]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_block_that_is_lost_would_be_noticed(number: str) -> None:
    document, blocks = read_document(seeds_folder(), number), blocks_in(number)

    for block in blocks:
        others = [other for other in blocks if other is not block]
        assert set(lost_lines(document, others)) & set(range(block.first, block.last + 1))


@pytest.mark.parametrize("number", NUMBERS)
def test_the_promises_are_those_that_were_counted_by_hand(number: str) -> None:
    blocks = blocks_in(number)

    assert [promise.line for block in blocks for promise in promises_of(block)] == PROMISES[number]


@pytest.mark.parametrize("number", NUMBERS)
def test_nothing_is_rewritten_but_what_cannot_run(number: str) -> None:
    blocks = blocks_in(number)

    rewritten = {block.number: rewrite(block, "an-id") for block in blocks}

    changed = {number: len(one.changes) for number, one in rewritten.items() if one.changes}
    assert changed == REWRITTEN[number]
    for block in blocks:
        if block.number not in changed:
            assert rewritten[block.number].source == block.in_place()


def test_a_missing_document_is_named_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(NoDocuments, match=r"000_\*\.txt in .*REFLECT_SEEDS"):
        read_documents(tmp_path)


def test_two_documents_of_one_number_are_not_guessed_between(tmp_path: Path) -> None:
    for name in ("000_a.txt", "000_b.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")

    with pytest.raises(NoDocuments, match="2 times"):
        read_documents(tmp_path)


def test_the_folder_that_is_given_goes_before_the_one_that_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("REFLECT_SEEDS", str(tmp_path / "named"))

    assert seeds_folder() == tmp_path / "named"
    assert seeds_folder(str(tmp_path / "given")) == tmp_path / "given"

    monkeypatch.delenv("REFLECT_SEEDS")
    assert seeds_folder().parts[-3:] == ("shared", "spec", "seeds")
