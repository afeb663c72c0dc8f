"""Runs every Python block of the seed documents against the real binary on a fresh database.

    python3 sdks/python/checks/seeds/run.py [--seeds DIR] [--python PYTHON] [--installed]

The seed documents say how the SDK is used. They are not part of the repository: `--seeds` or REFLECT_SEEDS
names their folder. Every block runs as it stands, through `reflect_sdk` of this repository, in a Python that
has httpx2 and openai; what is changed in a block, and nothing else may be, is said in
`seed_blocks/rewrites.py` and printed. Afterwards it is checked what the block promises.

Blocks run with a scripted provider behind the server. The block that is a whole program runs three times in
a terminal, with a real language model in front of and behind the server.
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
from seed_blocks.telling import Telling
from server import ServerProblem
from surroundings import Missing, find_surroundings


def run(options: argparse.Namespace, telling: Telling) -> None:
    """Runs the documents that were asked for."""
    seeds = seeds_folder(options.seeds)
    documents = [read_document(seeds, number) for number in options.documents]
    found = find_surroundings()
    if not found.scripted_provider.is_file():
        raise Missing(f"no {found.scripted_provider}: `cargo build -p reflect-scripted-provider` makes it")
    with tempfile.TemporaryDirectory(prefix="seeds-") as folder:
        one = Harness(found, Path(options.python), Path(folder), options.installed)
        telling.say(f"reflect_sdk {one.sdk()}")
        others: list[tuple[Document, Sequence[Block]]] = []
        for document in documents:
            blocks = blocks_of(document.text)
            telling.lost_lines(document, blocks)
            one.programs(document, [block for block in blocks if block.is_program], telling)
            others.append((document, [block for block in blocks if not block.is_program]))
        one.documents(others, telling)


def numbers(text: str) -> list[str]:
    """`000,002` as the numbers of documents."""
    chosen = text.split(",")
    if not set(chosen) <= set(NUMBERS):
        raise argparse.ArgumentTypeError(f"documents are {', '.join(NUMBERS)}")
    return chosen


def _end(_signal: int, _frame: object) -> None:
    sys.exit(143)


def main() -> int:
    """0 when no block failed, 1 when one did, 2 when the run could not begin."""
    parser = argparse.ArgumentParser(description="Run the Python blocks of the seed documents.")
    parser.add_argument("--seeds", help="folder of the documents (else REFLECT_SEEDS, else ../shared/spec/seeds)")
    parser.add_argument("--documents", type=numbers, default=list(NUMBERS), help="such as 000,002")
    parser.add_argument("--python", default=sys.executable, help="the Python that has httpx2 and openai")
    parser.add_argument("--installed", action="store_true", help="the SDK that is installed there, not ours")
    options = parser.parse_args()
    # Without this, a run that is told to end would leave its programs and its database behind.
    signal.signal(signal.SIGTERM, _end)
    telling = Telling(sys.stdout)
    try:
        run(options, telling)
    except (NoDocuments, Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the seed blocks could not run: {problem}", file=sys.stderr)
        return 2
    return 0 if telling.finish() else 1


if __name__ == "__main__":
    sys.exit(main())
