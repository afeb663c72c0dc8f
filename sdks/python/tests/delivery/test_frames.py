from __future__ import annotations

import random

import pytest

from reflect_sdk._delivery import frames
from reflect_sdk._delivery.folder import waiting_records


def build(seed: int, count: int = 12) -> tuple[bytes, list[tuple[int, str, bytes]]]:
    """A segment with records of many sizes; where each begins, its id and its body."""
    lot = random.Random(seed)
    data, records = frames.HEADER, []
    for number in range(count):
        # Text with every kind of UTF-8, so that bodies are as close to the mark as they can be.
        letters = [chr(lot.choice((0x41, 0xE9, 0x20AC, 0x1F600, 0x10FFFF))) for _ in range(lot.choice((0, 3, 700)))]
        body = "".join(letters).encode()
        trace_id = f"trace-{seed}-{number}"
        records.append((len(data), trace_id, body))
        data += frames.record_head(trace_id, body, reviewed=number % 2 == 0, written_ms=1000 + number) + body
    return data, records


def found(data: bytes) -> list[tuple[int, str, bytes]]:
    return [
        (frame.offset, frame.trace_id, data[frame.body_at : frame.offset + frame.length])
        for frame in frames.scan(data)
        if isinstance(frame, frames.RecordFrame)
    ]


def damage(data: bytes) -> list[frames.Damage]:
    return [frame for frame in frames.scan(data) if isinstance(frame, frames.Damage)]


def test_what_was_written_is_read() -> None:
    data, records = build(1)
    assert found(data) == records
    assert damage(data) == []
    read = [frame for frame in frames.scan(data) if isinstance(frame, frames.RecordFrame)]
    assert [frame.reviewed for frame in read] == [number % 2 == 0 for number in range(12)]
    assert [frame.written_ms for frame in read] == list(range(1000, 1012))


def test_the_mark_is_in_no_text() -> None:
    with pytest.raises(UnicodeDecodeError):
        frames.MARK.decode()
    assert not any(frames.MARK[:1] in chr(point).encode() for point in (0x7F, 0x7FF, 0xFFFF, 0x10FFFF))


@pytest.mark.parametrize("seed", range(20))
def test_a_torn_tail_costs_the_last_record_only(seed: int) -> None:
    data, records = build(seed)
    for cut in random.Random(seed).sample(range(len(frames.HEADER), len(data)), 60):
        torn = data[:cut]
        whole = [one for one in records if one[0] + frames.HEAD_BYTES + len(one[1]) + len(one[2]) <= cut]
        assert found(torn) == whole
        assert all(piece.at_end for piece in damage(torn))
        end = (
            whole[-1][0] + frames.HEAD_BYTES + len(whole[-1][1]) + len(whole[-1][2]) if whole else len(frames.HEADER)
        )
        assert sum(piece.length for piece in damage(torn)) == cut - end


@pytest.mark.parametrize("seed", range(20))
def test_a_flipped_bit_costs_one_record_at_most(seed: int) -> None:
    data, records = build(seed)
    lot = random.Random(seed)
    for _ in range(80):
        at = lot.randrange(len(data))
        broken = bytearray(data)
        broken[at] ^= 1 << lot.randrange(8)
        survivors = found(bytes(broken))
        hit = [one for one in records if one not in survivors]
        assert len(hit) <= 1
        assert [one for one in records if one not in hit] == survivors
        if at >= len(frames.HEADER):
            assert len(hit) == 1
            assert len(damage(bytes(broken))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_hole_or_rubbish_costs_what_it_touches(seed: int) -> None:
    data, records = build(seed)
    lot = random.Random(seed)
    first, last = sorted(lot.sample(range(len(frames.HEADER), len(data)), 2))
    zeros = data[:first] + bytes(last - first) + data[last:]
    untouched = [
        one for one in records if one[0] + frames.HEAD_BYTES + len(one[1]) + len(one[2]) <= first or one[0] >= last
    ]
    assert set(untouched) <= set(found(zeros)) <= set(records)
    between = data[: records[5][0]] + lot.randbytes(500) + data[records[5][0] :]
    assert [one[1:] for one in found(between)] == [one[1:] for one in records]
    # Nothing that is no segment makes the reader raise.
    assert found(lot.randbytes(5000)) == []


def test_acknowledged_records_do_not_wait() -> None:
    data, records = build(3)
    data += frames.encode_acknowledgement([records[0][0], records[7][0]], written_ms=1)
    waiting, broken = waiting_records(data)
    assert [record.trace_id for record in waiting] == [one[1] for n, one in enumerate(records) if n not in (0, 7)]
    assert broken == []


def test_a_segment_of_a_later_version_is_left_alone() -> None:
    data, _ = build(4)
    assert not frames.is_of_another_version(data)
    assert frames.is_of_another_version(b"reflect-spool 2\nwhatever it may be")
    # A bit that flipped in the header is no other version: the frames can be read.
    assert not frames.is_of_another_version(b"reflect-spool 3\n" + data[len(frames.HEADER) :])
    assert not frames.is_of_another_version(b"")


def test_a_kind_of_frame_that_is_not_known_is_passed_over() -> None:
    frame = bytearray(frames.encode_acknowledgement([1], written_ms=1))
    frame[4] = 9
    import struct
    import zlib

    frame[20:24] = struct.pack("<I", zlib.crc32(bytes(frame[24:]), zlib.crc32(bytes(frame[4:20]))))
    data, records = build(5)
    assert found(data + bytes(frame)) == records
    assert damage(data + bytes(frame)) == []
