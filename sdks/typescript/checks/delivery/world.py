"""The environment of the TypeScript client's test programs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import ClassVar

from delivery.world import World
from server import Server
from surroundings import Surroundings

PROGRAMS = Path(__file__).resolve().parent / "programs"


class TypeScriptWorld(World):
    """Test programs use the built package."""

    # About a tenth more than the memory of the client can hold.
    big_runs: ClassVar = {"count": 740, "size": 100_000}

    def __init__(
        self, found: Surroundings, folder: Path, server: Server, database_url: str, runtime: list[str]
    ) -> None:
        super().__init__(found, folder, server, database_url)
        self._runtime = runtime

    def command(self, program: str) -> list[str]:
        """The command that runs a test program."""
        return [*self._runtime, str(PROGRAMS / f"{program}.mjs")]

    def environment(self) -> Mapping[str, str]:
        """The environment of the test programs."""
        return self.found.inherited

    def spooled(self, spool: Path | None = None) -> frozenset[str]:
        """The markers of all runs in the spool."""
        found: set[str] = set()
        for path in (spool or self.spool).glob("*/*.run"):
            found.update(_waiting(path.read_bytes()))
        return frozenset(found)


def _waiting(data: bytes) -> Iterator[str]:
    """The markers of the runs in a spool file that wait; `src/node/lines.ts` has the format."""
    runs: dict[int, bytes] = {}
    offset = 0
    for line in data.splitlines(keepends=True):
        if line.startswith(b"r "):
            runs[offset] = line
        elif line.startswith(b"a "):
            for settled in line.split()[2].split(b","):
                runs.pop(int(settled), None)
        offset += len(line)
    for run in runs.values():
        marker = re.search(rb'"marker":"([0-9a-f]{24})"', run)
        if marker is not None:
            yield marker[1].decode()
