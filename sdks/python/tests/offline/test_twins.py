"""Every public blocking call has its awaited twin with the same signature, in both clients."""

from __future__ import annotations

import inspect
from typing import Any

from reflect_sdk import AsyncReflectClient, ReflectClient

# Not calls of their own: what the client is, and how it is used as a block.
ATTRIBUTES = {"base_url", "project_id", "delivery"}


def calls(cls: type) -> dict[str, Any]:
    return {name: value for name, value in inspect.getmembers(cls) if not name.startswith("_") and callable(value)}


def shape(function: Any) -> list[tuple[str, Any, Any, Any]]:
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, p.kind, p.default, p.annotation) for p in parameters if p.name != "self"]


def test_every_call_has_its_twin() -> None:
    blocking = {name: call for name, call in calls(ReflectClient).items() if not name.endswith("_async")}
    assert len(blocking) >= 28
    for name, call in blocking.items():
        twin = getattr(ReflectClient, f"{name}_async", None)
        assert twin is not None, f"{name} has no twin"
        assert shape(call) == shape(twin), f"{name} and its twin differ"
        alone = getattr(AsyncReflectClient, name, None)
        assert alone is not None, f"AsyncReflectClient lacks {name}"
        assert shape(call) == shape(alone), f"{name} differs in AsyncReflectClient"
        assert inspect.getdoc(call), f"{name} has no docstring"


def test_nothing_awaited_is_without_a_blocking_call() -> None:
    names = calls(ReflectClient)
    for name in names:
        if name.endswith("_async"):
            assert name.removesuffix("_async") in names
    assert set(calls(AsyncReflectClient)) == {name for name in names if not name.endswith("_async")}


def test_awaited_calls_are_awaitable() -> None:
    for name, call in calls(ReflectClient).items():
        if name.endswith("_async") and name != "trace_async":
            assert inspect.iscoroutinefunction(call) or inspect.isasyncgenfunction(call), name


def test_documented_defaults() -> None:
    def default(function: Any, name: str) -> Any:
        return inspect.signature(function).parameters[name].default

    for call in (ReflectClient.trace, ReflectClient.augment_with_memories, ReflectClient.query_memories):
        assert (default(call, "limit"), default(call, "lambda_")) == (10, None)
    assert (default(ReflectClient.trace, "blocking"), default(ReflectClient.trace, "auto_fail_on_exception")) == (
        False,
        True,
    )
    for call in (ReflectClient.create_trace_and_wait, ReflectClient.wait_for_trace):
        assert (default(call, "poll_interval"), default(call, "wait_timeout")) == (0.25, 60.0)
    assert default(ReflectClient.wait_for_trace, "require_reviewed") is False
    assert default(ReflectClient.create_trace, "retrieved_memory_ids") == ()
