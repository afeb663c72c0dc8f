"""What every framework is checked for, in the process of its program.

A program defines how its agent runs in each mode (blocking, asynchronous, streaming); this module runs each mode in
`trace()` blocks of a real Reflect server, with a model server that answers as told:

- The stored run is what the model server saw: messages, tool calls, tool results, token counts and errors.
- The memories of the run are in the prompt, once.
- Two runs at the same time are kept apart.
- Without a Reflect server, the agent gives the same answer with the same requests.
"""

from __future__ import annotations

import asyncio
import importlib.metadata
import inspect
import json
import os
import secrets
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "adapters"))

from adapters_support import wire
from adapters_support.model_server import ModelServer, Trouble

from reflect_sdk import AsyncReflectClient, ReflectClient, Trace
from reflect_sdk.capture._recorder import Recorder

TASK = "Weather in Paris?"
LESSON = "Always mention the umbrella."
SAID = "It rains in Paris."
RESULT = "rain in Paris"
CITY = {"city": "Paris"}
CALL = {"tool_calls": [wire.call("weather", CITY)]}
# Nothing listens on the discard port.
NOWHERE = "http://127.0.0.1:9"
# A run without a Reflect server may take this much longer than twice the usual time, on a busy machine.
MOST_SECONDS_LONGER = 10.0

# One event loop for everything: some frameworks keep their connections.
_loop = asyncio.Runner()

Told = Callable[[dict[str, Any]], list[dict[str, Any]]]


@dataclass(frozen=True)
class Mode:
    """A way to run the agent: a function or a coroutine function from the prompt to the final text."""

    name: str
    run: Callable[[str], Any]
    # The framework itself adds no memories in this mode; the application passes `run.augmented_task`.
    augmented: bool = False
    # The provider keeps the conversation, and each request has only the new messages.
    continued: bool = False


if os.environ.get("FRAMEWORKS_MUTANT"):
    # A recorder that forgets tool results, which the checks must notice.
    Recorder.tool_result = lambda *_: None  # type: ignore[method-assign]
    _all = Recorder._not_early
    Recorder._not_early = lambda self, messages: _all(  # type: ignore[method-assign]
        self, [message for message in messages if message["role"] != "tool"]
    )


