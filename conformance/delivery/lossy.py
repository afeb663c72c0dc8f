"""A TCP proxy that drops the server's responses to some batches."""

from __future__ import annotations

import contextlib
import socket
import threading


class Lossy:
    """Listens on its own port; a context manager."""

    def __init__(self, port: int, lose: int) -> None:
        self._to = port
        self._left = lose
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.lost = 0

    def __enter__(self) -> Lossy:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            batch = threading.Event()
            threading.Thread(target=self._there, args=(client, server, batch), daemon=True).start()
            threading.Thread(target=self._back, args=(client, server, batch), daemon=True).start()

    def _there(self, client: socket.socket, server: socket.socket, batch: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if b"/traces/batch" in data:
                    batch.set()
                server.sendall(data)
        _close(client, server)

    def _back(self, client: socket.socket, server: socket.socket, batch: threading.Event) -> None:
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                # The server has stored the batch, but the client does not get the response.
                if batch.is_set() and self._loses():
                    break
                batch.clear()
                client.sendall(data)
        _close(client, server)

    def _loses(self) -> bool:
        with self._lock:
            if self._left == 0:
                return False
            self._left -= 1
            self.lost += 1
            return True


def _close(*sockets: socket.socket) -> None:
    for one in sockets:
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
        one.close()
