"""Records the messages of the Claude Agent SDK.

    options = ClaudeAgentOptions(hooks=reflect_hooks())
    async with reflect.trace("Find out why the import stopped") as ctx:
        async for message in record(query(prompt=ctx.task, options=options)):
            ...

The hook records the prompt and adds the memories of the run to it; `record` records the answers and tools. Needs the
package `claude-agent-sdk`: `pip install 'reflect-memory-client[claude-agent-sdk]'`.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, TypeVar

from reflect_sdk.capture._claude_messages import ClaudeAnswer, end_of, user_messages
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Request
from reflect_sdk.capture._prompt_memories import memories_for
from reflect_sdk.capture._recorder import Recorder, current_recorder
from reflect_sdk.converters._plain import read_text

try:
    # Type checkers must work without the package.
    from claude_agent_sdk import (  # type: ignore[import-not-found,unused-ignore]
        AssistantMessage,
        HookMatcher,
        ResultMessage,
        UserMessage,
    )
except ImportError as _missing:
    raise ImportError(
        "Capture for the Claude Agent SDK needs claude-agent-sdk: "
        "pip install 'reflect-memory-client[claude-agent-sdk]'."
    ) from _missing

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

__all__ = ["record", "reflect_hooks"]

MessageT = TypeVar("MessageT")

_SOURCE = "claude-agent-sdk"
_EVENT = "UserPromptSubmit"


def reflect_hooks(hooks: Mapping[str, Any] | None = None, *, add_memories: bool = True) -> dict[str, Any]:
    """Hooks for `ClaudeAgentOptions` that record each prompt of a run, and add the memories of the run to it.

    A `ClaudeSDKClient` runs its hooks in the context in which it was connected: connect it inside the block.

    Args:
        hooks: Other hooks; they are kept.
        add_memories: Adds the memories of the run to the prompt, unless it contains them.

    Example:
        options = ClaudeAgentOptions(hooks=reflect_hooks())
    """

    async def submitted(given: Any, tool_use_id: str | None, context: Any) -> dict[str, Any]:
        with guarded("reading a prompt of the Claude Agent SDK"):
            recorder, prompt = current_recorder(), read_text(given, "prompt") or ""
            if recorder is None:
                return {}
            recorder.note({"role": "user", "content": prompt})
            block = memories_for(prompt) if add_memories else ""
            if block:
                recorder.note({"role": "system", "content": block})
                return {"hookSpecificOutput": {"hookEventName": _EVENT, "additionalContext": block}}
        return {}

    kept = dict(hooks or {})
    return {**kept, _EVENT: [*kept.get(_EVENT, ()), HookMatcher(hooks=[submitted])]}


async def record(messages: AsyncIterator[MessageT], *, prompt: str | None = None) -> AsyncIterator[MessageT]:
    """Yields the messages of a query unchanged, and records them in the current trace.

    Answers, thoughts, tool calls, tool results, errors and the token counts of the query are recorded; messages of a
    subagent have the id of its tool call as `agent`. Outside a `trace()` block it only yields.

    Args:
        messages: What `query(...)`, `client.receive_response()` or `client.receive_messages()` returns.
        prompt: The prompt, if `reflect_hooks` is not used.

    Example:
        async for message in record(query(prompt=ctx.augmented_task), prompt=ctx.augmented_task):
            print(message)
    """
    recorder = current_recorder()
    recording = None if recorder is None else _Recording(recorder)
    if recorder is not None and prompt is not None:
        with guarded("recording a prompt of the Claude Agent SDK"):
            recorder.note({"role": "user", "content": prompt})
    try:
        async for message in messages:
            if recording is not None:
                with guarded("recording a message of the Claude Agent SDK"):
                    recording.see(message)
            yield message
    finally:
        if recording is not None:
            with guarded("recording the end of a query of the Claude Agent SDK"):
                recording.flush()
        close = getattr(messages, "aclose", None)
        if close is not None:
            # At the end of an event loop, the loop itself may be closing it.
            with contextlib.suppress(RuntimeError):
                await close()


class _Recording:
    """Holds back each answer until it is complete."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._answer: ClaudeAnswer | None = None

    def see(self, message: object) -> None:
        if isinstance(message, AssistantMessage):
            if self._answer is not None and self._answer.goes_on(message):
                self._answer.add(message)
                return
            self.flush()
            self._answer = ClaudeAnswer(message)
        elif isinstance(message, UserMessage):
            self.flush()
            for found in user_messages(message):
                self._user(found)
        elif isinstance(message, ResultMessage):
            self._end(message)

    def flush(self, **more: Any) -> None:
        """Records the answer that was held back."""
        answer, self._answer = self._answer, None
        if answer is not None:
            said = {**answer.message(), **more}
            self._recorder.exchange(Request([]), Answer([said]), source=_SOURCE)
            for result in answer.results:
                self._recorder.tool_result(result, None)

    def _user(self, message: dict[str, Any]) -> None:
        if message["role"] == "tool":
            self._recorder.tool_result(message, None)
        else:
            self._recorder.note(message)

    def _end(self, message: object) -> None:
        usage, error = end_of(message)
        counts = {} if usage is None else {"usage": usage}
        if self._answer is not None and (error is None or self._answer.failed):
            self.flush(**counts)
            return
        self.flush()
        if error is not None or counts:
            said = {} if error is None else {"error": error}
            self._recorder.note({"role": "assistant", "content": "", **said, **counts})
