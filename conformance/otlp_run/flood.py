"""Sends the spans of many runs in random order, in both encodings, some of them several times.

    python flood.py < place.json

The place has the address of the server, the keys of the projects, the number of runs of each, the time of
the runs, the seed, and what to send. Prints how many spans were sent, and what the server refused.
"""

from __future__ import annotations

import http.client
import json
import random
import sys
import threading
import time
from collections.abc import Iterator
from queue import Empty, SimpleQueue
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

# The root, four times a model call and a tool, and the last model call.
ROUNDS = 4
SPANS_PER_RUN = 2 + 2 * ROUNDS
# The question, four times a call and its result, and the answer.
MESSAGES_PER_RUN = 2 + 2 * ROUNDS
BATCH = 400
THREADS = 4
AGAIN = 0.15
REFUSED = (429, 502, 503, 504)
# How long a server that is killed may take to be back.
OUTAGE_SECONDS = 60.0


def trace_id(project: int, run: int) -> bytes:
    """Runs of two projects have the same ids."""
    del project
    return (0xA0_0000_0000 + run).to_bytes(16, "big")


def task_of(run: int) -> str:
    """The question of a run."""
    return f"Refund order {run}"


def _message(role: str, *parts: dict[str, Any]) -> dict[str, Any]:
    return {"role": role, "parts": list(parts)}


def _text(content: str) -> dict[str, Any]:
    return {"type": "text", "content": content}


def spans_of(project: int, run: int, now: int) -> Iterator[Span]:
    """The spans of one run."""
    start = now - 60_000_000_000 + run * 1_000
    root = (1).to_bytes(8, "big")

    def span(number: int, name: str, attributes: dict[str, str]) -> Span:
        made = Span(
            trace_id=trace_id(project, run),
            span_id=number.to_bytes(8, "big"),
            parent_span_id=b"" if number == 1 else root,
            name=name,
            start_time_unix_nano=start + number * 1_000_000,
            end_time_unix_nano=start + number * 1_000_000 + 900_000,
        )
        for key, value in attributes.items():
            made.attributes.add(key=key).value.string_value = value
        return made

    history = [_message("user", _text(task_of(run)))]
    number = 2
    for turn in range(ROUNDS):
        identity = f"call-{run}-{turn}"
        call = {"type": "tool_call", "id": identity, "name": "look_up", "arguments": {"turn": turn}}
        answer = _message("assistant", call)
        yield span(number, "chat m", _chat(history, answer))
        result = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "look_up"}
        result |= {"gen_ai.tool.call.id": identity, "gen_ai.tool.call.result": f"found {turn} of {run}"}
        yield span(number + 1, "execute_tool look_up", result)
        response = {"type": "tool_call_response", "id": identity, "response": f"found {turn} of {run}"}
        history = [*history, answer, _message("tool", response)]
        number += 2
    yield span(number, "chat m", _chat(history, _message("assistant", _text(f"Refunded {run}"))))
    yield span(1, "invoke_agent clerk", {"gen_ai.operation.name": "invoke_agent"})


def _chat(history: list[dict[str, Any]], answer: dict[str, Any]) -> dict[str, str]:
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": "m",
        "gen_ai.input.messages": json.dumps(history),
        "gen_ai.output.messages": json.dumps([answer]),
    }


