"""`@reflect_trace`: a function as a run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import aclosing
from typing import Any, Literal, overload

from reflect_sdk._calls.base import Caller
from reflect_sdk._calls.runs import RunCalls
from reflect_sdk.errors import ConfigurationError
from reflect_sdk.tracing.block import AsyncTraceBlock, TraceBlock
from reflect_sdk.tracing.context import TraceContext
from reflect_sdk.tracing.outcome import keep_chunks, keep_outcome
from reflect_sdk.tracing.signature import TaskOf, WithContext, WithoutContext
from reflect_sdk.tracing.streams import streamed, streamed_async


@overload
def reflect_trace(
    client: Caller,
    *,
    task: str | TaskOf | None = None,
    limit: int = 10,
    lambda_: float = 0.5,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: Literal[True] = True,
    **options: Any,
) -> WithContext: ...


@overload
def reflect_trace(
    client: Caller,
    *,
    task: str | TaskOf | None = None,
    limit: int = 10,
    lambda_: float = 0.5,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: bool,
    **options: Any,
) -> WithoutContext: ...


def reflect_trace(
    client: Caller,
    *,
    task: str | TaskOf | None = None,
    limit: int = 10,
    lambda_: float = 0.5,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: bool = True,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Makes every call of a function a run.

    Memories are retrieved, the function runs with a `TraceContext` as its first argument (after `self` or `cls`),
    and the trace is stored. Functions, methods, coroutines, generators and asynchronous generators work alike.

    A `TraceResult` says all about the run, and the caller gets its `output`. A text is trajectory and response in
    one. Of a generator, the text that it yielded is the response. Anything else is stored as JSON; None is
    stored only with what was captured or given to `ctx.set_output`.

    Args:
        client: A `ReflectClient`; for asynchronous functions an `AsyncReflectClient` will do too.
        task: The task; or a function of the arguments that gives it; or None for the first argument.
        limit: The most memories, 1 to 100.
        lambda_: How much utility counts against similarity: 0 is similarity alone, 1 utility alone.
        blocking: Wait until the review has become a memory before returning.
        auto_fail_on_exception: Store a run that ends with an exception as failed, with its text as feedback.
        inject_context: Whether the function gets the context. Without it, `current_trace()` has it.
        options: More arguments of `client.trace`, such as `metadata_filter`.

    Example:
        @reflect_trace(client, task=lambda question: question)
        def answer(ctx: TraceContext, question: str) -> TraceResult:
            reply = my_llm(ctx.augmented_task)
            return TraceResult(output=reply, trajectory=[{"role": "assistant", "content": reply}], result="pass")
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        opening = _Opening(
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
                f"{function.__qualname__} is a plain function and the client an asynchronous one.",
                hint="Decorate an `async def`, or use a ReflectClient.",
            )
        if inspect.isasyncgenfunction(function):
            return _async_generator(opening, function)
        if inspect.iscoroutinefunction(function):
            return _coroutine(opening, function)
        if inspect.isgeneratorfunction(function):
            return _generator(opening, function)
        return _plain(opening, function)

    return decorate


class _Opening:
    """How a decorated function becomes a run."""

    def __init__(
        self,
        client: Caller,
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
        # Bound arguments come first in a call and are none of the task's business.
        names = list(inspect.signature(function).parameters)
        self._bound = 1 if names and names[0] in ("self", "cls") else 0

    def block(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> TraceBlock:
        """The block that one call runs in."""
        client = self._client
        assert isinstance(client, RunCalls)  # checked when the function was decorated
        return client.trace(self._task_of(args, kwargs), **self._options)

    def block_async(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> AsyncTraceBlock:
        """The same for asynchronous code."""
        return RunCalls.trace_async(self._client, self._task_of(args, kwargs), **self._options)

    def _task_of(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> str:
        if isinstance(self._task, str):
            return self._task
        given = args[self._bound :]
        if callable(self._task):
            return str(self._task(*given, **kwargs))
        if given:
            return str(given[0])
        if kwargs:
            return str(next(iter(kwargs.values())))
        return getattr(self._function, "__qualname__", "run")

    def arguments(self, context: TraceContext, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments that the function gets."""
        if not self._inject:
            return args
        return (*args[: self._bound], context, *args[self._bound :])


def _signed(opening: _Opening, wrapper: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """The wrapper, looking to callers as it is called: without the context."""
    functools.update_wrapper(wrapper, function)
    signature = inspect.signature(function)
    if opening._inject:  # pyright: ignore[reportPrivateUsage]
        at = opening._bound  # pyright: ignore[reportPrivateUsage]
        parameters = list(signature.parameters.values())
        if len(parameters) > at and parameters[at].kind is not inspect.Parameter.VAR_POSITIONAL:
            del parameters[at]
        wrapper.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return wrapper


def _plain(opening: _Opening, function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with opening.block(args, kwargs) as context:
            return keep_outcome(context, function(*opening.arguments(context, args), **kwargs))

    return _signed(opening, wrapper, function)


def _coroutine(opening: _Opening, function: Callable[..., Any]) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        async with opening.block_async(args, kwargs) as context:
            return keep_outcome(context, await function(*opening.arguments(context, args), **kwargs))

    return _signed(opening, wrapper, function)


def _generator(opening: _Opening, function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        with opening.block(args, kwargs).aside() as context:
            inner = function(*opening.arguments(context, args), **kwargs)
            chunks: list[Any] = []
            try:
                result = yield from streamed(inner, chunks, context)
            except GeneratorExit:
                keep_chunks(context, chunks, None)
                raise
            return keep_chunks(context, chunks, result)

    return _signed(opening, wrapper, function)


def _async_generator(opening: _Opening, function: Callable[..., Any]) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        async with opening.block_async(args, kwargs).aside() as context:
            inner = function(*opening.arguments(context, args), **kwargs)
            chunks: list[Any] = []
            try:
                async with aclosing(streamed_async(inner, chunks, context)) as stream:
                    async for value in stream:
                        yield value
            except GeneratorExit:
                keep_chunks(context, chunks, None)
                raise
            keep_chunks(context, chunks, None)

    return _signed(opening, wrapper, function)
