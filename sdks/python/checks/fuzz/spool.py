"""Fuzz target: spool files, as a power failure or another version of the package leaves them.

`just fuzz` runs it with the targets in Rust and reads its line. The settings are environment variables, as for
those: REFLECT_FUZZ_CASES, REFLECT_FUZZ_SEED, REFLECT_FUZZ_CASE for one case, REFLECT_FUZZ_MUTANT. The kept inputs are
those of the target `spool`, so both readers of the format are tested with them.
"""

from __future__ import annotations

import importlib.util
import os
import random
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[4]
CORPUS = ROOT / "bench" / "fuzz" / "corpus" / "spool"
FRAMES = ROOT / "sdks" / "python" / "src" / "reflect_sdk" / "_delivery" / "frames.py"
NAME = "python-spool"
MUTANT = "python-unchecked-crc"
# Of one case with some ten kilobytes.
LONGEST_SECONDS = 0.5


def load() -> ModuleType:
    """The module alone: the package would import its dependencies."""
    spec = importlib.util.spec_from_file_location("frames", FRAMES)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["frames"] = module
    spec.loader.exec_module(module)
    return module


def whole(frames: ModuleType, data: bytes) -> list[tuple[int, bytes, int]]:
    """The records that are whole: where they begin, what they hold and when they were written."""
    found = []
    for frame in frames.scan(data):
        if isinstance(frame, frames.RecordFrame):
            body = data[frame.body_at : frame.offset + frame.length]
            found.append((frame.offset, body, frame.written_ms))
    return found


def check(frames: ModuleType, data: bytes) -> None:
    """What must hold for any file."""
    end = len(frames.HEADER) if data.startswith(frames.HEADER) else 0
    for frame in frames.scan(data):
        assert frame.offset == end, f"{frame} does not begin where the one before ends"
        assert frame.length > 0, f"{frame} is empty"
        end = frame.offset + frame.length
    assert end == len(data), f"{len(data) - end} bytes were not read"

    records = whole(frames, data)
    for offset, body, _ in records:
        assert data[offset : offset + len(frames.MARK)] == frames.MARK
        # A damaged bit must not reach a server: the checksum covers the body.
        if body:
            at = offset + frames.HEAD_BYTES
            changed = bytearray(data)
            changed[at] ^= 1
            kept = [one[0] for one in whole(frames, bytes(changed))]
            assert offset not in kept, "a record with a wrong checksum was read"
            break
    if frames.is_of_another_version(data):
        assert not records, "records of another version were read"

    written = bytearray(frames.HEADER)
    offsets = []
    for _, body, written_ms in records:
        offsets.append(len(written))
        written += frames.record_head("t", body, reviewed=False, written_ms=written_ms) + body
    again = [(body, written_ms) for _, body, written_ms in whole(frames, bytes(written))]
    assert again == [(body, written_ms) for _, body, written_ms in records], "written and read again"
    written += frames.encode_acknowledgement(offsets, written_ms=1)
    last = list(frames.scan(bytes(written)))[-1]
    assert isinstance(last, frames.AcknowledgementFrame) and list(last.acknowledged) == offsets


def generate(frames: ModuleType, source: random.Random, kept: list[bytes]) -> bytes:
    """A file of frames, parts of which were not written or were written wrongly; or a kept one with changes."""
    if kept and source.randrange(3) == 0:
        data = bytearray(source.choice(kept))
        for _ in range(source.randrange(1, 5)):
            at = source.randrange(len(data) + 1)
            match source.randrange(4):
                case 0:
                    del data[at : at + source.randrange(40)]
                case 1:
                    data[at:at] = source.randbytes(source.randrange(8))
                case 2:
                    data[at:at] = source.choice(kept)[: source.randrange(80)]
                case _ if at < len(data):
                    data[at] ^= 1 << source.randrange(8)
        return bytes(data)
    data = bytearray(source.choice([frames.HEADER, frames.HEADER, frames.HEADER, b"reflect-spool 2\n", b""]))
    offsets = [0]
    for _ in range(source.randrange(6)):
        at = len(data)
        match source.randrange(6):
            case 0:
                data += frames.encode_acknowledgement([source.choice(offsets)], written_ms=source.randrange(1 << 63))
            case 1:
                data += source.choice([frames.MARK, b"{", source.randbytes(source.randrange(60))])
            case _:
                offsets.append(at)
                body = source.randbytes(source.randrange(60))
                name = "0" * source.randrange(40)
                data += frames.record_head(name, body, reviewed=source.random() < 0.5, written_ms=at) + body
        if source.randrange(6) == 0 and len(data) > at:
            place = source.randrange(at, len(data))
            if source.random() < 0.5:
                del data[place:]
            else:
                data[place] ^= 1 << source.randrange(8)
    return bytes(data)


def cases(
    frames: ModuleType, kept: list[bytes], count: int, seed: int, only: str | None
) -> Iterator[tuple[str, bytes]]:
    """The kept inputs and the generated ones, with their names."""
    for at, data in enumerate(kept):
        yield f"kept input {at}", data
    for case in range(count) if only is None else [int(only)]:
        yield f"case {case}", generate(frames, random.Random(f"{seed}:{case}"), kept)


def plant(frames: ModuleType) -> None:
    """A reader that believes damaged frames."""
    original: Callable[[bytes, int], object] = frames.frame_at

    def unchecked(data: bytes, position: int) -> object:
        found = original(data, position)
        start = position + frames.HEAD_BYTES
        if found is not None or data[position : position + 4] != frames.MARK or start > len(data):
            return found
        _, kind, _, name_length, length, written_ms = frames._HEAD.unpack_from(data, position)
        if kind != frames.RECORD or name_length > length or start + length > len(data):
            return None
        return frames.RecordFrame(position, start + length - position, "", start + name_length, False, written_ms)

    frames.frame_at = unchecked


def main() -> int:
    """Runs the target."""
    count, seed = int(os.environ.get("REFLECT_FUZZ_CASES", "200")), int(os.environ.get("REFLECT_FUZZ_SEED", "1"))
    frames, mutant = load(), os.environ.get("REFLECT_FUZZ_MUTANT")
    kept = [path.read_bytes() for path in sorted(CORPUS.glob("*"))]
    if mutant == MUTANT:
        plant(frames)
    start = time.monotonic()
    for name, data in cases(frames, kept, count, seed, os.environ.get("REFLECT_FUZZ_CASE")):
        began = time.thread_time()
        try:
            check(frames, data)
            assert time.thread_time() - began < LONGEST_SECONDS, f"it took {time.thread_time() - began:.1f} s"
        except Exception as error:
            if mutant == MUTANT:
                print(f"fuzz mutant {mutant}: caught by {NAME} with {name}: {error}")
                return 0
            print(f"fuzz target {NAME}: {name} fails: {error!r}\ninput: {data!r}")
            print(f"repeat with REFLECT_FUZZ_SEED={seed} REFLECT_FUZZ_CASE={name.removeprefix('case ')}")
            return 1
    if mutant == MUTANT:
        print(f"fuzz mutant {mutant}: not caught by {NAME}")
        return 1
    seconds = time.monotonic() - start
    print(f"fuzz target {NAME}: {count} cases, {len(kept)} kept, seed {seed}, {seconds:.1f} s, mutants [{MUTANT}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
