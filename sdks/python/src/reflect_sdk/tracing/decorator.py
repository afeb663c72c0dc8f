"""`@reflect_trace`: a function as a run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import aclosing
from typing import Any, Literal, overload

from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.runs import RunCalls
from reflect_sdk.errors import ConfigurationError
from reflect_sdk.tracing.block import AsyncTraceBlock, TraceBlock
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.outcome import keep_chunks, keep_outcome
from reflect_sdk.tracing.signature import TaskOf, WithContext, WithoutContext
from reflect_sdk.tracing.streams import streamed, streamed_async


@overload
def reflect_trace(
    client: BaseClient,
    *,
    task: str | TaskOf | None = None,
    limit: int = 10,
    lambda_: float | None = None,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: Literal[True] = True,
    **options: Any,
) -> WithContext: ...


@overload
def reflect_trace(
    client: BaseClient,
    *,
    task: str | TaskOf | None = None,
    limit: int = 10,
    lambda_: float | None = None,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: bool,
    **options: Any,
) -> WithoutContext: ...


def reflect_trace(
    client: BaseClient,
    *,
    task: str | TaskOf | None = None,
    limit: int = 10,
    lambda_: float | None = None,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: bool = True,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Records every call of a function as a run.

    Memories are retrieved, the function runs with a `TraceContext` as its first argument (after `self` or `cls`),
    and the trace is stored. Functions, methods, coroutines, generators and asynchronous generators are supported.

    If the function returns a `TraceResult`, its fields are stored and the caller gets its `output`. A returned `str`
    is both trajectory and response. The strings that a generator yields are joined to the response. Other values
    are stored as JSON. For None, a trace is stored only if messages were captured or `ctx.set_output` was called.

    Args:
        client: A `ReflectClient`; asynchronous functions also accept an `AsyncReflectClient`.
        task: The task, or a function that computes it from the arguments, or None for the first argument. If it is
            empty, the task is the name of the function.
        limit: The maximum number of memories, 1 to 100.
        lambda_: The weight of utility against similarity: 0 is similarity only, 1 is utility only; the
            project's weight when absent.
        blocking: Wait until the review has become a memory before returning.
        auto_fail_on_exception: Store a run that ends with an exception as failed, with its text as feedback.
        inject_context: Whether the function gets the context as an argument. `current_trace()` always returns it.
        options: Further arguments of `client.trace`, such as `metadata_filter`.

    Example:
        @reflect_trace(client, task=lambda question: question)
        def answer(ctx: TraceContext, question: str) -> TraceResult:
            reply = my_llm(ctx.augmented_task)
            return TraceResult(output=reply, trajectory=[{"role": "assistant", "content": reply}], result="pass")
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        traced = _TracedFunction(
            client,
            function,
            task,
            inject_context,
            {
                "limit": limit,
                "lambda_": lambda_,
                "blocking": blocking,
                "auto_fail_on_exception": auto_fail_on_exception,
                **options,
            },
        )
        asynchronous = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
        if not asynchronous and not isinstance(client, RunCalls):
            raise ConfigurationError(
                f"{function.__qualname__} is a synchronous function, but the client is asynchronous.",
                hint="Decorate an `async def`, or use a ReflectClient.",
            )
        if inspect.isasyncgenfunction(function):
            return _async_generator(traced, function)
        if inspect.iscoroutinefunction(function):
            return _coroutine(traced, function)
        if inspect.isgeneratorfunction(function):
            return _generator(traced, function)
        return _plain(traced, function)

    return decorate


class _TracedFunction:
    """A decorated function with its options."""

    def __init__(
        self,
        client: BaseClient,
        function: Callable[..., Any],
        task: str | TaskOf | None,
        inject_context: bool,
        options: Mapping[str, Any],
    ) -> None:
        self._client = client
        self._options = options
        self._task = task
        self._inject = inject_context
        self._function = function
        # `self` or `cls` comes first and is not the task.
        names = list(inspect.signature(function).parameters)
        self._bound = 1 if names and names[0] in ("self", "cls") else 0

    def block(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TraceBlock:
        """The trace block of one call."""
        client = self._client
        assert isinstance(client, RunCalls)  # checked when the function was decorated
        return client.trace(self._task_of(args, kwargs), **self._options)

    def block_async(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> AsyncTraceBlock:
        """The same for asynchronous code."""
        return RunCalls.trace_async(self._client, self._task_of(args, kwargs), **self._options)

    def _task_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        # An empty input must not stop the function, so its name is the task then.
        task = self._given_task(args[self._bound :], kwargs)
        return task if task.strip() else getattr(self._function, "__qualname__", "run")

    def _given_task(self, given: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        if isinstance(self._task, str):
            return self._task
        if callable(self._task):
            return str(self._task(*given, **kwargs))
        if given:
            return str(given[0])
        return str(next(iter(kwargs.values()), ""))

    def arguments(self, context: TraceContext, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments for the function, including the context."""
        if not self._inject:
            return args
        return (*args[: self._bound], context, *args[self._bound :])


def _signed(traced: _TracedFunction, wrapper: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The wrapper with the signature that callers see: without the context parameter."""
    functools.update_wrapper(wrapper, function)
    signature = inspect.signature(function)
    if traced._inject:  # pyright: ignore[reportPrivateUsage]
        at = traced._bound  # pyright: ignore[reportPrivateUsage]
        parameters = list(signature.parameters.values())
        if len(parameters) > at and parameters[at].kind is not inspect.Parameter.VAR_POSITIONAL:
            del parameters[at]
        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return wrapper


def _plain(traced: _TracedFunction, function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with traced.block(args, kwargs) as context:
            return keep_outcome(context, function(*traced.arguments(context, args), **kwargs))

    return _signed(traced, wrapper, function)


def _coroutine(traced: _TracedFunction, function: Callable[..., Any]) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        async with traced.block_async(args, kwargs) as context:
            return keep_outcome(context, await function(*traced.arguments(context, args), **kwargs))

    return _signed(traced, wrapper, function)


def _generator(traced: _TracedFunction, function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with traced.block(args, kwargs).without_current() as context:
            inner = function(*traced.arguments(context, args), **kwargs)
            chunks: list[Any] = []
            try:
                result = yield from streamed(inner, chunks, context)
            except GeneratorExit:
                keep_chunks(context, chunks, None)
                raise
            return keep_chunks(context, chunks, result)

    return _signed(traced, wrapper, function)


def _async_generator(traced: _TracedFunction, function: Callable[..., Any]) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        async with traced.block_async(args, kwargs).without_current() as context:
            inner = function(*traced.arguments(context, args), **kwargs)
            chunks: list[Any] = []
            try:
                async with aclosing(streamed_async(inner, chunks, context)) as stream:
                    async for value in stream:
                        yield value
            except GeneratorExit:
                keep_chunks(context, chunks, None)
                raise
            keep_chunks(context, chunks, None)

    return _signed(traced, wrapper, function)
