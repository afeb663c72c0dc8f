"""The format of a segment file.

A segment is a header line and then frames. A frame is a head of 24 bytes and a payload:

    mark (4)  kind (1)  flags (1)  length of the trace id (2)  length of the payload (4)
    time in ms (8)  CRC-32 of everything but mark and itself (4)

The payload of a record is its trace id and its body. The payload of an acknowledgement is the offsets
of the frames that were sent. The mark contains bytes that are invalid in UTF-8, so it does not occur in a
body. After a damaged section, a search for the mark finds the next frame.
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
    """The offset of the body; it ends at the end of the frame."""
    reviewed: bool
    written_ms: int


class AcknowledgementFrame(NamedTuple):
    """The offsets of records that were sent."""

    offset: int
    length: int
    acknowledged: tuple[int, ...]


class Damage(NamedTuple):
    """A section that cannot be read."""

    offset: int
    length: int
    at_end: bool
    """Nothing readable follows: most likely an incomplete write."""


def record_head(trace_id: str, body: bytes, *, reviewed: bool, written_ms: int) -> bytes:
    """The head of a frame; head and body are the frame. Returned without the body to avoid a copy."""
    name = trace_id.encode("ascii")
    head = _HEAD.pack(MARK, RECORD, _REVIEWED if reviewed else 0, len(name), len(name) + len(body), written_ms)
    crc = zlib.crc32(body, zlib.crc32(name, zlib.crc32(head[len(MARK) :])))
    return head + _CRC.pack(crc) + name


def encode_acknowledgement(offsets: Iterable[int], *, written_ms: int) -> bytes:
    """Encodes an acknowledgement frame."""
    payload = b"".join(offset.to_bytes(8, "little") for offset in offsets)
    head = _HEAD.pack(MARK, ACKNOWLEDGEMENT, 0, 0, len(payload), written_ms)
    crc = zlib.crc32(payload, zlib.crc32(head[len(MARK) :]))
    return b"".join((head, _CRC.pack(crc), payload))


def scan(data: bytes) -> Iterator[RecordFrame | AcknowledgementFrame | Damage]:
    """All frames and damaged sections of a segment file, in order. Never raises."""
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
        # Do not skip by the length in the head, because the length may be damaged.
        following = data.find(MARK, position + 1)
        position = len(data) if following < 0 else following
    if broken_at is not None:
        yield Damage(broken_at, len(data) - broken_at, at_end=True)


def frame_at(data: bytes, position: int) -> RecordFrame | AcknowledgementFrame | None:
    """The frame at this position, or None if it cannot be read."""
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
    # A valid frame of a kind that a later version added.
    return AcknowledgementFrame(position, end - position, ())


def is_of_another_version(data: bytes) -> bool:
    """Whether a later version of this package wrote the file. This version must not process it."""
    if data.startswith(HEADER) or not data.startswith(HEADER_START):
        return False
    # A damaged header looks the same, but then our frames are readable.
    return not any(isinstance(frame, RecordFrame) for frame in scan(data))
