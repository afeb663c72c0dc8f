"""One open segment file.

Whoever has the lock on it owns it. The lock belongs to the open file, so it ends with the process
however that ends, and a child that closes its copy does not take it from the parent.
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
)  # O_NOFOLLOW: a link could point at a file of somebody else


class NoLocks(OSError):
    """The platform has no locks that end with their process, so there is no spool either."""


class Segment:
    """An open, locked segment file with the number of its records that have not arrived."""

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
        # Under a name that nobody adopts until it is locked.
        hidden = folder / f".{name}.new"
        fd = os.open(hidden, _FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            if not _lock(fd):
                raise BlockingIOError(f"{hidden} is locked by somebody else")
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
        """The segment of a process that has ended; None when somebody has it or it is gone."""
        try:
            fd = os.open(path, _FLAGS)
        except OSError:
            return None
        try:
            found = os.fstat(fd)
            ours = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
            # Links are looked at after locking: who had it before may have removed it meanwhile.
            if ours and _lock(fd) and os.fstat(fd).st_nlink > 0:
                return cls(path, fd, os.fstat(fd).st_size, adopted=True)
        except OSError:
            pass
        os.close(fd)
        return None

    def append(self, *parts: bytes) -> int:
        """Writes a frame in one go; returns where. When it does not fit, raises OSError and leaves no part of it."""
        offset = self.size
        self.size = offset + _write_whole(self.fd, parts, offset)
        return offset

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file; fewer when it is shorter."""
        return os.pread(self.fd, length, offset)

    def read_all(self) -> bytes:
        """The whole file."""
        return self.read(0, os.fstat(self.fd).st_size)

    def body_of(self, trace_id: str, offset: int, length: int) -> bytes | None:
        """The body of a record; None when it cannot be read back."""
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
        """Notes which records have arrived, so that a later process does not send them; returns its bytes."""
        frame = frames.encode_acknowledgement(offsets, written_ms=time.time_ns() // 1_000_000)
        try:
            self.append(frame)
        except OSError:
            # They would be sent again, and the server would know them by their ids.
            return 0
        return len(frame)

    def empty(self) -> None:
        """Makes it as new. Only when nothing in it waits."""
        os.ftruncate(self.fd, len(frames.HEADER))
        self.size = len(frames.HEADER)

    def on_disk(self) -> bool:
        """Whether the file is still where it was made; somebody may have cleared the folder."""
        return os.fstat(self.fd).st_nlink > 0

    def remove(self) -> None:
        """Removes the file and gives it up."""
        if not self.closed:
            with suppress(OSError):  # it holds nothing that is still to be sent
                self.path.unlink(missing_ok=True)
            self.release()

    def release(self) -> None:
        """Closes the file; with the last copy of it the lock ends, and others may adopt it."""
        if not self.closed:
            self.closed = True
            os.close(self.fd)


def _lock(fd: int) -> bool:
    if fcntl is None:
        raise NoLocks("this platform has no file locks that end with their process")
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _write_whole(fd: int, parts: tuple[bytes, ...], end: int) -> int:
    """One write. Where it is cut short, another one says why, and what was written is taken back."""
    length = sum(map(len, parts))
    try:
        written = os.writev(fd, parts)
        while written < length:
            written += os.write(fd, b"".join(parts)[written:])
    except OSError:
        _cut(fd, end)
        raise
    return length


def _cut(fd: int, end: int) -> None:
    with suppress(OSError):  # a reader skips what is torn
        os.ftruncate(fd, end)
