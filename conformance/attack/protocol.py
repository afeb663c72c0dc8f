"""Attackers without a key who play with the protocol: framing, paths, methods, headers."""

from __future__ import annotations

import struct
from urllib.parse import urlsplit

from attack import wire
from attack.registry import attacks_of, got_in, took_down
from attack.target import Target
from server import BASE_PATH, Server

attack = attacks_of("no key")

SMUGGLED = b"GET /health?smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
HEALTHY = b'"status":"ok"'


def smuggling(target: Target, head: bytes, body: bytes) -> None:
    """A request whose length is ambiguous must be the last one of its connection."""
    raw = target.raw(head + b"\r\n" + body, 4)
    answers = wire.statuses(raw)
    if len(answers) > 1 and HEALTHY in raw.partition(b"\r\n\r\n")[2]:
        got_in(f"a second request was read from the body of {head.splitlines()[-1]!r}: {answers}")


@attack("request smuggling with two lengths")
def two_lengths(target: Target) -> str:
    """Content-Length beside Transfer-Encoding, in both orders, and two different lengths."""
    start = b"POST /v1/projects/p/traces HTTP/1.1\r\nHost: a\r\n"
    both = (b"Content-Length: %d\r\n" % (5 + len(SMUGGLED)), b"Transfer-Encoding: chunked\r\n")
    for first, second in (both, both[::-1]):
        smuggling(target, start + first + second, b"0\r\n\r\n" + SMUGGLED)
    smuggling(target, start + b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(SMUGGLED), SMUGGLED)
    smuggling(target, start + b"Content-Length: %d\r\nContent-Length: 0\r\n" % len(SMUGGLED), SMUGGLED)
    return "no second request was read"


