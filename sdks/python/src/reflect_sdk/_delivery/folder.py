"""The spool folder: permissions, size limit and expiry."""

from __future__ import annotations

import contextlib
import json
import os
import stat
import time
from collections.abc import Iterator
from pathlib import Path

from reflect_sdk._delivery import frames
from reflect_sdk._delivery.segment import SUFFIX, Segment
from reflect_sdk._delivery.settings import Destination

# Read by `reflect spool status`: the name of the folder is a digest.
DESTINATION_FILE = "destination.json"
_HIDDEN_SUFFIX = ".new"
_HOUR = 3600.0


class Budget:
    """The size limit and the used bytes of the spool folder, over all processes."""

    def __init__(self, root: Path, limit: int) -> None:
        self.root = root
        self._limit = limit
        self._used: int | None = None

    def has_room(self, size: int) -> bool:
        """Whether `size` more bytes fit."""
        if self._used is None:
            self._used = measure(self.root)
        return self._used + size <= self._limit

    def add(self, size: int) -> None:
        """Adds written bytes; a negative size means freed bytes."""
        if self._used is not None:
            self._used = max(0, self._used + size)

    def set(self, used: int) -> None:
        """Sets the measured size. Other processes also write and free."""
        self._used = used


def make_folder(root: Path, name: str) -> Path:
    """Creates the folder of one destination. Only its user can read or write it."""
    folder = root / name
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = folder.lstat()
    # Files in it are sent with the user's key, so other users must not be able to write there.
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid():
        raise PermissionError(f"{folder} does not belong to this user")
    if found.st_mode & 0o077:
        folder.chmod(0o700)
    return folder


def name_destination(folder: Path, destination: Destination) -> None:
    """Writes the address and the project into the folder, for people. A failure has no effect on delivery."""
    path = folder / DESTINATION_FILE
    # An address may contain a password.
    if "@" in destination.base_url:
        return
    text = json.dumps({"base_url": destination.base_url, "project_id": destination.project_id})
    with contextlib.suppress(OSError):
        if path.exists():
            return
        # Renamed, so that a killed process leaves no half of it. Maintenance removes files with this suffix.
        new = path.with_name(f"{DESTINATION_FILE}{_HIDDEN_SUFFIX}")
        new.write_text(text, encoding="utf-8")
        new.replace(path)


def segments_in(folder: Path) -> list[Path]:
    """The segment files of one destination, oldest first."""
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except OSError:
        return []


def measure(root: Path) -> int:
    """The total size of all segment files."""
    return sum(found.st_size for _, found in _files(root, SUFFIX))


def remove_outdated(root: Path, days: float) -> list[tuple[Path, int]]:
    """Removes segments without an owner and without writes for `days`; returns the number of runs in each."""
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
        # Left by a process that was killed between creating a segment and renaming it.
        if found.st_mtime < time.time() - _HOUR:
            segment = Segment.adopt(path)
            if segment is not None:
                segment.remove()
    return removed


def waiting_records(data: bytes) -> tuple[list[frames.RecordFrame], list[frames.Damage]]:
    """The records of a segment that were not acknowledged, and its unreadable sections."""
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
                continue  # its owner removed it meanwhile
