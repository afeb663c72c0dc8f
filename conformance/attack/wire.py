"""HTTP as attackers send it: plain requests, and bytes on a socket. Traffic goes to loopback only."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

HOST = "127.0.0.1"
# Longer than the server's own timeouts, so that its answer is seen.
SECONDS = 60.0


@dataclass(frozen=True)
class Answer:
    """A response. Status 0: the server closed the connection without one."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def ok(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300

    def json(self) -> Any:
        """The body as JSON, or None."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def code(self) -> str:
        """The code of an error."""
        body = self.json()
        error = body.get("error") if isinstance(body, dict) else None
        return str(error.get("code", "")) if isinstance(error, dict) else ""

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", "replace")


def send(
    port: int,
    method: str,
    path: str,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    seconds: float = SECONDS,
) -> Answer:
    """One request. A `bytes` body is sent as it is, any other as JSON."""
    sent = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        sent.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(HOST, port, timeout=seconds)
    try:
        connection.putrequest(method, path, skip_host="Host" in sent, skip_accept_encoding=True)
        if body is not None:
            sent.setdefault("Content-Length", str(len(body)))
        elif method in ("POST", "PATCH", "PUT"):
            sent.setdefault("Content-Length", "0")
        for name, value in sent.items():
            connection.putheader(name, value.encode("utf-8") if not value.isascii() else value)
        connection.endheaders(body)
        response = connection.getresponse()
        return Answer(response.status, _headers(response.getheaders()), response.read())
    except (OSError, http.client.HTTPException):
        return Answer(0, {}, b"")
    finally:
        connection.close()


def _headers(pairs: list[tuple[str, str]]) -> dict[str, str]:
    """Names in lower case; values of repeated headers are separated by line breaks."""
    headers: dict[str, str] = {}
    for name, value in pairs:
        known = headers.get(name.lower())
        headers[name.lower()] = value if known is None else f"{known}\n{value}"
    return headers


def gzipped(body: Any) -> bytes:
    """JSON, or bytes, as a gzip stream."""
    return gzip.compress(body if isinstance(body, bytes) else json.dumps(body).encode(), 9)


def connect(port: int, *, small_buffer: bool = False) -> socket.socket:
    """A connection. With a small receive buffer, the server notices soon that nothing is read."""
    connection = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if small_buffer:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(SECONDS)
    connection.connect((HOST, port))
    return connection


def exchange(port: int, payload: bytes, seconds: float = 5.0) -> bytes:
    """Sends bytes and returns what comes back until the server closes or is silent."""
    with connect(port) as connection:
        with suppress(OSError):
            connection.sendall(payload)
        return received(connection, seconds)


def received(connection: socket.socket, seconds: float, quiet: float = 1.0) -> bytes:
    """What the server sends within `seconds`, until it closes, or sends nothing for `quiet` seconds."""
    parts, deadline = [], time.monotonic() + seconds
    wait = seconds
    while (left := deadline - time.monotonic()) > 0:
        if not _readable(connection, min(left, wait)):
            break
        try:
            part = connection.recv(65536)
        except OSError:
            break
        if not part:
            break
        parts.append(part)
        wait = quiet
    return b"".join(parts)


def _readable(connection: socket.socket, seconds: float) -> bool:
    """Whether there is something to read. Not `select`, which knows only 1024 descriptors."""
    waiting = select.poll()
    waiting.register(connection, select.POLLIN)
    return bool(waiting.poll(seconds * 1000))


def answers_of(connections: list[socket.socket], seconds: float) -> list[bytes]:
    """What the server sent on each connection within `seconds` in all; nothing for those that still wait."""
    deadline = time.monotonic() + seconds
    return [
        received(one, 1.0, 0.05) if _readable(one, max(0.0, deadline - time.monotonic())) else b""
        for one in connections
    ]


def is_closed(connection: socket.socket) -> bool:
    """Whether the server closed the connection. What it sent before is discarded."""
    connection.setblocking(False)
    try:
        while part := connection.recv(65536):
            del part
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True


def statuses(raw: bytes) -> list[int]:
    """The status codes of all responses in a byte stream."""
    lines = [line for line in raw.split(b"\r\n") if line.startswith(b"HTTP/1.")]
    return [int(line.split(b" ")[1]) for line in lines if len(line.split(b" ")) > 1 and line[9:12].isdigit()]


class Held:
    """Connections that stay open during a block."""

    def __init__(self) -> None:
        self.connections: list[socket.socket] = []

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self.connections:
            connection.close()

    def open(self, port: int, payload: bytes, *, small_buffer: bool = False) -> socket.socket | None:
        """Opens one connection and sends the payload; None if the server refuses it."""
        try:
            connection = connect(port, small_buffer=small_buffer)
            self.connections.append(connection)
            connection.sendall(payload)
        except OSError:
            return None
        return connection


def together(count: int, act: Callable[[int], Any], threads: int = 32) -> list[Any]:
    """Calls a function many times, from several threads with low priority."""
    with ThreadPoolExecutor(min(threads, count), initializer=low_priority) as pool:
        return list(pool.map(act, range(count)))


def low_priority() -> None:
    """Lets this thread run only when the server does not need the processor: real attackers use their own."""
    os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
