"""Runs every Python block of the seed documents against the real binary on a fresh database.

    python3 sdks/python/checks/seeds/run.py [--seeds DIR] [--python PYTHON] [--installed]

The seed documents describe how the SDK is used. They are not part of the repository: `--seeds` or REFLECT_SEEDS
is their folder. Every block runs with `reflect_sdk` of this repository, in a Python with httpx2 and openai.
`seed_blocks/rewrites.py` lists the only changes to a block; they are printed. Afterwards the effects that the
block promises are checked.

Blocks run with a scripted provider. The block that is a complete program runs three times in a terminal, with a
real language model for the program and for the server.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "conformance"))

from announced import NotReached
from database import DatabaseProblem
from seed_blocks.documents import NUMBERS, Document, NoDocuments, read_document, seeds_folder
from seed_blocks.extract import Block, blocks_of
from seed_blocks.harness import Harness
from seed_blocks.report import Report
from server import ServerProblem
from surroundings import Missing, find_surroundings


def run(options: argparse.Namespace, report: Report) -> None:
    """Runs the selected documents."""
    seeds = seeds_folder(options.seeds)
    documents = [read_document(seeds, number) for number in options.documents]
    found = find_surroundings()
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` builds it")
    with tempfile.TemporaryDirectory(prefix="seeds-") as folder:
        one = Harness(found, Path(options.python), Path(folder), options.installed)
        report.print(f"reflect_sdk {one.sdk()}")
        others: list[tuple[Document, Sequence[Block]]] = []
        for document in documents:
            blocks = blocks_of(document.text)
            report.lost_lines(document, blocks)
            one.programs(document, [block for block in blocks if block.is_program], report)
            others.append((document, [block for block in blocks if not block.is_program]))
        one.documents(others, report)


def numbers(text: str) -> list[str]:
    """`000,002` as the numbers of documents."""
    chosen = text.split(",")
    if not set(chosen) <= set(NUMBERS):
        raise argparse.ArgumentTypeError(f"documents are {', '.join(NUMBERS)}")
    return chosen


def _end(_signal: int, _frame: object) -> None:
    sys.exit(143)


def main() -> int:
    """Exit code 0: no block failed; 1: one failed; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Run the Python blocks of the seed documents.")
    parser.add_argument("--seeds", help="folder of the documents (else REFLECT_SEEDS, else ../shared/spec/seeds)")
    parser.add_argument("--documents", type=numbers, default=list(NUMBERS), help="such as 000,002")
    parser.add_argument("--python", default=sys.executable, help="a Python with httpx2 and openai")
    parser.add_argument(
        "--installed", action="store_true", help="use the SDK that is installed there, not this checkout"
    )
    options = parser.parse_args()
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, _end)
    report = Report(sys.stdout)
    try:
        run(options, report)
    except (NoDocuments, Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the seed blocks could not run: {problem}", file=sys.stderr)
        return 2
    return 0 if report.finish() else 1


if __name__ == "__main__":
    sys.exit(main())