class Scenario:
    """The checks of one framework."""

    def __init__(self, framework: str, package: str, told: Told, *, prefix: str = "") -> None:
        self.framework = framework
        # The framework adds it to the names of tools.
        self.prefix = prefix
        self.version = importlib.metadata.version(package)
        self.server = ModelServer()
        self.told = told
        self.checks: list[str] = []
        self.quick = bool(os.environ.get("FRAMEWORKS_QUICK"))

    def run(self, modes: Sequence[Mode], *, broken_tool: bool = True) -> None:
        """Runs all checks in all modes; in a quick run, in the first one."""
        for mode in modes[:1] if self.quick else modes:
            self.stores_what_happened(mode)
            self.brings_memories(mode)
            self.passes_errors_on(mode)
            if broken_tool:
                self.stores_errors_of_tools(mode)
            self.keeps_runs_apart(mode)
            self.works_without_reflect(mode)

    def report(self) -> None:
        """Prints the result for the harness."""
        self.server.close()
        found = {"framework": self.framework, "version": self.version, "checks": len(self.checks)}
        print(json.dumps({**found, "names": self.checks}), flush=True)

    def passed(self, mode: Mode, name: str) -> None:
        """Counts a check that passed."""
        self.checks.append(f"{mode.name}: {name}")

    def stores_what_happened(self, mode: Mode) -> None:
        """Messages, tool calls, results and token counts."""
        asked = self._asks(self._call(), SAID)
        trace, said = self.traced(mode)
        assert said == SAID, said
        expected = [*self.told(asked[-1]), {"role": "assistant", "content": SAID}]
        if mode.continued:
            expected = [*self.told(asked[0]), {"role": "assistant", **self._call()}, *expected]
        check_equal(normal(trace.trajectory), normal(expected))
        assert any(message["calls"] == [(f"{self.prefix}weather", CITY)] for message in normal(trace.trajectory))
        usage = {name: count * len(asked) for name, count in wire.USAGE.items()}
        assert trace.metadata.get("usage") == usage, trace.metadata
        assert trace.model, "no model"
        self.passed(mode, "stores what happened")

    def brings_memories(self, mode: Mode) -> None:
        """Every request has the memories of the run once, and the run is linked to them."""
        asked = self._asks(self._call(), SAID)
        settings = _settings()
        with_lesson = ReflectClient(**settings)
        made = with_lesson.create_memory(task=TASK, result="fail", guidance=LESSON)
        memory = with_lesson.wait_for_trace(made.id, require_reviewed=True).created_memory_id
        trace, said = self.traced(mode, settings)
        assert said == SAID, said
        assert trace.retrieved_memory_ids == [memory], trace.retrieved_memory_ids
        expected = [1] if mode.continued else [1] * len(asked)
        assert [json.dumps(request).count(LESSON) for request in asked][: len(expected)] == expected
        assert json.dumps(asked).count(LESSON) == sum(expected)
        self.passed(mode, "brings memories")

    def passes_errors_on(self, mode: Mode) -> None:
        """An error of the model reaches the application as without Reflect, and is stored."""
        self._asks()
        # Also for an agent that asks again.
        self.server.otherwise = lambda path, asked: Trouble(400)
        plain = _outcome(lambda: finished(mode.run(TASK)))
        client = ReflectClient(**_settings())
        inside = _outcome(lambda: self._in_block(mode, client))
        self.server.otherwise = None
        assert type(inside) is type(plain), f"{inside!r}, without Reflect {plain!r}"
        assert isinstance(plain, Exception), f"the model failed, and the agent gave {plain!r}"
        client.flush()
        (trace,) = client.list_traces()
        errors = [message["error"] for message in trace.trajectory if message.get("error")]
        assert errors and "out of order" in json.dumps(errors), trace.trajectory
        assert trace.review is not None and trace.review.result == "fail"
        self.passed(mode, "passes errors on")

    def stores_errors_of_tools(self, mode: Mode) -> None:
        """A tool that raises: the stored run says so, whether the framework goes on or not."""
        self._asks(self._call("broken"), SAID)
        client = ReflectClient(**_settings())
        _outcome(lambda: self._in_block(mode, client))
        client.flush()
        (trace,) = client.list_traces()
        results = [message for message in trace.trajectory if message["role"] == "tool"]
        assert len(results) == 1, trace.trajectory
        # Some frameworks tell the model nothing else.
        assert results[0].get("status") == "error" or "no such city" in json.dumps(results), trace.trajectory
        self.passed(mode, "stores errors of tools")

    def keeps_runs_apart(self, mode: Mode) -> None:
        """Two runs at the same time, each with its own messages."""
        self._asks()
        self.server.otherwise = lambda path, asked: SAID if self.told(asked)[-1]["role"] == "tool" else self._call()
        client = ReflectClient(**_settings())
        tasks = [f"Weather in Paris on {day}?" for day in ("Monday", "Tuesday")]

        async def together() -> None:
            settings = _settings(client.project_id)
            await asyncio.gather(*(self._in_async_block(mode, settings, task) for task in tasks))

        if inspect.iscoroutinefunction(mode.run):
            _loop.run(together())
        else:
            threads = [threading.Thread(target=self._in_block, args=(mode, client, task)) for task in tasks]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.server.otherwise = None
        client.flush()
        for trace in client.list_traces():
            (other,) = [task for task in tasks if task != trace.task]
            text = json.dumps(trace.trajectory)
            assert trace.task in text and other not in text, trace.trajectory
            assert [message["content"] for message in normal(trace.trajectory)].count(SAID) == 1, trace.trajectory
        self.passed(mode, "keeps runs apart")

    def works_without_reflect(self, mode: Mode) -> None:
        """The same answer and the same requests as outside of a block, in about the same time."""
        asked = self._asks(self._call(), SAID)
        began = time.monotonic()
        plain = finished(mode.run(TASK))
        took = time.monotonic() - began
        expected = [self.told(request) for request in asked]
        asked = self._asks(self._call(), SAID)
        client = ReflectClient(**{**_settings(), "base_url": NOWHERE})
        began = time.monotonic()
        _, said = self._in_block(mode, client)
        longer = time.monotonic() - began - took
        assert said == plain == SAID, (said, plain)
        check_equal([self.told(request) for request in asked], expected)
        assert longer < took + MOST_SECONDS_LONGER, f"{longer:.1f} s longer than {took:.1f} s"
        self.passed(mode, "works without Reflect")

    def traced(self, mode: Mode, settings: Mapping[str, Any] | None = None) -> tuple[Trace, str]:
        """Runs the agent in a block, and reads the run back from the server."""
        client = ReflectClient(**(settings or _settings()))
        trace_id, said = self._in_block(mode, client)
        flushed = client.flush()
        assert flushed.pending == 0 and flushed.dropped == 0, flushed
        assert self.server.left == 0, f"{self.server.left} answers were not asked for"
        return client.get_trace(trace_id), said

    def _call(self, tool: str = "weather") -> dict[str, Any]:
        return {"tool_calls": [wire.call(f"{self.prefix}{tool}", CITY)]}

    def _asks(self, *answers: Any) -> list[dict[str, Any]]:
        """Puts in answers; returns the list to which the requests for them are added."""
        self.server.forget()
        self.server.says(*answers)
        return self.server.asked

    def _in_block(self, mode: Mode, client: ReflectClient, task: str = TASK) -> tuple[str | None, str]:
        if inspect.iscoroutinefunction(mode.run):
            settings = _settings(client.project_id, base_url=client.base_url)
            return _loop.run(self._in_async_block(mode, settings, task))
        with client.trace(task) as run:
            said = mode.run(run.augmented_task if mode.augmented else task)
        return run.trace_id, said

    async def _in_async_block(
        self, mode: Mode, settings: Mapping[str, Any], task: str = TASK
    ) -> tuple[str | None, str]:
        async with AsyncReflectClient(**settings) as client, client.trace(task) as run:
            said = await mode.run(run.augmented_task if mode.augmented else task)
        return run.trace_id, said


