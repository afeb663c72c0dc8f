"""Runs: a block and a decorated function are functions that the client runs, a decorated coroutine uses a run
that its caller ends."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from types import TracebackType
from typing import TYPE_CHECKING, Any

from reflect_sdk.models import AugmentedTask

if TYPE_CHECKING:
    from reflect_sdk.client import ReflectClient


@dataclass
class TraceResult:
    """The return type of decorated functions."""

    output: Any
    trajectory: list[dict[str, Any]]
    result: str | None = None
    feedback_text: str | None = None
    model: str | None = None


class TraceContext:
    """A run, from the beginning of its function to the end."""

    def __init__(self, client: ReflectClient, query: dict[str, Any], *, begin: str = "traced") -> None:
        self._client, self._query, self._begin = client, query, begin
        self.trace_id: str | None = None

    def __enter__(self) -> TraceContext:
        self.given = AugmentedTask(self._client.call(self._begin, **self._query))
        self.task: str = self.given.task
        self.augmented_task: str = self.given.augmented_task
        self.memory_ids: list[str] = [memory.id for memory in self.given.memories]
        return self

    def set_output(self, **output: Any) -> None:
        """Sets the output of a run that has not ended."""
        self._client.call("set_output", run=self.given.trace_id, output=outcome(**output))

    def finish(self, **output: Any) -> None:
        """Ends a run."""
        self.trace_id = self._client.call("finish", run=self.given.trace_id, output=outcome(**output))

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        error = None if raised is None else str(raised)
        given = self._client.call("return", run=self.given.trace_id, error=error)
        assert given["error"] == error, f"traced gave {given['error']!r} back, not {error!r}"
        # Available to the cases from here on; other clients have it from the start.
        self.trace_id = self.given.trace_id


def outcome(
    *,
    text: str | None = None,
    trajectory: list[dict[str, Any]] | None = None,
    result: str | None = None,
    feedback_text: str | None = None,
    model: str | None = None,
) -> dict[str, Any]:
    """The output of a run."""
    review = {"result": result, "feedback": feedback_text}
    return {
        "text": text,
        "trajectory": trajectory,
        "review": review if result is not None else None,
        "model": model,
    }


def reflect_trace(
    client: ReflectClient, *, task: Callable[..., str] | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Runs a function as a trace; the task is its first argument, or computed by `task`."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        def begun(arguments: tuple[Any, ...], begin: str) -> TraceContext:
            said = arguments[0] if task is None else task(*arguments)
            return TraceContext(client, {"task": said}, begin=begin)

        @wraps(function)
        def closure(*arguments: Any) -> Any:
            with begun(arguments, "traced") as ctx:
                returned = function(ctx, *arguments)
                ctx.set_output(**output_of(returned))
            return returned.output if isinstance(returned, TraceResult) else returned

        @wraps(function)
        async def holder(*arguments: Any) -> Any:
            ctx = begun(arguments, "run").__enter__()
            returned = await function(ctx, *arguments)
            ctx.finish(**output_of(returned))
            return returned.output if isinstance(returned, TraceResult) else returned

        return holder if inspect.iscoroutinefunction(function) else closure

    return decorate


def output_of(returned: TraceResult | str) -> dict[str, Any]:
    """Converts the return value of a decorated function; a string is an `Output::text`."""
    if isinstance(returned, str):
        return {"text": returned}
    return {name: value for name, value in vars(returned).items() if name != "output"}
