"""Attackers without a key who want to keep others from using the server."""

from __future__ import annotations

import secrets
import time

from attack import wire
from attack.registry import attacks_of, got_in, took_down
from attack.target import Target
from attack.wire import Held

attack = attacks_of("no key")

# An installation with a thousand routes and statuses has less.
MOST_METRICS = 512 * 1024
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"
# Routes that read a body before they know the caller.
PUBLIC_POSTS = ("/login", "/setup", "/logout", "/v1/bootstrap", "/v1/feedback")


def others_are_served(target: Target, what: str, seconds: float = 0.0) -> None:
    """Another caller stores and reads while the attack continues."""
    owner = target.owner(target.fresh("other"))
    deadline = time.monotonic() + seconds
    while True:
        for method, rest, body in (
            ("POST", "/traces", {"task": "Water the plants", "trajectory": []}),
            ("POST", "/memory/query", {"task": "Water the plants"}),
            ("GET", "/traces", None),
        ):
            answer = owner.send(method, rest, body)
            if not answer.ok:
                took_down(f"{what}: {method} {rest} of another caller got {answer.status} {answer.code}")
        if time.monotonic() >= deadline:
            return
        time.sleep(0.2)


@attack("unknown methods as metric labels", row=1, defence="metric-labels")
def method_labels(target: Target) -> str:
    """Every new method must not become a time series."""
    before = len(target.send("GET", "/metrics").body)
    for number in range(target.count(80)):
        method = f"X{number}" + secrets.token_hex(10_000).upper()
        target.raw(f"{method} / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode(), 5)
    after = target.send("GET", "/metrics").body
    if len(after) > MOST_METRICS or len(after) > before + 100_000:
        took_down(f"/metrics grew from {before} to {len(after)} bytes")
    return f"/metrics has {len(after)} bytes"


@attack("paths, hosts and versions as metric labels", defence="metric-labels")
def other_labels(target: Target) -> str:
    """Neither a path nor a header nor an error may create time series without limit."""
    before = target.send("GET", "/metrics").text.count("\n")
    for number in range(target.count(400)):
        headers = {"Host": f"h{number}.example", "X-Request-Id": f"r{number}", "User-Agent": f"u{number}"}
        target.send("GET", f"/v1/{secrets.token_hex(4)}/{number}", headers=headers)
        target.send(f"M{number}", f"/v1/projects/p{number}/traces")
    lines = target.send("GET", "/metrics").text.count("\n")
    if lines > before + 200:
        took_down(f"/metrics grew from {before} to {lines} lines")
    return f"{lines - before} more lines"


@attack("slow bodies without a key", row=2, defence="unauthenticated-body")
def slow_bodies(target: Target) -> str:
    """Chunked bodies that never end must not reserve the memory for all bodies."""
    with Held() as held:
        for number in range(40):
            path = PUBLIC_POSTS[number % len(PUBLIC_POSTS)]
            kind = "Content-Type: application/json\r\n" if path.startswith("/v1/") else FORM
            head = f"POST {path} HTTP/1.1\r\nHost: a\r\n{kind}Transfer-Encoding: chunked\r\n\r\n1\r\nt\r\n"
            held.open(target.port, head.encode())
        others_are_served(target, "40 slow bodies", seconds=1 if target.quick else 4)
    return "others were served meanwhile"


@attack("announced bodies that never arrive", row=2, defence="unauthenticated-body")
def missing_bodies(target: Target) -> str:
    """`Content-Length: 5` without a body must not occupy a place for requests."""
    with Held() as held:
        for number in range(320):
            path = PUBLIC_POSTS[number % len(PUBLIC_POSTS)]
            kind = "Content-Type: application/json\r\n" if path.startswith("/v1/") else FORM
            head = f"POST {path} HTTP/1.1\r\nHost: a\r\n{kind}Content-Length: 5\r\n\r\n"
            held.open(target.port, head.encode())
        others_are_served(target, "320 announced bodies", seconds=1 if target.quick else 4)
    return "others were served meanwhile"


@attack("bodies of project routes without a key")
def bodies_before_the_key(target: Target) -> str:
    """A route that needs a key must refuse before it reads the body."""
    head = "POST /v1/projects/p/traces HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
    with Held() as held:
        opened = [
            held.open(target.port, f"{head}Content-Length: 30000000\r\n\r\n{{".encode()) for _ in range(40)
        ]
        others_are_served(target, "40 announced bodies of 30 MB")
        answers = [wire.received(one, 10) for one in opened if one is not None]
    refused = [raw for raw in answers if not raw or wire.statuses(raw)[:1] == [401]]
    if len(refused) < len(answers):
        took_down("a request without a key was not refused before its body arrived")
    return "all refused before their bodies arrived"


@attack("slow headers")
def slow_headers(target: Target) -> str:
    """Connections that send headers slowly are closed, and others are served."""
    with Held() as held:
        opened = [
            held.open(target.port, b"GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ")
            for _ in range(target.count(800))
        ]
        others_are_served(target, "slow headers")
        if target.quick:
            return "others were served meanwhile"
        time.sleep(14)
        still = sum(1 for one in opened if one is not None and not wire.is_closed(one))
    if still:
        took_down(f"{still} of {len(opened)} connections were open 14 s later")
    return "all closed within 14 s"


@attack("a flood of headers")
def header_flood(target: Target) -> str:
    """Many and long headers are refused."""
    many = "".join(f"X-{number}: {number}\r\n" for number in range(5000))
    long = "X-Long: " + "a" * 2_000_000 + "\r\n"
    for headers in (many, long):
        raw = target.raw(f"GET /health HTTP/1.1\r\nHost: a\r\n{headers}\r\n".encode(), 10)
        if wire.statuses(raw)[:1] == [200]:
            took_down(f"a request with {len(headers)} bytes of headers was accepted")
    others_are_served(target, "a flood of headers")
    return "refused"


@attack("idle connections")
def idle_connections(target: Target) -> str:
    """A thousand connections that send nothing do not disturb others."""
    with Held() as held:
        for _ in range(target.count(1000)):
            held.open(target.port, b"")
        others_are_served(target, "idle connections")
    return "others were served meanwhile"


@attack("connections that end in the middle", row=12, defence="connection-state")
def broken_off(target: Target) -> str:
    """Requests that end at any moment leave no database connection in the middle of a transaction."""
    owner, before = target.owner(), confused_transactions(target)
    body = b'{"task": "Water the plants", "limit": 5}'
    # Only some of them end while a BEGIN or COMMIT is under way, so the short form needs as many.
    for round_ in range(40):
        with Held() as held:
            for number in range(60):
                path, method = (
                    (f"{owner.root}/memory/query", "POST") if number % 3 else (f"{owner.root}/traces", "GET")
                )
                head = f"{method} {path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {owner.key}\r\n"
                if method == "POST":
                    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                held.open(target.port, head.encode() + b"\r\n" + (body if method == "POST" else b""))
            time.sleep(0.005 * (round_ % 5))
    time.sleep(0.5)
    others_are_served(target, "broken-off requests")
    resting = target.sql(
        "select count(*) from pg_stat_activity where datname = current_database() "
        "and pid <> pg_backend_pid() and state like 'idle in transaction%' "
        "and state_change < now() - interval '400 milliseconds'"
    )
    if resting != "0":
        took_down(f"{resting} database connections rest inside a transaction")
    confused = confused_transactions(target) - before
    if confused:
        took_down(f"Postgres reported {confused} connections in an unknown state")
    return "no connection rests inside a transaction"


def confused_transactions(target: Target) -> int:
    """How often Postgres warned about a transaction that exists already, or does not exist.

    0 if the log is not the file of `cargo xtask db`.
    """
    log = target.sql(
        "select coalesce((select pg_read_file(file, greatest(0, size - 2000000), 2000000, true) "
        "from (select setting || '/server.log' as file from pg_settings where name = 'data_directory') as at"
        ", lateral pg_stat_file(file, true)), '')"
    )
    phrases = ("already a transaction in progress", "no transaction in progress")
    return sum(1 for line in log.splitlines() if any(phrase in line for phrase in phrases))


@attack("denials that fill the audit log", row=13, defence="denial-counts")
def denial_flood(target: Target) -> str:
    """A flood of requests without a key is counted, not stored one by one."""
    slug = target.owner().slug
    before = int(target.sql("select count(*) from audit_entry"))
    size = target.count(1200)
    wire.together(size, lambda number: target.send("GET", f"/v1/projects/{slug}/traces?{number}"))
    time.sleep(2)
    more = int(target.sql("select count(*) from audit_entry")) - before
    if more > size // 10:
        took_down(f"{size} requests without a key wrote {more} audit entries")
    return f"{size} denials, {more} audit entries"


@attack("a flood of feedback", defence="feedback-limits")
def feedback_flood(target: Target) -> str:
    """The token of one run, and guessed tokens, cannot be used without limit."""
    owner = target.owner()
    trace = owner.trace("Water the plants")
    token = owner.must("POST", f"/traces/{trace}/feedback-token", {})["token"]

    def vote(number: int) -> int:
        sent = token if number % 2 else f"rff_{secrets.token_hex(len(token) // 2 - 2)}"
        return target.send("POST", "/v1/feedback", {"token": sent, "outcome": "fail"}).status

    size, began = target.count(400), time.monotonic()
    statuses = wire.together(size, vote)
    seconds = time.monotonic() - began
    others_are_served(target, "a flood of feedback")
    answered, stored = size - statuses.count(429), statuses.count(204)
    if answered > 60 + 10 * seconds:
        took_down(f"{answered} of {size} votes of one address were answered in {seconds:.1f} s")
    if stored > 6 + seconds / 10:
        took_down(f"one token voted {stored} times in {seconds:.1f} s")
    return f"{answered} of {size} answered, {stored} stored"


@attack("upload without a key as gzip")
def compressed_login(target: Target) -> str:
    """A form that expands to a gigabyte is refused."""
    bomb = wire.gzipped(b"t=" + b"a" * 64_000_000)
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Content-Encoding": "gzip"}
    target.forget_peak()
    wire.together(16, lambda _: target.send("POST", "/login", bomb, headers))
    peak = target.memory_kilobytes("VmHWM") - target.memory_kilobytes()
    if peak > 200_000:
        took_down(f"16 compressed forms of {len(bomb)} bytes took {peak} kB")
    if target.send("POST", "/login", bomb, headers).ok:
        got_in("a compressed form of 64 MB was accepted")
    return f"{peak} kB at most"
