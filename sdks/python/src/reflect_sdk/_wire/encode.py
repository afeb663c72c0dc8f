"""Encodes user data as JSON: fast for plain data, and without exceptions for all other values.

A run must not be lost because one of its messages contains a date, a Pydantic object or a NaN.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from reflect_sdk._type_guards import is_collection, is_mapping

# Deeper than real messages; the server rejects a depth of 128.
MAX_DEPTH = 100


def encode(value: object) -> bytes:
    """Compact UTF-8 JSON of anything."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        plain = jsonable(value)
        return json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def jsonable(value: object, around: tuple[int, ...] = ()) -> Any:
    """Converts a value to plain data: objects with `model_dump`, dates in ISO format, other values with `repr`.

    `around` has the ids of the enclosing containers, to stop at cycles.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, bytes | bytearray):
        return value.decode("utf-8", "replace")
    if len(around) >= MAX_DEPTH or id(value) in around:
        return "…"
    around = (*around, id(value))
    if is_mapping(value):
        return {str(key): jsonable(entry, around) for key, entry in value.items()}
    if is_collection(value):
        return [jsonable(entry, around) for entry in value]
    return _described(value, around)


def _described(value: object, around: tuple[int, ...]) -> Any:
    for name in ("model_dump", "to_dict", "isoformat"):
        method: Callable[[], object] | None = None if isinstance(value, type) else getattr(value, name, None)
        if callable(method):
            try:
                return jsonable(method(), around)
            except Exception:
                # A method of the user's class may raise anything; the run is stored in any case.
                continue
    names = [] if isinstance(value, type) else getattr(value, "__dataclass_fields__", [])
    if names:
        return jsonable({name: getattr(value, name, None) for name in names}, around)
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"
