"""Type guards for untyped values."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether it is a list."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether it is a JSON object."""
    return isinstance(value, dict)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it is a mapping."""
    return isinstance(value, Mapping)


def is_collection(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether it is a list, tuple, set or deque; a string is not."""
    return isinstance(value, list | tuple | set | frozenset | deque)
