"""The holder of a key that may only read: parsed cost, waiting, streams, slow reading."""

from __future__ import annotations

import json
import time
from urllib.parse import quote

from attack import wire
from attack.no_key import others_are_served
from attack.registry import attacks_of, got_in, took_down
from attack.target import Caller, Target, uuid7
from attack.wire import Held

attack = attacks_of("read key")

# Above what the parts of a body may take while they are read: the body itself, and what is parsed from it.
MOST_PEAK_KILOBYTES = 250_000
GZIP = {"Content-Encoding": "gzip", "Content-Type": "application/json"}


def reader(target: Target) -> Caller:
    """A key that may read memories and runs."""
    return target.caller(target.owner().slug, "memory:read", "trace:read")


def costly(target: Target, what: str, key: Caller, bodies: list[bytes], headers: dict[str, str]) -> str:
    """Sends bodies at once; the server refuses them or takes little memory for them."""
    target.forget_peak()
    before = target.memory_kilobytes()
    answers = wire.together(len(bodies), lambda n: key.send("POST", "/memory/query", bodies[n], headers), 8)
    if not target.is_alive():
        took_down(f"{what} ended the process")
    peak = target.memory_kilobytes("VmHWM") - before
    if peak > MOST_PEAK_KILOBYTES:
        took_down(f"{what}: {len(bodies)} bodies of {len(bodies[0])} bytes took {peak} kB")
    return f"status {answers[0].status}, {peak} kB at most"


@attack("nested arrays in a filter, compressed", row=4, defence="json-cost")
def nested_arrays(target: Target) -> str:
    """30 MB of empty arrays fit into 31 kB of gzip and would take ten times as much when parsed."""
    size = 10_000_000
    body = b'{"task": "t", "metadata_filter": {"a": [' + b"[]," * size + b"[]]}}"
    return costly(target, "empty arrays", reader(target), [wire.gzipped(body)], GZIP)


@attack("small compressed bodies that grow when parsed", row=4, defence="json-cost")
def many_small(target: Target) -> str:
    """Eight bodies of 4 kB at the same time."""
    body = wire.gzipped(b'{"task": "t", "metadata_exclude": {"a": [' + b"0," * 2_000_000 + b"0]}}")
    return costly(target, "lists of numbers", reader(target), [body] * 8, GZIP)


@attack("a filter that stays on the receipt", row=4, defence="json-cost")
def stored_filter(target: Target) -> str:
    """A filter is stored with its receipt for 30 days, so it must be small."""
    key = reader(target)
    # Together below the largest body of a query.
    value = ["x" * 1000] * 20
    for name in ("metadata_filter", "metadata_exclude"):
        key.send("POST", "/memory/query", {"task": "t", name: {f"k{n}": value for n in range(20)}})
    largest = target.sql("select coalesce(max(pg_column_size(retrieval.*)), 0) from retrieval")
    widest = target.sql("select coalesce(max(length(parameters::text)), 0) from retrieval")
    if int(largest) > 64_000 or int(widest) > 128_000:
        took_down(f"one query stored {largest} bytes ({widest} characters of parameters)")
    return f"at most {widest} characters"


@attack("deep JSON")
def deep_json(target: Target) -> str:
    """A million levels do not overflow a stack, in any place of a body."""
    key = reader(target)
    for start, end in (("[", "]"), ('{"a":', "}")):
        depth = 200_000 if target.quick else 1_000_000
        deep = start * depth + ("0" if start != "[" else "") + end * depth
        for body in (deep, f'{{"task": "t", "metadata_filter": {{"a": {deep}}}}}', f'{{"task": {deep}}}'):
            answer = key.send("POST", "/memory/query", body.encode(), {"Content-Type": "application/json"})
            if answer.ok or answer.status >= 500:
                took_down(f"{depth} levels answered {answer.status}")
    if not target.is_alive():
        took_down("deep JSON ended the process")
    return "refused"


@attack("a flood of JSON keys", defence="json-cost")
def key_flood(target: Target) -> str:
    """A million fields, known or not, are refused or cost little."""
    count = 400_000 if target.quick else 1_000_000
    fields = ",".join(f'"k{number}":0' for number in range(count))
    bodies = [f'{{"task": "t", {fields}}}', f'{{"task": "t", "metadata_filter": {{{fields}}}}}']
    return costly(
        target,
        "fields",
        reader(target),
        [body.encode() for body in bodies],
        {"Content-Type": "application/json"},
    )


