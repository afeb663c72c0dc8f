"""A captured client in front of a model server that is not ours: llama.cpp, with a small model."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adapters_support.traces import trace
from openai import OpenAI

from reflect_sdk.capture import capture

# The harness that starts it is the conformance run's.
sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "conformance"))

from announced import announced
from real_models import START_SECONDS, TEXT_MODEL


@pytest.fixture(scope="module")
def llama(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    log = tmp_path_factory.mktemp("llama") / "server.log"
    command = ["cargo", "xtask", "llm", "--port", "0"]
    with announced(command, os.environ, log=log, says="ready: ", seconds=START_SECONDS) as url:
        yield url


def test_a_streamed_answer_and_one_in_a_piece(llama: str) -> None:
    messages: list[Any] = [{"role": "user", "content": "Name a colour."}]
    with (
        capture(OpenAI(base_url=llama, api_key="none", timeout=300, max_retries=0)) as client,
        trace() as ctx,
    ):
        stream = client.chat.completions.create(
            model=TEXT_MODEL, messages=messages, max_tokens=6, temperature=0, stream=True
        )
        choices = [chunk.choices[0] for chunk in stream if chunk.choices]
        said = "".join(choice.delta.content or "" for choice in choices)
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": "Another."}]
        given = client.chat.completions.create(model=TEXT_MODEL, messages=messages, max_tokens=4, temperature=0)
    first, second, third, last = ctx.captured
    assert [first, third] == [messages[0], messages[2]]
    assert second["content"] == said != ""
    # Where the model ends is its own affair; an end like any other is not noted.
    assert second.get("finish_reason", "stop") == choices[-1].finish_reason
    assert last.get("finish_reason", "stop") == given.choices[0].finish_reason
    assert last["content"] == given.choices[0].message.content
    assert second["model"] == last["model"] == given.model
