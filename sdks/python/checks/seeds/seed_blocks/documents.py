"""Finds and reads the seed documents. They are not part of the repository."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[5]
DEFAULT_FOLDER = PROJECT.parent / "shared" / "spec" / "seeds"
NUMBERS = ("000", "001", "002")


class NoDocuments(Exception):
    """A seed document is missing."""


@dataclass(frozen=True)
class Document:
    """One seed document."""

    number: str
    path: Path
    text: str


def seeds_folder(given: str | None = None) -> Path:
    """The given folder, else REFLECT_SEEDS, else the default."""
    named = given or os.environ.get("REFLECT_SEEDS")
    return Path(named).absolute() if named else DEFAULT_FOLDER


def read_documents(folder: Path) -> list[Document]:
    """The documents 000 to 002; raises `NoDocuments` if one is missing."""
    return [read_document(folder, number) for number in NUMBERS]


def read_document(folder: Path, number: str) -> Document:
    """The one text file of the folder whose name begins with the number."""
    found = sorted(folder.glob(f"{number}_*.txt"))
    if len(found) != 1:
        what = "there is no" if not found else f"there are {len(found)} times"
        raise NoDocuments(
            f"{what} {number}_*.txt in {folder}; it must hold the seed documents {', '.join(NUMBERS)}. "
            "Set their folder with --seeds or REFLECT_SEEDS"
        )
    return Document(number, found[0], found[0].read_text(encoding="utf-8"))