@attack("gzip bombs")
def gzip_bomb(target: Target) -> str:
    """A gigabyte of spaces, and gzip in gzip, end at the limit of a body."""
    key = reader(target)
    inner = wire.gzipped(b" " * 300_000_000)
    for body, coding in (
        (inner, "gzip"),
        (wire.gzipped(inner), "gzip, gzip"),
        (inner, "deflate"),
        (inner, "br"),
    ):
        target.forget_peak()
        before = target.memory_kilobytes()
        headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
        answer = key.send("POST", "/memory/query", body, headers)
        peak = target.memory_kilobytes("VmHWM") - before
        if answer.ok or peak > MOST_PEAK_KILOBYTES:
            took_down(f"{len(body)} bytes of {coding} answered {answer.status} and took {peak} kB")
    return "refused at the limit"


@attack("long polls of one key", row=7, defence="waits-per-key")
def long_polls(target: Target) -> str:
    """One key cannot occupy every place for waiting requests."""
    owner = target.owner()
    key = target.caller(owner.slug, "trace:read")
    other = target.owner(target.fresh("other"))
    reviewed = other.trace("Feed the cat")
    wait = f"GET {key.root}/traces/{uuid7()}?wait=50 HTTP/1.1\r\nHost: a\r\n"
    wait += f"Authorization: Bearer {key.key}\r\n\r\n"
    with Held() as held:
        for _ in range(1040):
            held.open(target.port, wait.encode())
        time.sleep(1)
        answer = other.send("POST", f"/traces/{reviewed}/review", {"result": "pass", "grace_seconds": 60})
        again = other.send("GET", f"/traces/{reviewed}?wait=1")
    for one in (answer, again):
        if not one.ok:
            took_down(f"another project's request got {one.status} {one.code} during 1,040 long polls")
    return "another project was served meanwhile"


@attack("event streams of one key", defence="requests-per-key")
def event_streams(target: Target) -> str:
    """One key cannot occupy every event stream."""
    key = reader(target)
    other = reader(target)
    head = "GET {}/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {}\r\n\r\n"
    with Held() as held:
        for _ in range(1040):
            held.open(target.port, head.format(key.root, key.key).encode())
        time.sleep(1)
        stream = held.open(target.port, head.format(other.root, other.key).encode())
        raw = wire.received(stream, 5) if stream is not None else b""
    if wire.statuses(raw)[:1] != [200]:
        took_down(f"another key's stream got {wire.statuses(raw)} during 1,040 streams of one key")
    return "another key's stream opened"


@attack("a flood of requests of one key", defence="requests-per-key")
def request_flood(target: Target) -> str:
    """A key has a part of the places for requests; beyond it, 429 with Retry-After."""
    key = reader(target)
    head = f"POST {key.root}/memory/query HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key.key}\r\n"
    head += "Content-Type: application/json\r\nContent-Length: 50\r\n\r\n"
    with Held() as held:
        opened = [held.open(target.port, head.encode() + b"{") for _ in range(300)]
        others_are_served(target, "300 requests of one key")
        answers = wire.answers_of([one for one in opened if one is not None], 2)
    refused = [raw for raw in answers if wire.statuses(raw)[:1] == [429]]
    if not refused:
        took_down("300 requests of one key at the same time, and none was refused")
    if b"retry-after" not in refused[0].lower():
        got_in("429 without Retry-After")
    return f"{len(refused)} of {len(answers)} refused with 429"


@attack("a fast sequence of requests of one key")
def fast_requests(target: Target) -> str:
    """A key that queries as fast as it can does not slow down others; the watch decides."""
    key = reader(target)
    end = time.monotonic() + (2 if target.quick else 5)
    answers: list[int] = []

    def flood(_: int) -> None:
        while time.monotonic() < end:
            answers.append(key.send("POST", "/memory/query", {"task": "t"}).status)

    wire.together(48, flood, 48)
    wrong = [status for status in answers if status not in (0, 200, 429, 503)]
    if wrong:
        took_down(f"a query answered {wrong[0]}")
    return f"{len(answers)} queries"


@attack("slow readers", row=13, defence="slow-reader", quick=False)
def slow_readers(target: Target) -> str:
    """A client that does not read its response is disconnected, and its page is not kept."""
    owner = target.owner()
    for _ in range(4):
        owner.trace("Water the plants", metadata={"a": "x" * 200_000}, final_response="y" * 4_000_000)
    key = target.caller(owner.slug, "trace:read")
    head = f"GET {key.root}/traces HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key.key}\r\n\r\n"
    with Held() as held:
        opened = [held.open(target.port, head.encode(), small_buffer=True) for _ in range(24)]
        deadline = time.monotonic() + 45
        waiting = [one for one in opened if one is not None]
        while waiting and time.monotonic() < deadline:
            time.sleep(1)
            waiting = [one for one in waiting if not _is_reset(one) and not _is_refused(one)]
    if waiting:
        took_down(f"{len(waiting)} clients that do not read were connected after 45 s")
    return "all disconnected"


