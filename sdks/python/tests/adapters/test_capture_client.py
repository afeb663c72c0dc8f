"""What capturing does to a client, and what it leaves alone."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from adapters_support import wire
from adapters_support.model_server import ModelServer
from adapters_support.traces import trace
from openai import AsyncAzureOpenAI, AsyncOpenAI, AzureOpenAI, OpenAI

import reflect_sdk
from reflect_sdk.capture import UnsupportedClientError, _call_recording, capture, release
from reflect_sdk.errors import ReflectError

ASK: Any = [{"role": "user", "content": "Capital of France?"}]
SAID = {"role": "assistant", "content": "Paris.", "model": wire.MODEL, "usage": wire.USAGE}


@pytest.fixture
def client(server: ModelServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="k", max_retries=0) as client:
        yield client


def test_the_same_client_comes_back_and_no_other_is_touched(server: ModelServer, client: OpenAI) -> None:
    with OpenAI(base_url=server.url, api_key="k") as other:
        before = set(vars(other.chat.completions))
        assert capture(client) is client
        assert set(vars(other.chat.completions)) == before
        server.says("Paris.")
        with trace() as ctx:
            other.chat.completions.create(model="m", messages=ASK)
        assert ctx.captured == []


def test_capturing_twice_is_capturing_once(server: ModelServer, client: OpenAI) -> None:
    capture(capture(client))
    server.says("Paris.")
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == [*ASK, SAID]


def test_release_leaves_the_client_as_it_was(server: ModelServer, client: OpenAI) -> None:
    resources = (client, client.chat, client.chat.completions, client.responses)
    before = [dict(vars(resource)) for resource in resources]
    release(client)
    capture(client)
    assert client.with_raw_response.chat.completions is not None
    assert release(release(client)) is client
    assert [dict(vars(resource)) for resource in resources] == before
    server.says("Paris.", "Paris.")
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == []
    capture(client)
    with trace() as ctx:
        client.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == [*ASK, SAID]


def test_what_others_put_on_the_client_is_respected(server: ModelServer, client: OpenAI) -> None:
    completions: Any = client.chat.completions
    original, calls = completions.create, []

    def below(**sent: Any) -> Any:
        calls.append("below")
        return original(**sent)

    completions.create = below
    capture(client)
    ours = completions.create

    def above(**sent: Any) -> Any:
        calls.append("above")
        return ours(**sent)

    completions.create = above
    release(client)
    server.says("Paris.")
    with trace() as ctx:
        completions.create(model="m", messages=ASK)
    assert calls == ["above", "below"]
    assert ctx.captured == []


def test_copies_are_captured_until_the_original_is_released(server: ModelServer, client: OpenAI) -> None:
    capture(client)
    server.says("Paris.", "Paris.", "Paris.")
    with trace() as ctx:
        client.with_options(timeout=20).chat.completions.create(model="m", messages=ASK)
        copy = client.copy().with_options(max_retries=1)
        copy.chat.completions.create(model="m", messages=ASK)
        release(client)
        copy.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == [*ASK, SAID, SAID]


def test_a_captured_client_and_its_copies_can_be_thrown_away(client: OpenAI) -> None:
    capture(client)
    copies = [weakref.ref(client.with_options(timeout=5)) for _ in range(3)]
    gc.collect()
    assert [copy() for copy in copies] == [None, None, None]


def test_raw_responses_are_noted_and_stay_raw(server: ModelServer, client: OpenAI) -> None:
    # Used before, so that the library keeps what it was made of.
    assert client.chat.completions.with_raw_response is not None
    capture(client)
    server.says("Paris.", "Paris.", "Paris.", "Paris.", [wire.text_item("Paris.")])
    with trace() as ctx:
        raw = client.chat.completions.with_raw_response.create(model="m", messages=ASK)
        assert json.loads(raw.content)["choices"][0]["message"]["content"] == "Paris."
        assert raw.parse().choices[0].message.content == "Paris."
        stream = client.with_raw_response.chat.completions.create(model="m", messages=ASK, stream=True)
        chunks = list(stream.parse())
        assert chunks and type(stream.parse()) is openai.Stream
        with client.chat.completions.with_streaming_response.create(model="m", messages=ASK) as lazy:
            assert lazy.parse().choices[0].message.content == "Paris."
            lazy.parse()
        with client.chat.completions.with_streaming_response.create(model="m", messages=ASK) as lazy:
            assert b"Paris." in lazy.read()
        client.responses.with_raw_response.create(model="m", input="Capital of France?")
    # The fourth was read by the user and not parsed.
    assert ctx.captured == [*ASK, SAID, SAID, SAID, SAID]


def test_raw_responses_are_noted_when_awaited(server: ModelServer) -> None:
    server.says("Paris.", "Paris.")

    async def run() -> list[dict[str, Any]]:
        async with capture(AsyncOpenAI(base_url=server.url, api_key="k", max_retries=0)) as client:
            with trace() as ctx:
                raw = await client.chat.completions.with_raw_response.create(model="m", messages=ASK)
                assert raw.parse().choices[0].message.content == "Paris."
                lazy = client.responses.with_streaming_response
                async with lazy.create(model="m", input="Capital of France?", stream=True) as response:
                    async for _ in await response.parse():
                        pass
            return ctx.captured

    assert asyncio.run(run()) == [*ASK, SAID, SAID]


def test_clients_of_azure_are_clients(server: ModelServer) -> None:
    server.says("Paris.")
    about: Any = {"azure_endpoint": server.url, "api_key": "k", "api_version": "1", "max_retries": 0}
    with capture(AzureOpenAI(**about)) as client, trace() as ctx:
        client.chat.completions.create(model="m", messages=ASK)
    assert ctx.captured == [*ASK, SAID]
    assert isinstance(capture(AsyncAzureOpenAI(**about)), AsyncAzureOpenAI)


def test_what_is_no_client_is_refused_at_once() -> None:
    for wrong in (openai, OpenAI, object(), None, "client"):
        with pytest.raises(UnsupportedClientError, match="capture\\(\\) takes an OpenAI or AsyncOpenAI client"):
            capture(wrong)
    assert issubclass(UnsupportedClientError, (ReflectError, TypeError))


def test_a_client_of_another_shape_is_refused_at_once(
    client: OpenAI, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(openai, "__version__", "0.28.1")
        with pytest.raises(UnsupportedClientError, match="older than"):
            capture(client)
    with monkeypatch.context() as patch:
        patch.setattr(type(client.responses), "parse", None)
        with pytest.raises(UnsupportedClientError, match=r"no responses\.parse\(\)"):
            capture(client)
    with monkeypatch.context() as patch:
        patch.setattr(openai.AsyncStream, "__anext__", lambda self: None)
        with pytest.raises(UnsupportedClientError, match="AsyncStream class has a different implementation"):
            capture(client)
    assert "_reflect_capture" not in vars(client)
    with monkeypatch.context() as patch:
        patch.setattr(openai, "__version__", "4.0.0")
        capture(client)
    assert "is not tested with openai 4.0.0" in caplog.text


def test_a_fault_of_ours_is_logged_once_and_disturbs_nothing(
    server: ModelServer, client: OpenAI, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ours")

    capture(client)
    server.says(*["Paris."] * 6)
    with trace() as ctx, caplog.at_level(logging.WARNING):
        for place in ("current_recorder", "CallRecording", "observe"):
            with monkeypatch.context() as patch:
                patch.setattr(_call_recording, place, broken)
                for _ in range(2):
                    stream = client.chat.completions.create(model="m", messages=ASK, stream=True)
                    assert "".join(chunk.choices[0].delta.content or "" for chunk in list(stream)[:-1]) == "Paris."
    # Delivery threads of earlier tests log as well.
    faults = [record for record in caplog.records if record.name != "reflect_sdk.delivery"]
    assert [record.getMessage().split(";")[0] for record in faults] == [
        "Capture failed while finding the current trace",
        "Capture failed while reading a request",
        "Capture failed while reading an answer",
    ]
    assert ctx.captured == ASK
    caplog.clear()


def test_a_signature_can_still_be_read(client: OpenAI) -> None:
    import inspect

    before = inspect.signature(client.chat.completions.create)
    assert inspect.signature(capture(client).chat.completions.create) == before


@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [("langchain", "langchain_core", "langchain"), ("openai_agents", "agents", "openai-agents")],
)
def test_a_framework_that_is_missing_is_named(module: str, package: str, extra: str) -> None:
    program = f"import sys; sys.modules['{package}'] = None; import reflect_sdk.capture.{module}"
    done = run_python(program)
    assert f"pip install 'reflect-memory-client[{extra}]'" in done.stderr.splitlines()[-1]


def run_python(program: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(reflect_sdk.__file__).parents[1])}
    run = [sys.executable, "-c", program]
    return subprocess.run(run, capture_output=True, text=True, check=False, env=environment)


def test_importing_it_imports_no_framework_and_patches_nothing() -> None:
    program = (
        "import sys, reflect_sdk.capture, reflect_sdk.converters\n"
        "known = {'openai', 'agents', 'langchain_core', 'langgraph', 'pydantic', 'httpx2'}\n"
        "loaded = known & {name.partition('.')[0] for name in sys.modules}\n"
        "assert not loaded, loaded\n"
    )
    done = run_python(program)
    assert done.returncode == 0, done.stderr
