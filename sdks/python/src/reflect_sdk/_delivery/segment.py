"""One open segment file.

The process that holds the file lock owns the segment. The lock belongs to the open file description, so it
ends with the process, and a forked child that closes its copy does not release the parent's lock.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from contextlib import suppress
from pathlib import Path

from reflect_sdk._delivery import frames

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows, where runs are kept in memory only
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".seg"
_FLAGS = (
    os.O_RDWR | os.O_APPEND | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
)  # O_NOFOLLOW: a symbolic link could point to a file of another user


class NoLocks(OSError):
    """The platform has no file locks that end with the process, so the spool is not available."""


class Segment:
    """An open, locked segment file with the number of its records that are not sent."""

    def __init__(self, path: Path, fd: int, size: int, *, adopted: bool) -> None:
        self.path = path
        self.fd = fd
        self.size = size
        self.adopted = adopted
        self.waiting = 0
        self.newest_ms = 0
        self.closed = False

    @classmethod
    def create(cls, folder: Path) -> Segment:
        """A new, empty segment in the folder."""
        name = f"{time.time_ns() // 1_000_000:013x}-{os.getpid()}-{secrets.token_hex(4)}"
        # Other processes do not adopt files with this suffix; it is renamed after it is locked.
        hidden = folder / f".{name}.new"
        fd = os.open(hidden, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if not _lock(fd):
                raise BlockingIOError(f"{hidden} is locked by another process")
            _write_whole(fd, (frames.HEADER,), 0)
            path = folder / f"{name}{SUFFIX}"
            os.rename(hidden, path)
        except BaseException:
            os.close(fd)
            hidden.unlink(missing_ok=True)
            raise
        return cls(path, fd, len(frames.HEADER), adopted=False)

    @classmethod
    def adopt(cls, path: Path) -> Segment | None:
        """Adopts the segment of a process that has ended; None if another process owns it or it was deleted."""
        try:
            fd = os.open(path, _FLAGS)
        except OSError:
            return None
        try:
            found = os.fstat(fd)
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
            # Check the link count after locking: the previous owner may have deleted the file meanwhile.
            if ours and _lock(fd) and os.fstat(fd).st_nlink > 0:
                return cls(path, fd, os.fstat(fd).st_size, adopted=True)
        except OSError:
            pass
        os.close(fd)
        return None

    def append(self, *parts: bytes) -> int:
        """Writes a frame and returns its offset. On OSError, a partial frame is removed."""
        offset = self.size
        self.size = offset + _write_whole(self.fd, parts, offset)
        return offset

    def read(self, offset: int, length: int) -> bytes:
        """Reads bytes of the file; fewer at its end."""
        return os.pread(self.fd, length, offset)

    def read_all(self) -> bytes:
        """The whole file."""
        return self.read(0, os.fstat(self.fd).st_size)

    def body_of(self, trace_id: str, offset: int, length: int) -> bytes | None:
        """The body of a record; None if it cannot be read."""
        if self.closed:
            return None
        try:
            data = self.read(offset, length)
        except OSError:
            return None
        frame = frames.frame_at(data, 0)
        if not isinstance(frame, frames.RecordFrame) or frame.trace_id != trace_id:
            return None
        return data[frame.body_at : frame.length]

    def acknowledge(self, offsets: list[int]) -> int:
        """Marks records as sent, so a later process does not send them again; returns the bytes written."""
        frame = frames.encode_acknowledgement(offsets, written_ms=time.time_ns() // 1_000_000)
        try:
            self.append(frame)
        except OSError:
            # A later process sends them again; the server deduplicates by id.
            return 0
        return len(frame)

    def empty(self) -> None:
        """Truncates the segment. Only if no record in it is pending."""
        os.ftruncate(self.fd, len(frames.HEADER))
        self.size = len(frames.HEADER)

    def on_disk(self) -> bool:
        """Whether the file still exists; the user may have deleted it."""
        return os.fstat(self.fd).st_nlink > 0

    def remove(self) -> None:
        """Deletes the file and releases it."""
        if not self.closed:
            with suppress(OSError):  # all its records are sent
                self.path.unlink(missing_ok=True)
            self.release()

    def release(self) -> None:
        """Closes the file. The lock ends with the last copy of the descriptor; then others may adopt it."""
        if not self.closed:
            self.closed = True
            os.close(self.fd)


def _lock(fd: int) -> bool:
    if fcntl is None:
        raise NoLocks("this platform has no file locks that end with the process")
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_whole(fd: int, parts: tuple[bytes, ...], end: int) -> int:
    """Writes all parts. On an error after a partial write, truncates the file to its old size."""
    length = sum(map(len, parts))
    try:
        written = os.writev(fd, parts)
        while written < length:
            written += os.write(fd, b"".join(parts)[written:])
    except OSError:
        _truncate(fd, end)
        raise
    return length


def _truncate(fd: int, end: int) -> None:
    with suppress(OSError):  # a reader skips a partial frame
        os.ftruncate(fd, end)