def _is_reset(connection: wire.socket.socket) -> bool:
    """Whether the connection ended, without reading from it."""
    state = connection.getsockopt(wire.socket.IPPROTO_TCP, wire.socket.TCP_INFO, 1)[0]
    # 1 is ESTABLISHED. 8 is CLOSE_WAIT: the server sent its end after what was not read.
    return state != 1


def _is_refused(connection: wire.socket.socket) -> bool:
    """Whether the response is a short refusal, which holds no memory. Looks without reading."""
    flags = wire.socket.MSG_PEEK | wire.socket.MSG_DONTWAIT
    try:
        return connection.recv(12, flags)[9:] in (b"429", b"503")
    except BlockingIOError:
        return False


@attack("ids, cursors and numbers out of range")
def odd_parameters(target: Target) -> str:
    """Parameters of any size and form are refused as client errors."""
    key = reader(target)
    odd = ("", "0", "-1", "1e309", "9" * 5000, "NaN", "%00", "%ff", "null", "'", "[]", "1;select 1", "\u202e")
    lists = ("/traces", "/memories", "/traces/rows", "/actions")
    for value in odd:
        word = value if value.startswith("%") else quote(value)
        for path in lists[:1] if target.quick else lists:
            for name in ("limit", "cursor", "since", "sort", "status", "memory_id", "from", "wait", "q"):
                answer = key.send("GET", f"{path}?{name}={word}")
                if answer.status >= 500 and answer.status not in (501, 503):
                    got_in(f"GET {path}?{name}={value[:20]!r} answered {answer.status}")
        for path in ("/traces/", "/memories/", "/retrievals/", "/actions/"):
            answer = key.send("GET", path + word)
            if answer.status >= 500:
                got_in(f"GET {path}{value[:20]!r} answered {answer.status}")
    return f"{len(odd)} values refused"


@attack("costly search texts")
def costly_search(target: Target) -> str:
    """Patterns that match in many ways, and long texts, do not take long."""
    owner = target.owner()
    owner.must(
        "POST", "/traces/batch", {"traces": [{"task": "a" * 5000, "trajectory": [], "model": "a" * 900}] * 60}
    )
    key = target.caller(owner.slug, "memory:read", "trace:read")
    began = time.monotonic()
    for text in ("a*" * 400 + "b", "%a" * 400, "a" * 8000, "(a+)+$" * 50, "\\" * 500, "_" * 5000):
        for path in (f"/traces/rows?text={quote(text)}", f"/traces/rows?model={quote(text)}"):
            key.send("GET", path)
        key.send("GET", f"/memories?text={quote(text)}")
        key.send("POST", "/memory/query", {"task": text})
    seconds = time.monotonic() - began
    if seconds > (40 if target.quick else 20):
        took_down(f"24 searches took {seconds:.0f} s")
    return f"24 searches in {seconds:.1f} s"


@attack("text that looks like SQL")
def sql_in_fields(target: Target) -> str:
    """SQL in every text field is text."""
    owner = target.owner()
    before = target.sql("select count(*) from project")
    texts = ("'; drop table trace; --", '" or ""="', "\\'; select pg_sleep(9); --", "$1", "%s%n{}", "{{7*7}}")
    for text in texts:
        body = {
            "task": text,
            "trajectory": [{"role": text, "content": text}],
            "model": text,
            "metadata": {text: text},
            "retrieved_memory_ids": [text],
            "final_response": text,
        }
        owner.send("POST", "/traces", body, {"Idempotency-Key": text})
        owner.send("POST", "/memory/query", {"task": text, "metadata_filter": {text: [text]}})
        owner.send("POST", "/memories", {"task": text, "guidance": text, "metadata": {text: {text: text}}})
        owner.send("POST", "/client-reports", {"client": text, "sdk": text, "dropped": 0, "spooled": 0})
        owner.send("POST", "/erasures", {"subject": text})
        for path in (f"/memories?text={quote(text)}", f"/traces/rows?q={quote(text)}"):
            if owner.send("GET", path).status >= 500:
                got_in(f"{path} answered with an internal error")
    found = [row["task"] for row in owner.must("GET", "/memories?include_same_lesson=true")]
    if target.sql("select count(*) from project") < before or sorted(found) != sorted(texts):
        got_in(f"text was not stored as it is: {json.dumps(found)[:200]}")
    return f"{len(texts)} texts in 16 fields"
