"""The holder of a key that may record runs: influence, repeats, size."""

from __future__ import annotations

import secrets
import time

from attack import wire
from attack.registry import attacks_of, got_in, took_down
from attack.target import Target, uuid7

attack = attacks_of("write key")


@attack("moving memories without a receipt", row=6, defence="influence-receipt")
def influence(target: Target) -> str:
    """A run with known ids and `alpha: 1` does not move memories that its key never received."""
    owner = target.owner()
    memory = owner.memory("Answer the customer", "Look up the order first.")
    writer = target.caller(owner.slug, "trace:write")
    before = owner.stored(memory)["q_value"]
    for result in ("fail", "pass"):
        for link in (
            {"retrieved_memory_ids": [memory]},
            {"used_memory_ids": [memory], "retrieved_memory_ids": [memory]},
            {"trajectory": [{"role": "user", "content": f'<memory id="{memory}">x</memory>'}]},
            {"retrieval_id": uuid7(), "retrieved_memory_ids": [memory]},
        ):
            review = {"result": result, "alpha": 1, "reflection": {"guidance": "It was wrong."}}
            body = {"task": "Answer the customer", "trajectory": [], "review": review, **link}
            writer.send("POST", "/traces", body)
            writer.send("POST", "/traces/batch", {"traces": [body]})
        after = owner.stored(memory)["q_value"]
        if abs(after - before) > 1e-6:
            got_in(f"a key with only trace:write moved a utility from {before:.2f} to {after:.2f}")
    return "not moved"


@attack("the receipt of another key", defence="influence-receipt")
def foreign_receipt(target: Target) -> str:
    """A receipt counts for the key that received it only."""
    owner = target.owner()
    memory = owner.memory("Answer the customer", "Look up the order first.")
    receipt = owner.send("POST", "/memory/query", {"task": "Answer the customer"}).headers.get(
        "x-retrieval-id"
    )
    writer = target.caller(owner.slug, "trace:write")
    before = owner.stored(memory)["q_value"]
    review = {"result": "fail", "alpha": 1, "reflection": {"guidance": "It was wrong."}}
    body = {"task": "Answer the customer", "trajectory": [], "retrieval_id": receipt, "review": review}
    writer.send("POST", "/traces", body)
    if abs(owner.stored(memory)["q_value"] - before) > 1e-6:
        got_in("a run moved a memory with the receipt of another key")
    return "not moved"


@attack("repeats with another body, key or project")
def idempotency(target: Target) -> str:
    """An idempotency key returns a stored response only for the same request of the same project."""
    owner, other = target.owner(), target.owner()
    body = {"label": "first", "scopes": ["memory:read"]}
    header = {"Idempotency-Key": target.fresh("repeat")}
    first = owner.send("POST", "/api-keys", body, header)
    text = first.json()["api_key"] if first.ok else ""
    narrow = target.caller(owner.slug, "trace:write")
    for caller, sent in ((owner, body), (owner, {**body, "label": "x"}), (other, body), (narrow, body)):
        answer = caller.send("POST", "/api-keys", sent, header)
        if text and text in answer.text:
            got_in("a repeat returned the text of a key")
    trace = owner.send("POST", "/traces", {"task": "secret task", "trajectory": []}, header)
    repeat = other.send("POST", "/traces", {"task": "secret task", "trajectory": []}, header)
    if trace.ok and repeat.ok and trace.json()["id"] == repeat.json()["id"]:
        got_in("a repeat in another project returned the response of the first")
    for key in ("x" * 256, "", "\x7f", "a" * 70_000):
        if (
            owner.send("POST", "/traces", {"task": "t", "trajectory": []}, {"Idempotency-Key": key}).status
            >= 500
        ):
            got_in(f"an idempotency key of {len(key)} characters is an internal error")
    return "nothing was returned"


@attack("the trace id of another project")
def foreign_trace_id(target: Target) -> str:
    """A chosen id neither reads nor overwrites the run of another project."""
    victim, writer = target.owner(), target.owner()
    identity = uuid7()
    victim.must("POST", "/traces", {"trace_id": identity, "task": "secret task", "trajectory": []})
    answer = writer.send("POST", "/traces", {"trace_id": identity, "task": "other", "trajectory": []})
    if "secret task" in answer.text or victim.must("GET", f"/traces/{identity}")["task"] != "secret task":
        got_in("a run of another project was read or overwritten")
    for wrong in ("00000000-0000-7000-8000-000000000000", "ffffffff-ffff-7fff-bfff-ffffffffffff", "x"):
        answer = writer.send("POST", "/traces", {"trace_id": wrong, "task": "t", "trajectory": []})
        if answer.ok or answer.status >= 500:
            got_in(f"the id {wrong} answered {answer.status}")
    return "separate"


