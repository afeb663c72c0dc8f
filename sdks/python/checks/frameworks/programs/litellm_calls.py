"""LiteLLM: its callback in a program, and the same callback in its proxy."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import litellm
from adapters_support import wire
from adapters_support.model_server import Trouble
from openai import APIStatusError, OpenAI
from scenario import (
    CALL,
    LESSON,
    SAID,
    SCHEMA,
    TASK,
    Mode,
    Scenario,
    called,
    check_equal,
    free_port,
    normal,
    until,
)

from reflect_sdk import ReflectClient
from reflect_sdk.capture.litellm import ReflectLogger

litellm.callbacks = [ReflectLogger()]
litellm.suppress_debug_info = True
checks = Scenario("litellm", "litellm", wire.told)
TOOLS: Any = [
    {"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in ("weather", "broken")
]
PROXY_SECONDS = 120.0
PROXY_KEY = f"sk-{secrets.token_hex(16)}"


def request(prompt: str) -> dict[str, Any]:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": prompt}]
    where = {"model": "openai/m", "api_base": checks.server.url, "api_key": "k", "max_retries": 0}
    return {**where, "tools": TOOLS, "messages": messages}


def following(asked: dict[str, Any], message: Any) -> bool:
    asked["messages"].append(message)
    for call in message.tool_calls or []:
        result = called(call.function.name, json.loads(call.function.arguments))
        asked["messages"].append({"role": "tool", "tool_call_id": call.id, "content": result})
    return bool(message.tool_calls)


def assembled(chunks: Any) -> Any:
    return litellm.stream_chunk_builder(chunks).choices[0].message


def blocking(prompt: str) -> str:
    asked = request(prompt)
    while following(asked, message := litellm.completion(**asked).choices[0].message):
        pass
    return str(message.content)


async def asynchronous(prompt: str) -> str:
    asked = request(prompt)
    while following(asked, message := (await litellm.acompletion(**asked)).choices[0].message):
        pass
    return str(message.content)


def streaming(prompt: str) -> str:
    asked = {**request(prompt), "stream": True}
    while following(asked, message := assembled(list(litellm.completion(**asked)))):
        pass
    return str(message.content)


async def streaming_async(prompt: str) -> str:
    asked = {**request(prompt), "stream": True}
    while True:
        stream = await litellm.acompletion(**asked)
        message = assembled([chunk async for chunk in stream])
        if not following(asked, message):
            return str(message.content)


@contextmanager
def proxy(project: str, base_url: str | None = None) -> Iterator[OpenAI]:
    """A proxy with the callback in its configuration, and a client of it."""
    folder, port = Path(mkdtemp(prefix="proxy-")), free_port()
    config = folder / "config.yaml"
    deployment = {"model": "openai/m", "api_base": checks.server.url, "api_key": "k", "max_retries": 0}
    settings = {"callbacks": "reflect_sdk.capture.litellm.proxy", "num_retries": 0}
    models = [{"model_name": "m", "litellm_params": deployment}]
    # JSON is YAML.
    config.write_text(json.dumps({"model_list": models, "litellm_settings": settings}), encoding="utf-8")
    environment = {**os.environ, "REFLECT_PROJECT_ID": project, "REFLECT_SPOOL_DIR": str(folder)}
    environment["LITELLM_MASTER_KEY"] = PROXY_KEY
    environment |= {} if base_url is None else {"REFLECT_BASE_URL": base_url}
    start = "from litellm import run_server; run_server()"
    command = [sys.executable, "-c", start, "--config", str(config), "--host", "127.0.0.1", "--port", str(port)]
    with (folder / "log").open("wb") as log:
        running = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
    try:
        until(lambda: answers(f"http://127.0.0.1:{port}/health/liveliness", running), PROXY_SECONDS)
        yield OpenAI(base_url=f"http://127.0.0.1:{port}/v1", api_key=PROXY_KEY, max_retries=0)
    except BaseException:
        print((folder / "log").read_text(encoding="utf-8")[-4000:], file=sys.stderr)
        raise
    finally:
        running.terminate()
        running.wait(30)


def answers(url: str, running: subprocess.Popen[bytes]) -> bool:
    assert running.poll() is None, "the proxy has ended"
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def conversation(client: OpenAI, stream: bool, task: str = TASK) -> str:
    """An agent that knows nothing of Reflect."""
    asked = {**request(task), "model": "m"}
    for name in ("api_base", "api_key", "max_retries"):
        del asked[name]
    while True:
        if stream:
            with client.chat.completions.stream(**asked) as chunks:
                message = chunks.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(**asked).choices[0].message
        if not following(asked, message):
            return str(message.content)


def check_proxy() -> None:
    mode = Mode("proxy", conversation)
    client = ReflectClient(project_id=f"frameworks-{secrets.token_hex(4)}")
    made = client.create_memory(task=TASK, result="fail", guidance=LESSON)
    memory = client.wait_for_trace(made.id, require_reviewed=True).created_memory_id
    with proxy(client.project_id) as agent:
        for stream in (False, True):
            before = len(client.list_traces())
            checks.server.forget()
            checks.server.says(CALL, SAID)
            assert conversation(agent, stream) == SAID
            until(lambda before=before: len(client.list_traces()) > before)
            trace = client.list_traces()[0]
            asked = checks.server.asked
            check_equal(
                normal(trace.trajectory), normal([*wire.told(asked[-1]), {"role": "assistant", "content": SAID}])
            )
            assert trace.task == TASK and trace.retrieved_memory_ids == [memory], trace
            assert [json.dumps(request).count(LESSON) for request in asked] == [1, 1]
            checks.passed(mode, "stores what happened" if not stream else "stores a stream")
        checks.passed(mode, "brings memories")
        before = len(client.list_traces())
        checks.server.says(Trouble(400))
        try:
            conversation(agent, False)
            raise AssertionError("the model failed, and the proxy answered")
        except APIStatusError as problem:
            assert problem.status_code == 400, problem
        until(lambda: len(client.list_traces()) > before)
        assert "out of order" in json.dumps(client.list_traces()[0].trajectory)
        checks.passed(mode, "passes errors on")
    with proxy(client.project_id, "http://127.0.0.1:9") as agent:
        checks.server.forget()
        checks.server.says(CALL, SAID)
        began = time.monotonic()
        assert conversation(agent, False) == SAID
        assert LESSON not in json.dumps(checks.server.asked) and time.monotonic() - began < 30
        checks.passed(mode, "works without Reflect")


checks.run(
    [
        Mode("sync", blocking, augmented=True),
        Mode("async", asynchronous, augmented=True),
        Mode("stream", streaming, augmented=True),
        Mode("async stream", streaming_async, augmented=True),
    ]
)
if not checks.quick:
    check_proxy()
checks.report()
