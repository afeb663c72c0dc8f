"""Uses an installation like people and agents, over plain HTTP.

Runs with reviews and without, spans, reviews, retrievals, the console's pages with their files, the API's
page, probes, a key, a skill and the tools of `/mcp`: everything that could cause an outbound connection.
"""

from __future__ import annotations

import http.client
import json
import re
import time
from typing import Any

# Far above the usual learning time; only a server that hangs reaches it.
LEARNED_SECONDS = 60.0
PAUSE_SECONDS = 0.2

PROJECT = "outbound"
ACCEPT = "application/json, text/event-stream"
TASKS = ("Water the plants", "Sort the post", "Wind the clock", "Feed the cat", "Lock the door")


class Use:
    """One user of an installation."""

    def __init__(self, base_url: str, key: str) -> None:
        self._address = base_url.removeprefix("http://")
        self.key = key
        self.requests = 0

    def round(self, number: int) -> None:
        """One round of all regular calls."""
        task = f"{TASKS[number % len(TASKS)]} on day {number}"
        trajectory = [{"role": "user", "content": task}, {"role": "assistant", "content": "Done."}]
        recalled = self.post("/memory/query", {"task": task})
        run = {
            "task": task,
            "trajectory": trajectory,
            "retrieved_memory_ids": [memory["id"] for memory in recalled],
        }
        verdict = {"result": "fail" if number % 3 else "pass", "feedback_text": "See https://example.com/a."}
        self.post("/traces", {**run, "review": verdict})
        later = self.post("/traces", run)
        reviews = [{"trace_id": later["trace_id"], **verdict}]
        self.post("/reviews/batch", {"reviews": reviews})
        self.post("/memory/augment", {"task": task})
        lesson = {"task": task, "result": "pass", "summary": f"Day {number} went well."}
        self.tool("create_memory", lesson)
        self.tool("retrieve_memories", {"query": task})
        self.spans(number, task)
        for path in ("/ready", "/metrics", "/openapi.json", "/docs"):
            self.get(path)
        for rest in ("", "/overview", "/traces/rows", "/memories", "/loop-health", "/uplift"):
            self.get(f"/v1/projects/{PROJECT}{rest}")

    def once(self) -> None:
        """The calls that are made once."""
        self.console()
        self.post("/skill/create", {})
        self.tool("get_skill", {})
        self.post("/api-keys", {"label": "another", "scopes": ["memory:read"]})

    def console(self) -> None:
        """Every page without a session, and every file that these pages reference."""
        files: set[str] = set()
        for path in ("/", "/login", "/setup", "/logout", "/docs"):
            text = self.get(path, statuses=(200, 302, 303, 400, 401, 404))
            files |= set(re.findall(r'(?:src|href)="([^"#?:]+)"', text))
        for file in sorted(files):
            self.get("/" + file.lstrip("./"), statuses=(200, 302, 303, 401, 404))

    def settle(self) -> None:
        """Waits until the latest runs are learned from."""
        deadline = time.monotonic() + LEARNED_SECONDS
        while True:
            rows = json.loads(self.get(f"/v1/projects/{PROJECT}/traces"))
            waiting = [row for row in rows if row["ingest_status"] not in ("completed", "failed")]
            if not waiting:
                assert rows and not any(row["ingest_status"] == "failed" for row in rows), "learning failed"
                return
            assert time.monotonic() < deadline, f"{len(waiting)} runs were not learned from"
            time.sleep(PAUSE_SECONDS)

    def until_tried(self) -> None:
        """Waits until the server has called the model: the review is processed or has an error."""
        deadline = time.monotonic() + LEARNED_SECONDS
        while True:
            rows = json.loads(self.get(f"/v1/projects/{PROJECT}/traces"))
            if all(row["created_memory_id"] or row["last_ingest_error"] for row in rows):
                return
            assert time.monotonic() < deadline, "no run was learned from"
            time.sleep(PAUSE_SECONDS)

    def spans(self, number: int, task: str) -> None:
        """Sends a run as OpenTelemetry spans, inside a trace."""
        said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": task}]}])
        values = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": said}
        attributes = [{"key": key, "value": {"stringValue": value}} for key, value in values.items()]
        span = {"traceId": f"{number + 1:032x}", "spanId": f"{1:016x}", "attributes": attributes}
        body = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}
        context = {"X-Project-Id": PROJECT, "traceparent": f"00-{number + 1:032x}-{2:016x}-01"}
        assert self._call("POST", "/otlp/v1/traces", body, context, (200,)) == "{}", "a span was rejected"

    def tool(self, name: str, arguments: dict[str, Any]) -> None:
        """Calls an MCP tool."""
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {"Accept": ACCEPT, "X-Project-Id": PROJECT}
        answer = json.loads(self._call("POST", "/mcp", message, headers, (200,)))
        assert not answer["result"].get("isError"), f"{name} answered {answer!r}"

    def post(self, rest: str, body: dict[str, Any]) -> Any:
        """A POST to the project."""
        path = f"/v1/projects/{PROJECT}{rest}"
        return json.loads(self._call("POST", path, body, {}, (200, 201, 202)))

    def get(self, path: str, *, statuses: tuple[int, ...] = (200,)) -> str:
        """A GET of a page."""
        return self._call("GET", path, None, {}, statuses)

    def _call(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        headers: dict[str, str],
        statuses: tuple[int, ...],
    ) -> str:
        self.requests += 1
        connection = http.client.HTTPConnection(self._address, timeout=60)
        sent = None if body is None else json.dumps(body)
        usual = {"Authorization": f"Bearer {self.key}", "Content-Type": "application/json"}
        try:
            connection.request(method, path, sent, {**usual, **headers})
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        assert answer.status in statuses, f"{method} {path} answered {answer.status}: {text[:300]}"
        return text