@attack("request smuggling with malformed lengths")
def malformed_lengths(target: Target) -> str:
    """Spellings that a proxy may read in another way."""
    start = b"POST /v1/projects/p/traces HTTP/1.1\r\nHost: a\r\n"
    for length in (b"+0", b"0x0", b"0, 0", b"-1", b"0_0", b" 0\x0b", b"18446744073709551616"):
        smuggling(target, start + b"Content-Length: " + length + b"\r\n", SMUGGLED)
    for coding in (b"xchunked", b"chunked, identity", b"\x0bchunked", b"chunked\r\nTransfer-Encoding: x"):
        smuggling(target, start + b"Transfer-Encoding: " + coding + b"\r\n", b"0\r\n\r\n" + SMUGGLED)
    smuggling(target, start + b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n" + SMUGGLED)
    smuggling(target, start + b" Transfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SMUGGLED)
    return "no second request was read"


@attack("chunks that claim to be endless")
def endless_chunks(target: Target) -> str:
    """A chunk size that overflows, and chunk extensions without an end, are refused."""
    start = b"POST /login HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    start += b"Transfer-Encoding: chunked\r\n\r\n"
    target.forget_peak()
    for chunk in (b"fffffffffffffffff\r\na", b"7fffffffffffffff\r\na", b"1;" + b"x=y;" * 300_000 + b"\r\na"):
        raw = target.raw(start + chunk, 3)
        if any(status < 400 for status in wire.statuses(raw)):
            got_in(f"accepted a chunk that begins with {chunk[:20]!r}")
    peak = target.memory_kilobytes("VmHWM") - target.memory_kilobytes()
    if peak > 200_000:
        took_down(f"chunk sizes took {peak} kB")
    return "refused"


# Not watched, because it starts servers, which takes the processors.
@attack("a doubled base path and other spellings of a path", row=13, defence="one-path", watched=False)
def spellings(target: Target) -> str:
    """A proxy that denies a path must not be bypassed by another spelling of it."""
    paths = [
        *("//metrics", "/./metrics", "/x/../metrics", "/%6detrics", "/metrics/", "/metrics;a", "/METRICS"),
        *("/metrics%00", "/%2e/metrics", "/%2fmetrics", "/metrics%20", "/v1/..%2fmetrics", "/\\metrics"),
    ]
    log = target.folder / f"{target.fresh('prefixed')}.log"
    with Server(target.found.binary, target.environment, log, base_path=BASE_PATH) as server:
        port = urlsplit(server.base_url).port or 0
        doubled = [
            f"{BASE_PATH}{BASE_PATH}/metrics",
            f"{BASE_PATH}/{BASE_PATH}/metrics",
            "/v1/projects/p/traces",
        ]
        for path in doubled:
            answer = wire.send(port, "GET", path)
            if b"reflect_http_request" in answer.body or answer.status == 401:
                got_in(f"a server under {BASE_PATH} answers to {path}")
    for path in paths:
        raw = target.raw(f"GET {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".encode(), 5)
        if b"reflect_http_request" in raw:
            got_in(f"{path} returned the metrics")
    return f"{len(paths) + len(doubled)} spellings"


@attack("absolute and unusual request targets")
def request_targets(target: Target) -> str:
    """The server is not a proxy and has one name for each resource."""
    for line in (
        *("GET http://169.254.169.254/latest HTTP/1.1", "CONNECT 127.0.0.1:5432 HTTP/1.1", "GET * HTTP/1.1"),
        *(
            "OPTIONS * HTTP/1.1",
            "GET ../../etc/passwd HTTP/1.1",
            "GET /a b HTTP/1.1",
            "GET / HTTP/9.9",
            "GET /",
        ),
    ):
        raw = target.raw(f"{line}\r\nHost: a\r\nConnection: close\r\n\r\n".encode(), 4)
        if line.startswith("CONNECT") and any(200 <= status < 300 for status in wire.statuses(raw)):
            got_in("CONNECT was accepted")
        if b"root:" in raw or b"ami-id" in raw:
            got_in(f"{line} returned {raw[:200]!r}")
    return "no proxy, no files"


@attack("files outside the server's own")
def file_paths(target: Target) -> str:
    """Paths of files reach only the embedded ones."""
    rests = (
        "etc/passwd",
        "%2e%2e/etc/passwd",
        "..%2f..%2f..%2fetc/passwd",
        "....//etc/passwd",
        "%5c..%5cetc",
    )
    for start in ("/docs/", "/assets/", "/", "/docs/..", "/login/", "/console/"):
        for rest in (
            *rests,
            "../../../../etc/passwd",
            "%c0%ae%c0%ae/etc/passwd",
            "Cargo.toml",
            ".git/config",
        ):
            answer = target.send("GET", start + rest)
            if b"root:" in answer.body or b"[package]" in answer.body or b"[core]" in answer.body:
                got_in(f"{start}{rest} returned a file")
    return "no file was returned"


@attack("method override headers")
def method_override(target: Target) -> str:
    """A header or parameter does not change the method."""
    owner = target.owner()
    memory = owner.memory("Water the plants", "Start at the window.")
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"):
        owner.send("GET", f"/memories/{memory}?_method=DELETE", headers={name: "DELETE"})
        owner.send("POST", "/memory/query?_method=DELETE", {"task": "t"}, headers={name: "DELETE"})
        owner.send("GET", "", headers={name: "DELETE"})
    if owner.stored(memory)["status"] != "active" or not owner.send("GET", "").ok:
        got_in("a header changed the method of a request")
    return "ignored"


@attack("a foreign host in pages and links")
def foreign_host(target: Target) -> str:
    """Neither pages nor redirects nor links take their address from headers."""
    headers = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https"}
    headers |= {"Forwarded": "host=evil.example", "X-Original-URL": "/metrics", "X-Rewrite-URL": "/metrics"}
    for path in ("/login", "/setup", "/", "/docs", "/openapi.json", "/logout", "/login?t=x"):
        answer = target.send("GET", path, headers=headers)
        if b"evil.example" in answer.body or "evil.example" in "".join(answer.headers.values()):
            got_in(f"{path} repeats the host of the request")
        if b"reflect_http_request" in answer.body:
            got_in(f"{path} returned the metrics because of a header")
    admin = target.member("admin")
    body = {"name": target.fresh("ana"), "role": "viewer"}
    made = admin.send("POST", "/console/api/members", body, {"X-Forwarded-Host": "evil.example"})
    if "evil.example" in made.text:
        got_in("a sign-in link has the host of a header")
    return "not repeated"


@attack("upgrades to other protocols")
def upgrades(target: Target) -> str:
    """Neither WebSocket nor HTTP/2 over plain text; if HTTP/2 is spoken, resets in rapid order do no harm."""
    for upgrade in ("websocket", "h2c", "TLS/1.2"):
        head = f"GET /health HTTP/1.1\r\nHost: a\r\nUpgrade: {upgrade}\r\n"
        head += "Connection: Upgrade, HTTP2-Settings\r\nSec-WebSocket-Version: 13\r\n"
        head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nHTTP2-Settings: \r\n\r\n"
        if 101 in wire.statuses(target.raw(head.encode(), 3)):
            got_in(f"switched to {upgrade}")
    preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _frame(4, 0, 0, b"")
    raw = target.raw(preface, 3)
    if raw[3:4] != b"\x04":
        return "HTTP/2 is not spoken"
    reset = b"".join(
        _frame(1, 5, stream, b"\x82\x86\x84\x41\x01a") + _frame(3, 0, stream, struct.pack(">I", 8))
        for stream in range(1, 4001, 2)
    )
    target.raw(preface + reset, 10)
    if not target.is_alive():
        took_down("2,000 streams that were reset stopped the server")
    return "2,000 streams were reset"


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


@attack("overlapping ranges")
def ranges(target: Target) -> str:
    """A thousand ranges do not multiply a response."""
    whole = len(target.send("GET", "/openapi.json").body)
    answer = target.send("GET", "/openapi.json", headers={"Range": "bytes=" + ",".join(["0-"] * 1000)})
    if len(answer.body) > 2 * whole:
        took_down(f"{len(answer.body)} bytes instead of {whole}")
    return f"status {answer.status}, {len(answer.body)} bytes"


@attack("very large cookies")
def cookie_bomb(target: Target) -> str:
    """Thousands of cookies are read without effort or refused."""
    cookie = "; ".join(f"c{number}=x" for number in range(6000)) + "; reflect=x"
    answers = wire.together(
        target.count(200), lambda _: target.send("GET", "/console/api/session", headers={"Cookie": cookie})
    )
    wrong = [answer.status for answer in answers if answer.ok or answer.status >= 500]
    if wrong:
        took_down(f"answered {wrong[0]} to a request with {len(cookie)} bytes of cookies")
    return "refused"


@attack("requests that are echoed or shared with other sites")
def echoes(target: Target) -> str:
    """TRACE is not answered with the request, and no origin may read responses."""
    for method in ("TRACE", "TRACK", "DEBUG"):
        answer = target.send(method, "/health", headers={"Authorization": "Bearer echo-me"})
        if b"echo-me" in answer.body:
            got_in(f"{method} repeats the request")
    for method in ("OPTIONS", "GET"):
        headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
        for path in ("/v1/projects/p/traces", "/console/api/session", "/mcp", "/health"):
            allowed = target.send(method, path, headers=headers).headers.get("access-control-allow-origin")
            if allowed is not None:
                got_in(f"{method} {path} allows the origin {allowed}")
    return "neither echoed nor shared"


@attack("line breaks and escapes in the log")
def log_injection(target: Target) -> str:
    """What a client sends cannot forge a line of the log."""
    mark = target.fresh("forged")
    evil = f'\\u001b[31m{mark}", "level": "error'
    for path in (f"/%0a{mark}", f"/%1b[31m{mark}", f"/v1/projects/%0d%0a{mark}/traces"):
        target.send("GET", path, headers={"User-Agent": f"\x1b[31m{mark}", "Referer": evil})
    for name in ("X-Request-Id", "User-Agent", "X-Forwarded-For", "Authorization"):
        target.raw(f"GET /{mark} HTTP/1.1\r\nHost: a\r\n{name}: \x1b[2J{mark}\tx\r\n\r\n".encode(), 2)
    forged = [line for line in target.log().splitlines() if line.startswith(mark) or "\x1b" in line]
    if forged:
        got_in(f"the log has a line from a client: {forged[0][:200]!r}")
    return "no forged line"


@attack("internals in error messages")
def disclosure(target: Target) -> str:
    """Errors name no file, no statement and no address of the installation."""
    words = ("/rustc/", ".rs:", "panicked", "postgres://", "select ", "sqlx", "stack backtrace")
    for method, path, body in (
        ("POST", "/v1/bootstrap", b"\xff\xfe"),
        ("POST", "/mcp", b"{"),
        ("POST", "/login", b"%ff%00"),
        ("GET", "/v1/projects/%ff/traces", None),
        ("GET", "/console/api/sessions?all=%00", None),
        ("PUT", "/v1/projects/p", b"x" * 100),
    ):
        answer = target.send(method, path, body, {"Content-Type": "application/json"})
        found = [word for word in words if word in answer.text]
        if found or answer.status == 500:
            got_in(f"{method} {path} answered {answer.status}: {answer.text[:200]}")
    return "nothing internal"
