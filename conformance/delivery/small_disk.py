"""A folder with space for one megabyte."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SMALL_DISK = 1024 * 1024


class Disk:
    """How the small disk was created, and the delivery limits for it."""

    def __init__(self, what: str, bounds: dict[str, int]) -> None:
        self.what = what
        self.bounds = bounds


@contextmanager
def small_disk(folder: Path) -> Iterator[tuple[Path, Disk]]:
    """A folder with space for one megabyte."""
    folder.mkdir()
    options = f"size={SMALL_DISK}"
    mounted = (
        os.geteuid() == 0
        and subprocess.run(
            ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, check=False
        ).returncode
        == 0
    )
    if mounted:
        disk = Disk("a file system of 1 MiB", {})
    else:
        disk = Disk("a spool of 1 MiB, because no file system could be mounted", {"spool_bytes": SMALL_DISK})
    try:
        yield folder / "spool", disk
    finally:
        if mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
