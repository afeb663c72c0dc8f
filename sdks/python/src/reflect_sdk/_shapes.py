"""Asking what a value from outside is, in a way that type checkers follow."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, TypeGuard


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether it is a list, of whatever."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether it is an object of JSON."""
    return isinstance(value, dict)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Whether it maps keys of any kind."""
    return isinstance(value, Mapping)


def is_several(value: object) -> TypeGuard[Iterable[Any]]:
    """Whether it is one of the ordinary collections; a text is not."""
    return isinstance(value, list | tuple | set | frozenset | deque)