def finished(given: Any) -> Any:
    """The result of a function or of a coroutine function."""
    return _loop.run(given) if inspect.iscoroutine(given) else given


def normal(messages: Any) -> list[dict[str, Any]]:
    """Roles, texts and tool calls, in the same form for stored and for sent messages."""
    found: list[dict[str, Any]] = []
    for message in messages:
        calls = list(message.get("calls") or ())
        for call in message.get("tool_calls") or ():
            function = call["function"]
            calls.append((function["name"], json.loads(function["arguments"] or "{}")))
        role = "system" if message["role"] == "developer" else message["role"]
        found.append({"role": role, "content": str(message.get("content") or "").strip(), "calls": calls})
    return found


def check_equal(found: Any, expected: Any) -> None:
    """Fails with both values in full."""
    if found != expected:
        lines = [json.dumps(value, indent=1, default=str) for value in (found, expected)]
        raise AssertionError("found {}\nexpected {}".format(*lines))


def weather(city: str) -> str:
    """The weather of a city."""
    return f"rain in {city}"


def broken(city: str) -> str:
    """A tool that fails."""
    raise ValueError(f"no such city: {city}")


def called(name: str, arguments: Mapping[str, Any]) -> str:
    """Runs a tool for a program that has its own loop."""
    tools: dict[str, Callable[..., str]] = {"weather": weather, "broken": broken}
    try:
        return tools[name](**arguments)
    except ValueError as problem:
        return str(problem)


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def until(holds: Callable[[], bool], seconds: float = 20.0) -> None:
    """Waits for a condition."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(0.05)


def _outcome(run: Callable[[], Any]) -> Any:
    try:
        return run()
    except Exception as problem:
        return problem


def _settings(project: str | None = None, **more: str) -> dict[str, Any]:
    """Arguments of a client on a project of its own, with a spool of its own."""
    spool = Path(tempfile.mkdtemp(prefix="spool-", dir=os.environ["REFLECT_SPOOL_DIR"]))
    return {"project_id": project or f"frameworks-{secrets.token_hex(4)}", "spool": spool, **more}
