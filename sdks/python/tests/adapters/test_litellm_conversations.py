"""The runs of LiteLLM's proxy, without the proxy."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adapters_support import wire

from reflect_sdk import AsyncReflectClient
from reflect_sdk.capture import _litellm_proxy
from reflect_sdk.capture._kinds import Answer
from reflect_sdk.capture._litellm_proxy import Conversations
from reflect_sdk.tracing import block

ASKED: Any = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Weather?"}]
CALLING = {"role": "assistant", "content": "", "tool_calls": [wire.call("weather", {"city": "Paris"})]}
ON: Any = [*ASKED, CALLING, {"role": "tool", "tool_call_id": "call_1", "content": "rain"}]
ANSWER = Answer([{"role": "assistant", "content": "It rains.", "usage": wire.USAGE}])


@pytest.fixture
def stored(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """The bodies of the runs that were handed to delivery."""
    bodies: list[dict[str, Any]] = []
    real = block.trace_of

    def seen(*args: Any, **kwargs: Any) -> Any:
        body = real(*args, **kwargs)
        if body is not None:
            bodies.append(body)
        return body

    monkeypatch.setattr(block, "trace_of", seen)
    yield bodies


def conversations(folder: Path) -> Conversations:
    return Conversations(AsyncReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=folder))


def roles(body: dict[str, Any]) -> list[str]:
    return [message["role"] for message in body["trajectory"]]


def test_all_calls_of_a_conversation_are_one_run(tmp_path: Path, stored: list[dict[str, Any]]) -> None:
    async def main() -> None:
        found = conversations(tmp_path)
        assert await found.begin("1", "ada", ASKED) == ASKED
        await found.answered("1", Answer([CALLING]))
        assert stored == []
        await found.begin("2", "ada", ON)
        await found.answered("2", ANSWER)
        # Reported again.
        await found.answered("2", ANSWER)

    asyncio.run(main())
    (body,) = stored
    assert body["task"] == "Weather?" and roles(body) == ["system", "user", "assistant", "tool", "assistant"]
    assert body["metadata"]["usage"] == wire.USAGE


def test_owners_and_equal_questions_at_a_time_are_kept_apart(tmp_path: Path, stored: list[dict[str, Any]]) -> None:
    async def main() -> None:
        found = conversations(tmp_path)
        for call, owner in (("1", "ada"), ("2", "bob"), ("3", "ada")):
            await found.begin(call, owner, ASKED)
        await found.answered("3", ANSWER)
        assert len(stored) == 1
        await found.failed("2", {"role": "assistant", "content": "", "error": {"type": "E", "message": "no"}})
        await found.answered("1", ANSWER)
        assert found._open == {} and found._by_call == {}

    asyncio.run(main())
    assert len(stored) == len({body["trace_id"] for body in stored}) == 3
    assert "error" in json.dumps(stored[1])


def test_memories_are_added_to_every_call_of_a_run(tmp_path: Path, stored: list[dict[str, Any]]) -> None:
    async def main() -> None:
        found = conversations(tmp_path)
        await found.begin("1", "ada", ASKED)
        (conversation,) = found._open.values()
        conversation.run.memory_block = "<memories>Umbrella.</memories>"
        await found.answered("1", Answer([CALLING]))
        sent = await found.begin("2", "ada", ON)
        assert sent is not None and sent[0]["content"] == "Be brief.\n\n<memories>Umbrella.</memories>"
        assert await found.begin("3", "ada", []) is None
        await found.answered("2", ANSWER)

    asyncio.run(main())
    assert "Umbrella" in stored[0]["trajectory"][0]["content"]


def test_a_conversation_that_does_not_go_on_ends(
    tmp_path: Path, stored: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_litellm_proxy, "IDLE_SECONDS", 0.0)

    async def main() -> None:
        found = conversations(tmp_path)
        await found.begin("1", "ada", ASKED)
        await found.answered("1", Answer([CALLING]))
        await found.begin("2", "bob", ASKED)
        assert len(found._open) == 1

    asyncio.run(main())
    assert [roles(body) for body in stored] == [["system", "user", "assistant"]]
