"""The spool folder as a whole: who may use it, how full it is, what in it is too old."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from reflect_sdk._delivery import frames
from reflect_sdk._delivery.segment import SUFFIX, Segment

_HIDDEN_SUFFIX = ".new"
_HOUR = 3600.0


class Budget:
    """How many bytes the spool folder may hold, and holds, over all processes."""

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self._limit = limit
        self._used: int | None = None

    def has_room(self, size: int) -> bool:
        """Whether so many more bytes may be written."""
        if self._used is None:
            self._used = measure(self.root)
        return self._used + size <= self._limit

    def add(self, size: int) -> None:
        """So many bytes were written; negative ones were freed."""
        if self._used is not None:
            self._used = max(0, self._used + size)

    def set(self, used: int) -> None:
        """What was measured. Other processes write and free too."""
        self._used = used


def make_folder(root: Path, name: str) -> Path:
    """The folder of one destination, which nobody but the user can read or write."""
    folder = root / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    # What lies in it is sent with the user's key, so nobody else may put anything there.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} does not belong to this user")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def segments_in(folder: Path) -> list[Path]:
    """The segment files of one destination, oldest first."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:
        return []


def measure(root: Path) -> int:
    """The bytes of all segment files."""
    return sum(found.st_size for _, found in _files(root, SUFFIX))


def remove_outdated(root: Path, days: float) -> list[tuple[Path, int]]:
    """Removes segments that nobody owns and nobody wrote to for so long; says how many runs each held."""
    horizon = time.time() - days * 24 * _HOUR
    removed: list[tuple[Path, int]] = []
    for path, found in _files(root, SUFFIX):
        if found.st_mtime >= horizon:
            continue
        segment = Segment.adopt(path)
        if segment is not None:
            removed.append((path, len(waiting_records(segment.read_all())[0])))
            segment.remove()
    for path, found in _files(root, _HIDDEN_SUFFIX):
        # A process that was killed between making a segment and naming it.
        if found.st_mtime < time.time() - _HOUR:
            segment = Segment.adopt(path)
            if segment is not None:
                segment.remove()
    return removed


def waiting_records(data: bytes) -> tuple[list[frames.RecordFrame], list[frames.Damage]]:
    """The records of a segment that were not acknowledged, and what of it cannot be read."""
    records: dict[int, frames.RecordFrame] = {}
    damage: list[frames.Damage] = []
    for frame in frames.scan(data):
        if isinstance(frame, frames.RecordFrame):
            records[frame.offset] = frame
        elif isinstance(frame, frames.AcknowledgementFrame):
            for offset in frame.acknowledged:
                records.pop(offset, None)
        else:
            damage.append(frame)
    return list(records.values()), damage


def _files(root: Path, suffix: str) -> Iterator[tuple[Path, os.stat_result]]:
    try:
        folders = [path for path in root.iterdir() if path.is_dir() and not path.is_symlink()]
    except OSError:
        return
    for folder in folders:
        try:
            paths = [path for path in folder.iterdir() if path.suffix == suffix]
        except OSError:
            continue
        for path in paths:
            try:
                yield path, path.lstat()
            except OSError:
                continue  # removed by its owner meanwhile
