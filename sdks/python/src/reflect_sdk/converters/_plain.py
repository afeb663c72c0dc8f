"""Converts framework objects to JSON-compatible data.

Values may be Pydantic objects, typed dicts, exceptions or any return value of a tool. None of them may prevent a
run from being stored.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from typing import Any, TypeGuard, cast

from reflect_sdk._wire.encode import MAX_DEPTH, jsonable

# More objects than a real message has. Limits the expansion of structures with many cycles.
MOST = 100_000

_OPEN = "…"


def read(value: object, name: str) -> Any:
    """A field of a mapping or an object; None if it is missing or cannot be read."""
    if is_mapping(value):
        return value.get(name)
    try:
        return getattr(value, name, None)
    except Exception:
        # A property of another library's class may raise anything.
        return None


def read_text(value: object, name: str) -> str | None:
    """The same, if it is a non-empty string."""
    found = read(value, name)
    return found if isinstance(found, str) and found else None


def plain(value: object) -> Any:
    """Converts to dicts, lists, strings and numbers. Never raises, and stops at cycles."""
    return _plain(value, (), itertools.count())


def fields(value: object) -> dict[str, Any]:
    """The same as a dict; a value that is not an object is stored under `value`."""
    found = plain(value)
    return dict(found) if is_mapping(found) else {"value": found}


def known_fields(value: object) -> dict[str, Any]:
    """The same without empty fields."""
    return {name: entry for name, entry in fields(value).items() if entry is not None}


def as_text(value: object) -> str:
    """A string unchanged, None as an empty string, other values as JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    found = plain(value)
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether it is a mapping."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether it is a sequence but not a string."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview)


def _plain(value: object, around: tuple[int, ...], count: Iterator[int]) -> Any:
    if value is None or isinstance(value, bool | int | str):
        return value
    if len(around) >= MAX_DEPTH or id(value) in around or next(count) > MOST:
        return _OPEN
    inside = (*around, id(value))
    if is_mapping(value):
        return {str(key): _plain(entry, inside, count) for key, entry in value.items()}
    if is_list(value) or isinstance(value, Set):
        return [_plain(entry, inside, count) for entry in cast("Collection[object]", value)]
    dumped = _dumped(value)
    return jsonable(value) if dumped is None else _plain(dumped, inside, count)


def _dumped(value: object) -> Mapping[str, Any] | None:
    dump: Callable[..., object] | None = read(value, "model_dump")
    if isinstance(value, type):
        return None
    if not callable(dump):
        return _own_fields(value) if dataclasses.is_dataclass(value) else None
    try:
        # Frameworks store objects in fields that are declared as strings; Pydantic would warn about it.
        dumped = dump(mode="json", warnings=False)
    except Exception:
        return _own_fields(value)
    return dumped if is_mapping(dumped) else _own_fields(value)


def _own_fields(value: object) -> Mapping[str, Any] | None:
    own = read(value, "__dict__")
    if not is_mapping(own):
        return None
    return {name: entry for name, entry in own.items() if not name.startswith("_")}
