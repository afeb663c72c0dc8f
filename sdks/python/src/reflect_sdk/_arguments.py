"""Checks arguments before anything is sent, so that the traceback points to the caller's mistake."""

from __future__ import annotations

import difflib
import functools
import inspect
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, ParamSpec, TypeVar, cast

from reflect_sdk.errors import InvalidArgumentError, UnknownFieldError

P = ParamSpec("P")
R = TypeVar("R")

# How similar a name must be to be suggested: `reviw` and `review_result` have 0.56.
_SIMILAR = 0.5


def require_text(call: str, name: str, value: object) -> str:
    """The value, if it is a text that is not blank."""
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{call}: {name} must be text, not {type(value).__name__}.")
    if not value.strip():
        raise InvalidArgumentError(f"{call}: {name} is empty.", hint=f"Pass a text with at least one word as {name}.")
    return value


def require_trajectory(call: str, value: object) -> None:
    """Raises `InvalidArgumentError` for a trajectory that is neither messages nor text."""
    # Bytes are a sequence too, but of numbers.
    if isinstance(value, Sequence | Mapping | deque | Iterator) and not isinstance(value, bytes | bytearray):
        return
    raise InvalidArgumentError(
        f"{call}: trajectory must be a list of messages or a text, not {type(value).__name__}.",
        hint='Pass for example [{"role": "assistant", "content": "..."}]; reflect_sdk.converters has functions for '
        "the results of agent frameworks.",
    )


def require_result_for(call: str, result_name: str, result: str | None, feedback_text: str | None) -> None:
    """Raises `InvalidArgumentError` for feedback without a result: the server stores feedback only in a review."""
    if result is None and feedback_text:
        raise InvalidArgumentError(
            f"{call}: feedback_text is given without {result_name}, so it would be lost.",
            hint=f'Pass {result_name}="pass" or "fail" too.',
        )


def unknown_field(what: str, name: str, known: Iterable[str]) -> UnknownFieldError:
    """The error for an unknown name, with the name that was probably meant."""
    names = list(known)
    similar = difflib.get_close_matches(str(name), names, 1, _SIMILAR)
    hint = f"Did you mean {similar[0]!r}?" if similar else f"Known names: {', '.join(names)}."
    return UnknownFieldError(f"{what} {name!r}.", hint=hint)


def named_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Rejects unknown keyword arguments with a message that has the correct name.

    Used for the calls that carry a review: a misspelled argument must not look like a missing feature.
    """
    parameters = list(inspect.signature(function).parameters.values())[1:]
    known = [parameter.name for parameter in parameters]
    accepted = frozenset(known)

    def check(given: Mapping[str, Any]) -> None:
        for name in given:
            if name not in accepted:
                raise unknown_field(f"{function.__name__} has no argument", name, known)

    if inspect.iscoroutinefunction(function):
        awaited = cast("Callable[..., Any]", function)

        @functools.wraps(function)
        async def checked_async(*args: Any, **kwargs: Any) -> Any:
            check(kwargs)
            return await awaited(*args, **kwargs)

        return cast("Callable[P, R]", checked_async)

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        check(kwargs)
        return function(*args, **kwargs)

    return checked
