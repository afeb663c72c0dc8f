"""A server that answers every request with given bytes, as a proxy in front of Reflect may do."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from reflect_sdk import ReflectClient
from reflect_sdk._wire import recall


class Proxy:
    """Answers with `response`; then repeats `endless` until the client closes the connection."""

    def __init__(self) -> None:
        self.response = b""
        self.endless = b""
        self.requests: list[bytes] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        # Closing alone does not end an `accept` that waits in another thread.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            try:
                self.requests.append(_request(connection))
                connection.sendall(self.response)
                while self.endless:
                    connection.sendall(self.endless)
                # An orderly end, which the client sees after the bytes above.
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65536)
            except OSError:
                pass


def _request(connection: socket.socket) -> bytes:
    received = b""
    while b"\r\n\r\n" not in received:
        received += connection.recv(65536)
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].partition(b":")[2]) if lengths else 0
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@pytest.fixture
def proxy(monkeypatch: pytest.MonkeyPatch) -> Iterator[Proxy]:
    monkeypatch.setattr(recall, "_down_until", {})
    monkeypatch.setattr(recall, "_warned_at", {})
    proxy = Proxy()
    yield proxy
    proxy.close()


@pytest.fixture
def client(proxy: Proxy, tmp_path: Path) -> ReflectClient:
    return ReflectClient(
        base_url=proxy.url, api_key="k", spool=tmp_path, max_retries=0, retrieval_timeout=1.0, timeout=5.0
    )
