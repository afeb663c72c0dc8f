"""The parameter `limit` of the calls that return lists, and its older names."""

from __future__ import annotations

import warnings
from typing import TypeVar

from reflect_sdk.errors import TruncatedResultWarning

T = TypeVar("T")


def renamed(call: str, old: str, value: int | None, new: str, default: int) -> int:
    """The value of a parameter that may be passed under its old name, with a warning."""
    if value is None:
        return default
    warnings.warn(f"{call}: {old} is deprecated; pass {new}.", DeprecationWarning, stacklevel=3)
    return value


def cut(what: str, found: list[T], limit: int, *, more: bool) -> list[T]:
    """The first entries; warns if there are more."""
    if more or len(found) > limit:
        warnings.warn(
            f"There are more than {limit} {what}; the list is truncated. Use iter_{what}() to read all.",
            TruncatedResultWarning,
            stacklevel=3,
        )
    return found[:limit]