def encoded(spans: list[Span], as_json: bool) -> tuple[str, bytes]:
    """The content type and the body of a request."""
    request = ExportTraceServiceRequest()
    request.resource_spans.add().scope_spans.add().spans.extend(spans)
    if not as_json:
        return "application/x-protobuf", request.SerializeToString()
    body = MessageToDict(request)
    # The protobuf mapping writes ids as base64; OTLP writes them in hexadecimal.
    sent = body["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for written, span in zip(sent, spans, strict=True):
        written["traceId"], written["spanId"] = span.trace_id.hex(), span.span_id.hex()
        if span.parent_span_id:
            written["parentSpanId"] = span.parent_span_id.hex()
    return "application/json", json.dumps(body).encode()


class Sender:
    """Sends batches with some threads, and waits when the server asks for it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._work: SimpleQueue[tuple[str, list[Span], bool]] = SimpleQueue()
        self.problems: list[str] = []

    def put(self, key: str, spans: list[Span], as_json: bool) -> None:
        """Queues one request."""
        self._work.put((key, spans, as_json))

    def send_all(self) -> None:
        """Sends everything that is queued."""
        threads = [threading.Thread(target=self._run) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _run(self) -> None:
        connection = http.client.HTTPConnection(self._address, timeout=120)
        while not self.problems:
            try:
                key, spans, as_json = self._work.get_nowait()
            except Empty:
                break
            kind, body = encoded(spans, as_json)
            headers = {"Authorization": f"Bearer {key}", "Content-Type": kind}
            status, text = self._delivered(connection, body, headers)
            if status != 200 or (as_json and json.loads(text)) or (not as_json and text):
                self.problems.append(f"{status}: {text[:300]!r}")
        connection.close()

    @staticmethod
    def _delivered(
        connection: http.client.HTTPConnection, body: bytes, headers: dict[str, str]
    ) -> tuple[int, bytes]:
        """Sends a request until the server answers it, as exporters do."""
        end = time.monotonic() + OUTAGE_SECONDS
        while True:
            try:
                connection.request("POST", "/otlp/v1/traces", body, headers)
                answer = connection.getresponse()
                text = answer.read()
            except (OSError, http.client.HTTPException) as problem:
                # The server was killed, perhaps after it had stored the spans.
                connection.close()
                if time.monotonic() > end:
                    return 0, str(problem).encode()
                time.sleep(0.2)
                continue
            if answer.status not in REFUSED:
                return answer.status, text
            end = time.monotonic() + OUTAGE_SECONDS
            time.sleep(float(answer.headers.get("Retry-After", "1")))


def batches(spans: list[Span]) -> Iterator[list[Span]]:
    """The spans in requests."""
    for at in range(0, len(spans), BATCH):
        yield spans[at : at + BATCH]


def everything(place: dict[str, Any], chance: random.Random, now: int) -> list[tuple[str, list[Span], bool]]:
    """All spans in random order, some of them several times."""
    queued = []
    for project, key in enumerate(place["keys"]):
        spans = [span for run in range(place["runs"]) for span in spans_of(project, run, now)]
        spans += chance.sample(spans, int(len(spans) * AGAIN))
        chance.shuffle(spans)
        queued += [(key, batch, chance.random() < 0.5) for batch in batches(spans)]
    chance.shuffle(queued)
    return queued


def some_runs(place: dict[str, Any], chance: random.Random, now: int) -> list[tuple[str, list[Span], bool]]:
    """Whole runs, as a collector may send them again."""
    queued = []
    for project, key in enumerate(place["keys"]):
        for run in range(0, place["runs"], 7):
            spans = list(spans_of(project, run, now))
            chance.shuffle(spans)
            queued.append((key, spans, chance.random() < 0.5))
    return queued


def roots(place: dict[str, Any], chance: random.Random, now: int) -> list[tuple[str, list[Span], bool]]:
    """The roots alone, whose second arrival ends their runs."""
    queued = []
    for project, key in enumerate(place["keys"]):
        spans = [list(spans_of(project, run, now))[-1] for run in range(place["runs"])]
        queued += [(key, batch, chance.random() < 0.5) for batch in batches(spans)]
    return queued


WHAT = {"everything": everything, "some_runs": some_runs, "roots": roots}


def main() -> int:
    """Sends what the place asks for."""
    place = json.load(sys.stdin)
    sender = Sender(place["address"])
    queued = WHAT[place["what"]](place, random.Random(place["seed"]), place["now"])
    for one in queued:
        sender.put(*one)
    sender.send_all()
    print(json.dumps({"sent": sum(len(spans) for _, spans, _ in queued), "problems": sender.problems}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
