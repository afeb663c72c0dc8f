"""Trace ids. The client creates them, so a run has its id before it is sent."""

from __future__ import annotations

import os
import time
from uuid import UUID


def new_trace_id() -> str:
    """A UUID version 7: the current time in milliseconds, then 74 random bits."""
    milliseconds = time.time_ns() // 1_000_000
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & ((1 << 48) - 1)) << 80
    value |= 0x7 << 76 | (random >> 68) << 64
    value |= 0b10 << 62 | (random & ((1 << 62) - 1))
    return str(UUID(int=value))
