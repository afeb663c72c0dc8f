"""Records runs of Pydantic AI through a capability.

    agent = Agent("anthropic:claude-sonnet-5", capabilities=[ReflectCapability()])
    with reflect.trace("Refund order 1182") as ctx:
        result = agent.run_sync(ctx.task)
        ctx.review("pass")

Needs the package `pydantic-ai` or `pydantic-ai-slim`: `pip install 'reflect-memory-client[pydantic-ai]'`.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from reflect_sdk.capture._call_recording import error_message
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._prompt_memories import memories_for
from reflect_sdk.capture._pydantic_ai_messages import answer_of, request_of
from reflect_sdk.capture._recorder import Recorder, current_recorder
from reflect_sdk.converters._plain import as_text, is_list, read, read_text

try:
    # Type checkers must work without the package.
    from pydantic_ai.capabilities import (  # type: ignore[import-not-found,unused-ignore]
        AbstractCapability,
        CapabilityOrdering,
    )
except ImportError as _missing:
    raise ImportError(
        "Capture for Pydantic AI needs pydantic-ai 2 or newer: pip install 'reflect-memory-client[pydantic-ai]'."
    ) from _missing

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

__all__ = ["ReflectCapability"]

_SOURCE = "pydantic-ai"
# Control flow of the framework. What follows from it is in the next request.
_SIGNALS = frozenset(
    {
        "ApprovalRequired",
        "CallDeferred",
        "ModelRetry",
        "SkipModelRequest",
        "SkipToolExecution",
        "SkipToolValidation",
        "ToolFailed",
        "ToolFailedError",
        "ToolRetryError",
    }
)


class ReflectCapability(AbstractCapability[Any]):  # type: ignore[misc,unused-ignore]
    """Records the model calls and tools of an agent in the current trace, also streamed ones.

    Outside a `trace()` block it does nothing. Realtime sessions are not recorded.

    Args:
        add_memories: Adds the memories of the run to the agent's instructions, unless the conversation contains them.

    Example:
        agent = Agent("anthropic:claude-sonnet-5", capabilities=[ReflectCapability()])
    """

    def __init__(self, *, add_memories: bool = True) -> None:
        self._add_memories = add_memories

    def get_ordering(self) -> Any:
        """Innermost: it sees what other capabilities have changed."""
        return CapabilityOrdering(position="innermost")

    def get_instructions(self) -> Any:
        """The memories of the current run, for each request."""
        return self._memories if self._add_memories else None

    async def before_model_request(self, ctx: Any, request_context: Any) -> Any:
        """Remembers the request as the model receives it."""
        with guarded("reading a request of Pydantic AI"):
            recorder = current_recorder()
            if recorder is not None:
                recorder.begun[_key(ctx)] = request_context
        return request_context

    async def wrap_model_request(
        self, ctx: Any, *, request_context: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Records the new messages of a request, and the answer or the error."""
        recorder = current_recorder()
        if recorder is None:
            return await handler(request_context)
        try:
            response = await handler(request_context)
        except asyncio.CancelledError:
            with guarded("recording a stopped request of Pydantic AI"):
                # The error of a stream is raised where it is read, and stops this task.
                context = recorder.begun.pop(_key(ctx), request_context)
                recorder.begun[_run(ctx)] = recorder.ask(request_of(context))
            raise
        except BaseException as error:
            with guarded("recording a model error of Pydantic AI"):
                if not _is_signal(error):
                    _record(recorder, recorder.begun.pop(_key(ctx), request_context), error)
            raise
        with guarded("recording an answer of Pydantic AI"):
            _record(recorder, recorder.begun.pop(_key(ctx), request_context), response)
        return response

    async def on_run_error(self, ctx: Any, *, error: BaseException) -> Any:
        """Records the error of a streamed answer, and raises it."""
        with guarded("recording a run error of Pydantic AI"):
            recorder = current_recorder()
            conversation = None if recorder is None else recorder.begun.pop(_run(ctx), None)
            if recorder is not None and conversation is not None:
                recorder.answer(conversation, Answer([error_message(error)]), source=_SOURCE)
        raise error

    async def wrap_tool_execute(
        self, ctx: Any, *, call: Any, tool_def: Any, args: Any, handler: Callable[[Any], Awaitable[Any]]
    ) -> Any:
        """Records the result or the error of a tool."""
        try:
            result = await handler(args)
        except BaseException as error:
            with guarded("recording a tool error of Pydantic AI"):
                if not _is_signal(error):
                    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
                    _tool(call, args, said, status="error")
            raise
        with guarded("recording a tool result of Pydantic AI"):
            # A tool may return its value together with more content for the model.
            _tool(call, args, result.return_value if hasattr(result, "return_value") else result)
        return result

    def _memories(self, ctx: Any) -> str | None:
        with guarded("adding memories to instructions of Pydantic AI"):
            # Without the instructions of earlier requests, which a request does not repeat.
            history = read(ctx, "messages")
            parts = [read(message, "parts") for message in history] if is_list(history) else []
            return memories_for([read(ctx, "prompt"), parts]) or None
        return None


def _key(ctx: object) -> tuple[str, object, object]:
    return (_SOURCE, read(ctx, "run_id"), read(ctx, "run_step"))


def _run(ctx: object) -> tuple[str, object]:
    return (_SOURCE, read(ctx, "run_id"))


def _is_signal(error: BaseException) -> bool:
    return any(kind.__name__ in _SIGNALS for kind in type(error).__mro__)


def _record(recorder: Recorder, context: object, outcome: object) -> None:
    if isinstance(outcome, BaseException):
        answer = Answer([error_message(outcome)])
    else:
        answer = Answer(answer_of(outcome), read_text(outcome, "provider_response_id"))
    recorder.exchange(Request(request_of(context)), answer, source=_SOURCE)


def _tool(call: object, arguments: object, result: object, **more: str) -> None:
    recorder = current_recorder()
    if recorder is not None:
        message = {
            "role": "tool",
            "tool_call_id": read_text(call, "tool_call_id") or "",
            "name": read_text(call, "tool_name") or "unknown",
            "content": as_text(result),
        }
        recorder.tool_result({**message, **more}, arguments)