@attack("many large bodies at once")
def large_bodies(target: Target) -> str:
    """Bodies of 30 MB share a budget; the rest is refused, and the memory returns."""
    writer = target.caller(target.owner().slug, "trace:write")
    body = b'{"task": "t", "trajectory": [{"role": "user", "content": "' + b"x" * 30_000_000 + b'"}]}'
    kind = {"Content-Type": "application/json"}
    target.forget_peak()
    count = 8 if target.quick else 24
    answers = wire.together(count, lambda _: writer.send("POST", "/traces", body, kind), 24)
    if not target.is_alive():
        took_down(f"{count} bodies of 30 MB ended the process")
    wrong = [a.status for a in answers if not a.ok and a.status not in (0, 413, 422, 429, 503)]
    if wrong:
        took_down(f"a body of 30 MB answered {wrong[0]}")
    return f"{sum(a.ok for a in answers)} stored, {target.memory_kilobytes('VmHWM')} kB at most"


@attack("runs with too many parts", defence="json-cost")
def many_parts(target: Target) -> str:
    """Messages, metadata and ids without end are refused, and cost little."""
    writer = target.caller(target.owner().slug, "trace:write")
    kind = {"Content-Type": "application/json"}
    numbers = b"0," * 5_000_000 + b"0"
    target.forget_peak()
    before = target.memory_kilobytes()
    for body in (
        b'{"task": "t", "trajectory": [' + b"{}," * 2_000_000 + b"{}]}",
        b'{"task": "t", "trajectory": [], "metadata": {"a": [' + numbers + b"]}}",
        b'{"task": "t", "trajectory": [], "retrieved_memory_ids": [' + b'"",' * 3_000_000 + b'""]}',
        b'{"traces": [' + b"0," * 3_000_000 + b"0]}",
    ):
        path = "/traces/batch" if body.startswith(b'{"traces') else "/traces"
        if writer.send("POST", path, body, kind).ok:
            got_in(f"accepted a body that begins with {body[:50]!r}")
    peak = target.memory_kilobytes("VmHWM") - before
    if peak > 500_000:
        took_down(f"bodies of at most 10 MB took {peak} kB")
    return f"refused, {peak} kB at most"


def nested(field: int, body: bytes) -> bytes:
    """A protobuf message inside another one."""
    length, size = b"", len(body)
    while size > 127:
        length += bytes([size & 127 | 128])
        size >>= 7
    return bytes([field << 3 | 2]) + length + bytes([size]) + body


@attack("spans that grow when decoded", defence="json-cost")
def many_spans(target: Target) -> str:
    """An empty span has two bytes, and two hundred times as many when it is decoded."""
    owner = target.owner()
    key = target.caller(owner.slug, "trace:write")
    # Requests, groups by resource, groups by scope; in each of them, an empty part has two bytes.
    spans = nested(1, nested(2, b"\x12\x00" * 12_000_000))
    deep = b""
    for _ in range(5_000):
        # A value that is a list of one value.
        deep = nested(5, nested(1, deep))
    attribute = nested(1, nested(2, nested(2, nested(9, nested(2, deep)))))
    # The resource names an entity, and each empty name of its keys takes 24 bytes.
    entities = nested(1, nested(1, nested(3, b"\x1a\x00" * 12_000_000)))
    json_spans = b'{"resourceSpans": [' + b"{}," * 5_000_000 + b"{}]}"
    target.forget_peak()
    before = target.memory_kilobytes()
    for path in ("/otlp/v1/traces", "/otlp/v1/logs"):
        for body, kind in (
            (spans, "application/x-protobuf"),
            (attribute, "application/x-protobuf"),
            (entities, "application/x-protobuf"),
            (wire.gzipped(spans), "application/x-protobuf"),
            (
                json_spans.replace(b"Spans", b"Logs" if path.endswith("logs") else b"Spans"),
                "application/json",
            ),
        ):
            coding = {"Content-Encoding": "gzip"} if body.startswith(b"\x1f\x8b") else {}
            answer = target.send("POST", path, body, {**key.headers, "Content-Type": kind, **coding})
            if answer.status >= 500 and answer.status != 503:
                took_down(f"{path} answered {answer.status}")
            if body is entities and answer.ok:
                took_down(f"{path} decoded twelve million empty names")
    # As many as one request may have, in a small body, and many such requests.
    small = nested(1, nested(2, b"\x12\x00" * 240_000))
    # A long text that all spans of a request share.
    named = nested(1, b"service.name") + nested(2, nested(1, b"x" * 5_000_000))
    shared = nested(1, nested(1, nested(1, named)) + nested(2, b"\x12\x00" * 100_000))
    protobuf = {**key.headers, "Content-Type": "application/x-protobuf"}
    for body in (small, shared):
        sent = wire.together(
            24, lambda _, body=body: target.send("POST", "/otlp/v1/traces", body, protobuf), 24
        )
        wrong = [answer.status for answer in sent if not answer.ok and answer.status not in (0, 429, 503)]
        if wrong:
            took_down(f"empty spans answered {wrong[0]}")
    if not target.is_alive():
        took_down("spans ended the process")
    peak = target.memory_kilobytes("VmHWM") - before
    if peak > 500_000:
        took_down(f"spans of at most 24 MB took {peak} kB")
    return f"refused, {peak} kB at most"


