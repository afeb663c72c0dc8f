"""Records runs of Google's Agent Development Kit through a plugin.

    runner = InMemoryRunner(agent=agent, plugins=[ReflectPlugin()])
    async with reflect.trace("Refund order 1182") as ctx:
        async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message):
            ...

Needs the package `google-adk`: `pip install 'reflect-memory-client[google-adk]'`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reflect_sdk.capture._call_recording import error_message
from reflect_sdk.capture._genai_contents import Contents, call_id, tool_message
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer
from reflect_sdk.capture._prompt_memories import memories_for
from reflect_sdk.capture._recorder import Recorder, current_recorder, recorder_of
from reflect_sdk.capture._usage import usage_of
from reflect_sdk.converters._content import content_of
from reflect_sdk.converters._plain import as_text, read, read_text

try:
    # Type checkers must work without the package.
    from google.adk.plugins import BasePlugin  # type: ignore[import-not-found,unused-ignore]
except ImportError as _missing:
    raise ImportError(
        "Capture for Google ADK needs google-adk: pip install 'reflect-memory-client[google-adk]'."
    ) from _missing

if TYPE_CHECKING:
    from reflect_sdk.tracing.context import TraceContext

__all__ = ["ReflectPlugin"]

_SOURCE = "google-adk"


class ReflectPlugin(BasePlugin):  # type: ignore[misc,unused-ignore]
    """Records the model calls and tools of all agents of a runner in the current trace.

    Outside a `trace()` block it does nothing. Live sessions are not recorded.

    Args:
        add_memories: Adds the memories of the run to the agents' instructions, unless the request contains them.
        run: Records in this run instead of the current one. `Runner.run` needs it, because it runs the agent in a
            thread that does not know the current run; `Runner.run_async` does not.

    Example:
        runner = InMemoryRunner(agent=agent, plugins=[ReflectPlugin()])
    """

    def __init__(self, *, add_memories: bool = True, run: TraceContext | None = None) -> None:
        super().__init__(name="reflect")
        self._add_memories = add_memories
        self._run = run

    async def before_model_callback(self, *, callback_context: Any, llm_request: Any) -> None:
        """Adds memories, and remembers the request until its answer."""
        with guarded("reading a request of ADK"):
            recorder = self._recorder()
            if recorder is None:
                return
            config = read(llm_request, "config")
            block = memories_for([read(config, "system_instruction"), read(llm_request, "contents")], self._run)
            if block and self._add_memories:
                llm_request.append_instructions([block])
            recorder.begun[_key(callback_context)] = llm_request

    async def after_model_callback(self, *, callback_context: Any, llm_response: Any) -> None:
        """Records the new messages of the request, and a complete answer."""
        with guarded("recording an answer of ADK"):
            recorder = self._recorder()
            if recorder is None or read(llm_response, "partial"):
                return
            request = recorder.begun.pop(_key(callback_context), None)
            if request is not None:
                _record(recorder, request, callback_context, llm_response)

    async def on_model_error_callback(self, *, callback_context: Any, llm_request: Any, error: Exception) -> None:
        """Records the request and the error."""
        with guarded("recording a model error of ADK"):
            recorder = self._recorder()
            if recorder is not None:
                recorder.begun.pop(_key(callback_context), None)
                _record(recorder, llm_request, callback_context, error)

    async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
        """Records the result of a tool."""
        with guarded("recording a tool result of ADK"):
            self._tool(tool, tool_args, tool_context, result)

    async def on_tool_error_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, error: Any) -> None:
        """Records the error of a tool."""
        with guarded("recording a tool error of ADK"):
            said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            self._tool(tool, tool_args, tool_context, said, status="error")

    def _tool(self, tool: Any, arguments: Any, context: Any, result: Any, **more: str) -> None:
        recorder = self._recorder()
        if recorder is None or result is None:
            # A long-running tool has no result yet.
            return
        identity = call_id(context, "function_call_id") or ""
        message = tool_message(identity, read_text(tool, "name") or "unknown", result)
        recorder.tool_result({**message, **more}, arguments)

    def _recorder(self) -> Recorder | None:
        return current_recorder() if self._run is None else recorder_of(self._run)


def _key(context: object) -> tuple[str, object, object]:
    return (_SOURCE, read(context, "invocation_id"), read(context, "agent_name"))


def _record(recorder: Recorder, request: object, context: object, outcome: object) -> None:
    agent = read_text(context, "agent_name") or "agent"
    contents = Contents(agent)
    messages = contents.messages(read(request, "contents"))
    instruction = read(read(request, "config"), "system_instruction")
    system = instruction if isinstance(instruction, str) else _text_of(instruction)
    if system:
        messages.insert(0, {"role": "system", "content": system})
    conversation = recorder.ask(messages)
    if isinstance(outcome, BaseException):
        recorder.answer(conversation, Answer([error_message(outcome)]), source=_SOURCE)
        return
    answers = contents.messages([read(outcome, "content")])
    error = read_text(outcome, "error_code") or read_text(outcome, "error_message")
    if error is not None:
        said = {"type": read_text(outcome, "error_code") or "error", "message": read_text(outcome, "error_message")}
        answers.append({"role": "assistant", "content": "", "error": said})
    marks = {"model": read_text(outcome, "model_version") or read_text(request, "model"), "agent": agent}
    for answer in answers:
        answer.update({name: mark for name, mark in marks.items() if mark is not None})
    usage = usage_of(read(outcome, "usage_metadata"))
    if answers and usage is not None:
        answers[-1]["usage"] = usage
    recorder.answer(conversation, Answer(answers), source=_SOURCE)


def _text_of(instruction: object) -> str:
    return as_text(content_of(read(instruction, "parts")).said) if instruction is not None else ""
