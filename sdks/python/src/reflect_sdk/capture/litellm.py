"""Records calls of LiteLLM through a callback, in a program and in LiteLLM's proxy.

In a program, calls inside `trace()` blocks are recorded:

    litellm.callbacks = [ReflectLogger()]
    with reflect.trace("Refund order 1182") as ctx:
        litellm.completion(model="gpt-5.4-mini", messages=[{"role": "user", "content": ctx.augmented_task}])
        ctx.review("pass")

In the proxy, each conversation becomes a run, and gets the memories for its last user message. In the proxy's
configuration:

    litellm_settings:
      callbacks: reflect_sdk.capture.litellm.proxy

Needs the package `litellm`: `pip install 'reflect-memory-client[litellm]'`.
"""

from __future__ import annotations

import contextlib
import importlib
import weakref
from typing import TYPE_CHECKING, Any

from reflect_sdk.capture._anthropic_calls import MessageCalls
from reflect_sdk.capture._call_recording import error_message
from reflect_sdk.capture._chat_calls import ChatCalls
from reflect_sdk.capture._guard import guarded
from reflect_sdk.capture._kinds import Answer, Kind
from reflect_sdk.capture._late_calls import LateCalls
from reflect_sdk.capture._litellm_proxy import Conversations
from reflect_sdk.capture._recorder import Recorder, current_recorder
from reflect_sdk.capture._response_calls import ResponseCalls
from reflect_sdk.converters._plain import is_mapping, read, read_text

try:
    # Type checkers must work without the package.
    from litellm.integrations.custom_logger import CustomLogger  # type: ignore[import-not-found,unused-ignore]

    _litellm: Any = importlib.import_module("litellm")
except ImportError as _missing:
    raise ImportError(
        "Capture for LiteLLM needs litellm: pip install 'reflect-memory-client[litellm]'."
    ) from _missing

if TYPE_CHECKING:
    from reflect_sdk.async_client import AsyncReflectClient

__all__ = ["ReflectLogger", "proxy"]

_SOURCE = "litellm"
_KINDS: dict[str, Kind] = {
    "completion": ChatCalls(),
    "acompletion": ChatCalls(),
    "responses": ResponseCalls(),
    "aresponses": ResponseCalls(),
    "anthropic_messages": MessageCalls(),
}
_CHAT = frozenset({"completion", "acompletion"})


class ReflectLogger(CustomLogger):  # type: ignore[misc,unused-ignore]
    """Records the calls of LiteLLM.

    Calls inside a `trace()` block are recorded in it: `completion`, `responses` and their asynchronous variants, also
    streamed ones. LiteLLM reports answers in other threads, so the end of a block waits for them: milliseconds, or a
    second for a stream that was not read to its end.
    If LiteLLM is configured to redact messages (`turn_off_message_logging`), nothing is recorded.

    In the proxy, calls of the chat API are runs of their own. A run ends with an answer without tool calls; a
    conversation that does not go on for ten minutes ends without a result.

    Args:
        client: The client for the proxy; made from the environment on the first call when absent.

    Example:
        litellm.callbacks = [ReflectLogger()]
    """

    def __init__(self, client: AsyncReflectClient | None = None) -> None:
        super().__init__()
        # LiteLLM loads it for its first report, which takes seconds, while the end of a block waits for the report.
        with contextlib.suppress(ImportError):
            importlib.import_module("litellm.litellm_core_utils.custom_logger_registry")
        self._conversations = Conversations(client)
        # By LiteLLM's call id: threads that report answers do not know the trace.
        self._calls: weakref.WeakValueDictionary[str, LateCalls] = weakref.WeakValueDictionary()

    def log_pre_api_call(self, model: Any, messages: Any, kwargs: Any) -> None:
        """Remembers the request of a call."""
        with guarded("reading a request of LiteLLM"):
            call, kind = _call_of(kwargs), _KINDS.get(str(read(kwargs, "call_type")))
            recorder = current_recorder()
            if recorder is None or kind is None or not call or _litellm.turn_off_message_logging:
                return
            calls = self._calls[call] = _calls_of(recorder)
            sent = {**_parameters(kwargs), "messages": messages, "input": read(kwargs, "input") or messages}
            awaited = str(read(kwargs, "call_type")).startswith("a")
            streamed = bool(read(kwargs, "stream") or sent.get("stream"))
            calls.begin(call, kind.request(sent).messages, awaited=awaited, streamed=streamed)

    def log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Records the answer of a call."""
        with guarded("recording an answer of LiteLLM"):
            self._end(kwargs, _answer_of(kwargs, response_obj))

    def log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Records the error of a call."""
        with guarded("recording an error of LiteLLM"):
            error = read(kwargs, "exception")
            if isinstance(error, BaseException):
                self._end(kwargs, Answer([error_message(error)]))

    async def async_log_success_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Records the answer of an asynchronous call, or of a call to the proxy."""
        self.log_success_event(kwargs, response_obj, start_time, end_time)
        with guarded("recording an answer of the proxy"):
            await self._conversations.answered(_call_of(kwargs), _answer_of(kwargs, response_obj))

    async def async_log_failure_event(self, kwargs: Any, response_obj: Any, start_time: Any, end_time: Any) -> None:
        """Records the error of an asynchronous call."""
        self.log_failure_event(kwargs, response_obj, start_time, end_time)

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Any, call_type: Any) -> Any:
        """Adds memories to a request to the proxy."""
        with guarded("reading a request to the proxy"):
            if str(call_type) in _CHAT and is_mapping(data) and not _litellm.turn_off_message_logging:
                owner = read_text(user_api_key_dict, "token") or read_text(user_api_key_dict, "api_key") or ""
                messages = await self._conversations.begin(_call_of(data), owner, data.get("messages"))
                if messages is not None:
                    return {**data, "messages": messages}
        return data

    async def async_post_call_failure_hook(
        self,
        request_data: Any,
        original_exception: Exception,
        user_api_key_dict: Any,
        traceback_str: str | None = None,
    ) -> None:
        """Ends the run of a call to the proxy that failed."""
        with guarded("recording an error of the proxy"):
            await self._conversations.failed(_call_of(request_data), error_message(original_exception))

    def _end(self, kwargs: Any, answer: Answer) -> None:
        calls = self._calls.get(_call_of(kwargs))
        if calls is not None:
            calls.end(_call_of(kwargs), answer)


def _calls_of(recorder: Recorder) -> LateCalls:
    # Not `setdefault`, which would make an object for each call.
    found: LateCalls | None = recorder.begun.get(_SOURCE)
    if found is None:
        found = recorder.begun[_SOURCE] = LateCalls(recorder, _SOURCE)
    return found


def _call_of(kwargs: object) -> str:
    call = read_text(kwargs, "litellm_call_id") or read_text(read(kwargs, "litellm_params"), "litellm_call_id")
    return call or ""


def _parameters(kwargs: object) -> dict[str, Any]:
    found = read(kwargs, "optional_params")
    return dict(found) if is_mapping(found) else {}


def _answer_of(kwargs: object, response: object) -> Answer:
    for name, kind in (("choices", ChatCalls()), ("output", ResponseCalls()), ("content", MessageCalls())):
        if read(response, name) is not None:
            return kind.answer(response)
    return Answer([])


# For the proxy, whose configuration names an instance.
proxy: ReflectLogger = ReflectLogger()
