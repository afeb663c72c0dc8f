"""A receiver that fails, hangs and crashes, and records every request.

Every request is verified with the published library before anything else happens to it.
"""

from __future__ import annotations

import json
import random
import socket
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks import Webhook

# Longer than the server waits for an answer.
HANG_SECONDS = 12.0
# How long the receiver is down, and how long it runs between two crashes.
DOWN_SECONDS = (0.5, 2.0)
UP_SECONDS = (2.0, 4.0)


@dataclass(frozen=True)
class FaultRates:
    """The shares of failed requests by kind of fault, and whether the receiver crashes."""

    errors: float = 0.0
    hangs: float = 0.0
    cuts: float = 0.0
    crashes: bool = False


NO_FAULTS = FaultRates()
FAULTS = FaultRates(errors=0.12, hangs=0.01, cuts=0.05, crashes=True)


@dataclass(frozen=True)
class Request:
    """A verified request, in the order of arrival."""

    webhook: str
    event_id: str
    kind: str
    subject: str
    happened_at: str
    accepted: bool


@dataclass
class Records:
    """The requests of all endpoints."""

    requests: list[Request] = field(default_factory=list)
    unverified: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def count(self) -> int:
        """How many requests there were."""
        with self.lock:
            return len(self.requests)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    # Requests in flight when the receiver crashes are cut, not completed.
    block_on_close = False

    def __init__(self, port: int, receiver: Receiver) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.receiver = receiver
        self.connections: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores connections that were cut on purpose."""

    def crash(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        receiver = self.server.receiver
        outcome = receiver.outcome()
        if not receiver.record(self.path.strip("/"), dict(self.headers), body, outcome == "accept"):
            self.send_error(401)
            return
        if outcome == "hang":
            receiver.stopped.wait(HANG_SECONDS)
        if outcome in ("hang", "cut"):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.send_response(503 if outcome == "error" else 204)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """The run prints its own lines."""


class Receiver:
    """Listens on one port of this machine, with a path per webhook."""

    def __init__(self, seed: int) -> None:
        self.records = Records()
        self.secrets: dict[str, Webhook] = {}
        self.stopped = threading.Event()
        self.crashes = 0
        self._random = random.Random(seed)
        self._faults = NO_FAULTS
        self._server = _Server(0, self)
        self.port = int(self._server.server_address[1])
        self._crasher = threading.Thread(target=self._crash_repeatedly, daemon=True)
        self._serve()
        self._crasher.start()

    def url(self, webhook: str) -> str:
        """The address of one webhook."""
        return f"http://127.0.0.1:{self.port}/{webhook}"

    def set_faults(self, faults: FaultRates) -> None:
        """Sets the faults of the requests that follow."""
        self._faults = faults

    def outcome(self) -> str:
        """What happens to the next request."""
        drawn, faults = self._random.random(), self._faults
        for name, share in (("error", faults.errors), ("hang", faults.hangs), ("cut", faults.cuts)):
            if drawn < share:
                return name
            drawn -= share
        return "accept"

    def record(self, webhook: str, headers: dict[str, str], body: bytes, accepted: bool) -> bool:
        """Verifies and records a request. False if its signature is wrong."""
        with self.records.lock:
            try:
                sent = self.secrets[webhook].verify(body, headers)
            except Exception as problem:
                self.records.unverified.append(f"{webhook}: {problem}")
                return False
            event_id = {name.lower(): value for name, value in headers.items()}["webhook-id"]
            subject = str(sent["data"].get("memory_id", ""))
            kind, happened_at = str(sent["type"]), str(sent["timestamp"])
            self.records.requests.append(Request(webhook, event_id, kind, subject, happened_at, accepted))
            return True

    def stop(self) -> None:
        """Ends the receiver."""
        self.stopped.set()
        self._crasher.join()
        self._server.crash()

    def _serve(self) -> None:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def _crash_repeatedly(self) -> None:
        while not self.stopped.wait(self._random.uniform(*UP_SECONDS)):
            if not self._faults.crashes:
                continue
            self._server.crash()
            self.crashes += 1
            self.stopped.wait(self._random.uniform(*DOWN_SECONDS))
            self._server = _listen_again(self.port, self)
            self._serve()


def _listen_again(port: int, receiver: Receiver) -> _Server:
    deadline = time.monotonic() + 10
    while True:
        try:
            return _Server(port, receiver)
        except OSError:
            # Old connections can still hold the port for a moment.
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


def refuses_other_bodies(secret: str) -> bool:
    """Whether the library would notice a changed body. Otherwise verified requests prove nothing."""
    library = Webhook(secret)
    now = datetime.now(tz=UTC)
    signature = library.sign("id", now, json.dumps({"a": 1}))
    headers = {
        "webhook-id": "id",
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
    try:
        library.verify(json.dumps({"a": 2}), headers)
    except Exception:
        return True
    return False
