"""What type checkers see of `@reflect_trace`: the function without its context, returning what its caller gets."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from typing import Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.result import TraceResult

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")
Y = TypeVar("Y")


# Gives the task of a call, from its arguments. Spelled so that checkers know the type of a lambda's argument.
TaskOf: TypeAlias = "Callable[Concatenate[Any, ...], str] | Callable[[], str]"


class WithContext(Protocol):
    """Takes the context out of the signature. The output of a `TraceResult` may be anything."""

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
    """Leaves the signature as it is."""

    @overload
    def __call__(
        self, function: Callable[P, Coroutine[Any, Any, TraceResult]], /
    ) -> Callable[P, Coroutine[Any, Any, Any]]: ...
    @overload
    def __call__(self, function: Callable[P, TraceResult], /) -> Callable[P, Any]: ...
    @overload
    def __call__(self, function: Callable[P, R], /) -> Callable[P, R]: ...
