"""The environment of the Python client's test programs."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from delivery.world import World
from server import Server
from surroundings import OWN_SOURCES, Surroundings

PROGRAMS = Path(__file__).resolve().parent / "programs"

sys.path.insert(0, str(OWN_SOURCES))

from reflect_sdk._delivery.folder import waiting_records  # noqa: E402


class PythonWorld(World):
    """Test programs use the client of this checkout."""

    # About forty runs more than disk and memory can hold.
    big_runs: ClassVar = {"parallel": 14, "count": 20, "size": 40_000, "bounds": {"max_bytes": 8 * 1024 * 1024}}

    def __init__(self, found: Surroundings, folder: Path, server: Server, database_url: str, python: Path) -> None:
        super().__init__(found, folder, server, database_url)
        self.python = python

    def command(self, program: str) -> list[str]:
        """The command that runs a test program."""
        return [str(self.python), str(PROGRAMS / f"{program}.py")]

    def environment(self) -> Mapping[str, str]:
        """The environment of the test programs."""
        empty = self.folder / "no-certificates"
        empty.mkdir(exist_ok=True)
        own = self.found.own_client_environment(empty, self.spool)
        return {**own, "PYTHONPATH": f"{own['PYTHONPATH']}:{PROGRAMS}"}

    def spooled(self, spool: Path | None = None) -> frozenset[str]:
        """The markers of all runs in the spool."""
        found: set[str] = set()
        for path in (spool or self.spool).glob("*/*.seg"):
            data = path.read_bytes()
            for record in waiting_records(data)[0]:
                body = data[record.body_at : record.offset + record.length]
                found.update(re.findall(r'"marker": ?"([0-9a-f]{24})"', body.decode()))
        return frozenset(found)