def chat_span(run: bytes, number: int, messages: bytes) -> bytes:
    """A model call with this text as its messages, in a group of spans. Span 1 is the root."""
    parent = nested(4, (1).to_bytes(8, "big")) if number > 1 else b""
    fields = nested(1, run) + nested(2, number.to_bytes(8, "big")) + parent + nested(5, b"chat")
    for name, value in ((b"gen_ai.operation.name", b"chat"), (b"gen_ai.input.messages", messages)):
        fields += nested(9, nested(1, name) + nested(2, nested(1, value)))
    return nested(2, fields)


@attack("messages that grow when a run is built")
def many_messages(target: Target) -> str:
    """A number in a list has two bytes and is a message. All spans are read together when their run ends."""
    owner = target.owner()
    owner.must("PATCH", "", {"otlp": {"grace_seconds": 0}})
    key = target.caller(owner.slug, "trace:write")
    protobuf = {**key.headers, "Content-Type": "application/x-protobuf"}
    target.forget_peak()
    before = target.memory_kilobytes()
    # One list that is too long to be split, and many that are just short enough.
    for values, spans, at_once in ((5_000_000, 3, 1), (20_000, target.count(800), 100)):
        run, text = secrets.token_bytes(16), b"[" + b"1," * (values - 1) + b"1]"
        # The root is the last one, and ends the run.
        numbers = [*range(2, spans + 1), 1]
        for first in range(0, spans, at_once):
            group = b"".join(chat_span(run, number, text) for number in numbers[first : first + at_once])
            until_taken(target, nested(1, nested(2, group)), protobuf)
        waits = f"select count(*) from otlp_run where otlp_id = '{run.hex()}' and state < 2"
        deadline = time.monotonic() + 120
        while target.sql(waits).strip() != "0":
            if time.monotonic() > deadline:
                took_down("a run with many messages did not end within two minutes")
            time.sleep(0.2)
    if not target.is_alive():
        took_down("a run with many messages ended the process")
    peak = target.memory_kilobytes("VmHWM") - before
    if peak > 500_000:
        took_down(f"runs of at most 32 MB took {peak} kB")
    return f"ended, {peak} kB at most"


def until_taken(target: Target, body: bytes, headers: dict[str, str]) -> None:
    """Sends spans until they are taken: a busy server asks for another attempt."""
    deadline = time.monotonic() + 60
    while True:
        answer = target.send("POST", "/otlp/v1/traces", body, headers)
        if answer.ok:
            return
        if answer.status not in (0, 429, 503) or time.monotonic() > deadline:
            took_down(f"spans answered {answer.status}: {answer.text[:300]}")
        time.sleep(0.5)


@attack("odd texts in runs")
def odd_texts(target: Target) -> str:
    """Invalid, unpaired, unassigned and control characters are stored or refused, never an internal error."""
    owner = target.owner()
    texts = (
        b"\\u0000",
        b"\\ud800",
        b"\\udfff\\ud800",
        b"\\ufffe",
        b"\xff\xfe",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\\q",
    )
    for text in texts:
        for body in (
            b'{"task": "' + text + b'", "trajectory": "' + text + b'"}',
            b'{"task": "t", "trajectory": [{"'
            + text
            + b'": "'
            + text
            + b'"}], "metadata": {"'
            + text
            + b'": 1}}',
        ):
            answer = owner.send("POST", "/traces", body, {"Content-Type": "application/json"})
            if answer.status >= 500:
                got_in(f"{body[:40]!r} answered {answer.status}")
            if answer.ok and not owner.send("GET", f"/traces/{answer.json()['id']}").ok:
                got_in(f"a run with {text!r} was stored and cannot be read")
    if not owner.send("GET", "/traces").ok:
        took_down("the list of runs cannot be read any more")
    return f"{len(texts)} texts"


@attack("a flood of runs")
def run_flood(target: Target) -> str:
    """A key that records as fast as it can does not slow down others; the watch decides."""
    writer = target.caller(target.owner().slug, "trace:write")
    end = time.monotonic() + (2 if target.quick else 5)
    body = {"traces": [{"task": "t", "trajectory": [{"role": "user", "content": "x" * 2000}]}] * 50}
    sent: list[int] = []

    def flood(_: int) -> None:
        while time.monotonic() < end:
            sent.append(writer.send("POST", "/traces/batch", body).status)

    wire.together(16, flood, 16)
    wrong = [status for status in sent if status not in (0, 200, 429, 503)]
    if wrong:
        took_down(f"a batch answered {wrong[0]}")
    return f"{len(sent)} batches, {sum(status == 429 for status in sent)} refused with 429"
