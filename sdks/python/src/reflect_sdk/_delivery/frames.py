"""The format of a segment file.

A segment is a header line and then frames. A frame is a head of 24 bytes and a payload:

    mark (4)  kind (1)  flags (1)  length of the trace id (2)  length of the payload (4)
    time in ms (8)  CRC-32 of everything but mark and itself (4)

The payload of a record is its trace id and its body, that of an acknowledgement the offsets of the
frames that have arrived. The mark holds bytes that no UTF-8 text has, so it cannot stand inside a
body: whatever is broken, the next frame is found by searching for it.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

HEADER = b"reflect-spool 1\n"
HEADER_START = b"reflect-spool "
MARK = b"\xf7RF\xf8"
RECORD = 1
ACKNOWLEDGEMENT = 2
_REVIEWED = 1

_HEAD = struct.Struct("<4sBBHIQ")
_CRC = struct.Struct("<I")
HEAD_BYTES = _HEAD.size + _CRC.size


class RecordFrame(NamedTuple):
    """A readable record, without its body."""

    offset: int
    length: int
    trace_id: str
    body_at: int
    """Where the body begins; it ends where the frame does."""
    reviewed: bool
    written_ms: int


class AcknowledgementFrame(NamedTuple):
    """The offsets of records that have arrived."""

    offset: int
    length: int
    acknowledged: tuple[int, ...]


class Damage(NamedTuple):
    """A stretch that cannot be read."""

    offset: int
    length: int
    at_end: bool
    """Nothing readable follows: most likely a write that was cut short."""


def record_head(trace_id: str, body: bytes, *, reviewed: bool, written_ms: int) -> bytes:
    """What stands in front of a body; the two together are the frame. Apart, so that no body is copied."""
    name = trace_id.encode("ascii")
    head = _HEAD.pack(MARK, RECORD, _REVIEWED if reviewed else 0, len(name), len(name) + len(body), written_ms)
    crc = zlib.crc32(body, zlib.crc32(name, zlib.crc32(head[len(MARK) :])))
    return head + _CRC.pack(crc) + name


def encode_acknowledgement(offsets: Iterable[int], *, written_ms: int) -> bytes:
    """The offsets of records that have arrived, as a frame."""
    payload = b"".join(offset.to_bytes(8, "little") for offset in offsets)
    head = _HEAD.pack(MARK, ACKNOWLEDGEMENT, 0, 0, len(payload), written_ms)
    crc = zlib.crc32(payload, zlib.crc32(head[len(MARK) :]))
    return b"".join((head, _CRC.pack(crc), payload))


def scan(data: bytes) -> Iterator[RecordFrame | AcknowledgementFrame | Damage]:
    """Everything in a segment file, in order. Never raises, whatever the bytes are."""
    position = len(HEADER) if data.startswith(HEADER) else 0
    broken_at: int | None = None
    while position < len(data):
        frame = frame_at(data, position)
        if frame is not None:
            if broken_at is not None:
                yield Damage(broken_at, position - broken_at, at_end=False)
                broken_at = None
            yield frame
            position += frame.length
            continue
        if broken_at is None:
            broken_at = position
        # Not by the length in the broken head: it may be what is broken.
        following = data.find(MARK, position + 1)
        position = len(data) if following < 0 else following
    if broken_at is not None:
        yield Damage(broken_at, len(data) - broken_at, at_end=True)


def frame_at(data: bytes, position: int) -> RecordFrame | AcknowledgementFrame | None:
    """The frame that begins here, or None when there is none that can be read."""
    start = position + HEAD_BYTES
    if start > len(data):
        return None
    mark, kind, flags, name_length, length, written_ms = _HEAD.unpack_from(data, position)
    end = start + length
    if mark != MARK or end > len(data):
        return None
    view = memoryview(data)
    crc = zlib.crc32(view[start:end], zlib.crc32(view[position + len(MARK) : position + _HEAD.size]))
    if crc != _CRC.unpack_from(data, position + _HEAD.size)[0]:
        return None
    if kind == RECORD and name_length <= length:
        name = str(view[start : start + name_length], "ascii", "replace")
        return RecordFrame(position, end - position, name, start + name_length, bool(flags & _REVIEWED), written_ms)
    if kind == ACKNOWLEDGEMENT and length % 8 == 0:
        offsets = struct.unpack_from(f"<{length // 8}Q", data, start)
        return AcknowledgementFrame(position, end - position, offsets)
    # Whole, and of a kind that only a later version knows.
    return AcknowledgementFrame(position, end - position, ())


def is_of_another_version(data: bytes) -> bool:
    """Whether a later version of this package wrote the file, so that it is not ours to judge."""
    if data.startswith(HEADER) or not data.startswith(HEADER_START):
        return False
    # A header with a flipped bit looks the same, but then our frames can be read.
    return not any(isinstance(frame, RecordFrame) for frame in scan(data))
