"""The runs of LiteLLM's proxy: each conversation of a client becomes a run.

A client sends the whole conversation with every call, so all calls of a run have the same messages up to the last
user message.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reflect_sdk.capture._kinds import Answer
from reflect_sdk.capture._prompt_memories import memories_for
from reflect_sdk.capture._recorder import recorder_of
from reflect_sdk.converters._chat import chat_message
from reflect_sdk.converters._content import content_of
from reflect_sdk.converters._plain import as_text, is_list, plain, read, read_text

if TYPE_CHECKING:
    from reflect_sdk.async_client import AsyncReflectClient
    from reflect_sdk.tracing.block import AsyncTraceBlock
    from reflect_sdk.tracing.context import TraceContext

# Seconds after its last call when a conversation counts as ended.
IDLE_SECONDS = 600.0
# With more conversations at a time, the oldest ones end early.
MOST_CONVERSATIONS = 10_000


@dataclass
class Conversation:
    """A run that has not ended."""

    key: str
    block: AsyncTraceBlock
    run: TraceContext
    messages: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    calls: list[str] = field(default_factory=list[str])
    used: float = field(default_factory=time.monotonic)


class Conversations:
    """The runs of a proxy."""

    def __init__(self, client: AsyncReflectClient | None) -> None:
        self._client = client
        # In the order of their last use.
        self._open: dict[str, Conversation] = {}
        self._by_call: dict[str, Conversation] = {}

    async def begin(self, call: str, owner: str, messages: object) -> list[Any] | None:
        """A call begins. Returns its messages with the memories of the run; None to leave it unchanged."""
        listed = messages if is_list(messages) else ()
        last = max((place for place, message in enumerate(listed) if _role(message) == "user"), default=None)
        if last is None or not call:
            return None
        await self._end_idle()
        conversation = await self._conversation(owner, listed[: last + 1], begins=last == len(listed) - 1)
        block = memories_for(messages, conversation.run)
        sent = _with_memories(listed, block) if block else list(listed)
        conversation.messages = [chat_message(message) for message in sent]
        conversation.calls = [call]
        self._by_call[call] = conversation
        return sent

    async def answered(self, call: str, answer: Answer) -> None:
        """A call has been answered. An answer without tool calls ends the run."""
        conversation = self._by_call.pop(call, None)
        if conversation is not None:
            conversation.messages += answer.messages
            if not any(message.get("tool_calls") for message in answer.messages):
                await self._end(conversation)

    async def failed(self, call: str, error: dict[str, Any]) -> None:
        """A call has failed, after all attempts."""
        conversation = self._by_call.pop(call, None)
        if conversation is not None:
            conversation.messages.append(error)
            await self._end(conversation)

    async def _conversation(self, owner: str, messages: Sequence[Any], *, begins: bool) -> Conversation:
        text = json.dumps([owner, plain(messages)], sort_keys=True, default=str)
        key = hashlib.sha256(text.encode()).hexdigest()
        known = self._open.pop(key, None)
        if known is not None and not begins:
            known.used = time.monotonic()
            self._open[key] = known
            return known
        if known is not None:
            # The same question again while the first one is being answered.
            self._open[f"{key}-{id(known)}"] = known
            known.key = f"{key}-{id(known)}"
        block = self._reflect().trace(_text(messages[-1])).without_current()
        made = self._open[key] = Conversation(key, block, await block.__aenter__())
        return made

    def _reflect(self) -> AsyncReflectClient:
        if self._client is None:
            from reflect_sdk.async_client import AsyncReflectClient

            self._client = AsyncReflectClient()
        return self._client

    async def _end(self, conversation: Conversation) -> None:
        if self._open.get(conversation.key) is conversation:
            del self._open[conversation.key]
        for call in conversation.calls:
            self._by_call.pop(call, None)
        recorder = recorder_of(conversation.run)
        for message in conversation.messages:
            recorder.note(message)
        await conversation.block.__aexit__(None, None, None)

    async def _end_idle(self) -> None:
        while self._open:
            oldest = next(iter(self._open.values()))
            if len(self._open) <= MOST_CONVERSATIONS and time.monotonic() - oldest.used < IDLE_SECONDS:
                return
            await self._end(oldest)


def _role(message: object) -> str | None:
    return read_text(message, "role")


def _text(message: object) -> str:
    said = content_of(read(message, "content")).said
    return said if isinstance(said, str) and said.strip() else as_text(plain(said)) or "A conversation"


def _with_memories(messages: Sequence[Any], block: str) -> list[Any]:
    """The messages with the memories in their system prompt."""
    first = messages[0]
    content = read(first, "content")
    if _role(first) in ("system", "developer") and isinstance(content, str):
        return [{**plain(first), "content": f"{content}\n\n{block}"}, *messages[1:]]
    return [{"role": "system", "content": block}, *messages]
