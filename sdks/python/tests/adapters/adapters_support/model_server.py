"""A server on loopback that speaks OpenAI's protocol and says what it is told to say."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from adapters_support import wire


class ModelServer:
    """Answers requests in the order of what was put in with `says`; keeps what was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self._answers: list[Any] = []
        self._lock = threading.Lock()
        self._http = _Http(("127.0.0.1", 0), _handler(self))
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def says(self, *answers: Any) -> None:
        """A text; a message of the chat API or a list of alternatives; a list of response items; or a `Trouble`."""
        self._answers.extend(answers)

    def next(self, asked: dict[str, Any]) -> Any:
        with self._lock:
            self.asked.append(asked)
            return self._answers.pop(0)

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()


class _Http(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        # Clients that had enough are part of these tests.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Trouble(Exception):
    """An answer that is none: a status, or a stream that breaks off after some events."""

    def __init__(self, status: int = 500, *, break_after: int | None = None, answer: Any = None) -> None:
        super().__init__(status)
        self.status = status
        self.break_after = break_after
        self.answer = answer


def _handler(server: ModelServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Whatever a client has been sent is on its way, so that it can stop in the middle.
        wbufsize = 0

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            answer = server.next(asked)
            broken = None
            if isinstance(answer, Trouble):
                if answer.break_after is None:
                    self._body(answer.status, {"error": {"message": "out of order", "type": "server_error"}})
                    return
                answer, broken = answer.answer, answer.break_after
            if self.path.partition("?")[0].endswith("/chat/completions"):
                messages = _messages(answer)
                if asked.get("stream"):
                    self._events(wire.completion_chunks(messages), broken, named=False)
                else:
                    self._body(200, wire.completion(messages))
            else:
                whole = _response(answer, asked)
                if asked.get("stream"):
                    self._events(wire.response_events(whole), broken, named=True)
                else:
                    self._body(200, whole)

        def _body(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _events(self, events: Iterable[dict[str, Any]], broken: int | None, *, named: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                for number, event in enumerate(events):
                    if number == broken:
                        # In the middle of a chunk, so that it cannot pass for an end.
                        self.wfile.write(b"ff\r\nda")
                        self.close_connection = True
                        return
                    head = f"event: {event['type']}\n" if named else ""
                    self._chunk(f"{head}data: {json.dumps(event)}\n\n")
                if not named:
                    self._chunk("data: [DONE]\n\n")
                self.wfile.write(b"0\r\n\r\n")
            except (BrokenPipeError, ConnectionResetError):
                # The client had enough.
                self.close_connection = True

        def _chunk(self, text: str) -> None:
            data = text.encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

        def log_message(self, format: str, *args: Any) -> None:
            pass

    return Handler


def _messages(answer: Any) -> list[dict[str, Any]]:
    if isinstance(answer, str):
        return [{"content": answer}]
    return answer if isinstance(answer, list) else [answer]


def _response(answer: Any, asked: dict[str, Any]) -> dict[str, Any]:
    if isinstance(answer, str):
        return wire.response([wire.text_item(answer)], asked)
    if isinstance(answer, list):
        return wire.response(answer, asked)
    return wire.response(asked=asked, **answer)
