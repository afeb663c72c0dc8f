"""The types of `@reflect_trace`: the function without its context parameter, returning the caller's value."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.result import TraceResult

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
Y = TypeVar("Y")


# Computes the task from the arguments of a call. Type checkers infer a lambda's argument from this form.
TaskOf: TypeAlias = "Callable[Concatenate[Any, ...], str] | Callable[[], str]"


class WithContext(Protocol):
    """Removes the context from the signature. The output of a `TraceResult` has any type."""

    @overload
    def __call__(
        self, function: Callable[Concatenate[TraceContext, P], Coroutine[Any, Any, TraceResult]], /
    ) -> Callable[P, Coroutine[Any, Any, Any]]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[TraceContext, P], Coroutine[Any, Any, R]], /
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[TraceContext, P], Generator[Y, Any, Any]], /
    ) -> Callable[P, Generator[Y, Any, Any]]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[TraceContext, P], AsyncGenerator[Y, Any]], /
    ) -> Callable[P, AsyncGenerator[Y, Any]]: ...
    @overload
    def __call__(self, function: Callable[Concatenate[TraceContext, P], TraceResult], /) -> Callable[P, Any]: ...
    @overload
    def __call__(  # type: ignore[overload-overlap]
        self, function: Callable[Concatenate[TraceContext, P], R], /
    ) -> Callable[P, R]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[S, TraceContext, P], Coroutine[Any, Any, TraceResult]], /
    ) -> Callable[Concatenate[S, P], Coroutine[Any, Any, Any]]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[S, TraceContext, P], TraceResult], /
    ) -> Callable[Concatenate[S, P], Any]: ...
    @overload
    def __call__(
        self, function: Callable[Concatenate[S, TraceContext, P], R], /
    ) -> Callable[Concatenate[S, P], R]: ...


class WithoutContext(Protocol):
    """Does not change the parameters."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, TraceResult]], /
    ) -> Callable[P, Coroutine[Any, Any, Any]]: ...
    @overload
    def __call__(self, function: Callable[P, TraceResult], /) -> Callable[P, Any]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...
