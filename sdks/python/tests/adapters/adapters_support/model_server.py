"""A server on loopback that speaks the protocols of OpenAI, Anthropic and Gemini, and says what it is told to say."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from adapters_support import anthropic_wire, gemini_wire, wire


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
        # Anthropic's and Gemini's clients add the version to their path.
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.url = f"{self.root}/v1"
        # Answers when nothing is left to say, for programs whose calls are not known in advance: from the path and
        # the body of a request.
        self.otherwise: Callable[[str, dict[str, Any]], Any] | None = None

    def says(self, *answers: Any) -> None:
        """A text; a message of the chat API or a list of alternatives; a list of response items; or a `Trouble`.

        Anthropic and Gemini get a message of the chat API in their own form.
        """
        self._answers.extend(answers)

    def next(self, path: str, asked: dict[str, Any]) -> Any:
        with self._lock:
            self.asked.append(asked)
            if not self._answers and self.otherwise is not None:
                return self.otherwise(path, asked)
            return self._answers.pop(0)

    def forget(self) -> None:
        """Starts over: nothing asked, nothing to say."""
        with self._lock:
            self.asked, self._answers = [], []

    @property
    def left(self) -> int:
        """How many answers were not requested."""
        return len(self._answers)

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

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            self._body(200, {})

        def do_POST(self) -> None:
            path = self.path.partition("?")[0]
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if path.endswith("/count_tokens"):
                self._body(200, {"input_tokens": 1})
                return
            protocol = _protocol(path)
            answer = server.next(path, asked)
            broken = None
            if isinstance(answer, Trouble):
                if answer.break_after is None:
                    self._body(answer.status, protocol.error(answer.status))
                    return
                answer, broken = answer.answer, answer.break_after
            whole = protocol.whole(answer, asked)
            if asked.get("stream") or path.endswith(":streamGenerateContent"):
                events = protocol.events(whole)
                self._events(events, broken, named=protocol.named, done=protocol.done)
            else:
                self._body(200, whole)

        def _body(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _events(self, events: Iterable[dict[str, Any]], broken: int | None, *, named: bool, done: bool) -> None:
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
                if done:
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


class _Protocol(NamedTuple):
    whole: Callable[[Any, dict[str, Any]], dict[str, Any]]
    events: Callable[[dict[str, Any]], Iterable[dict[str, Any]]]
    error: Callable[[int], dict[str, Any]]
    # Whether events have a name, and whether the stream ends with `[DONE]`.
    named: bool
    done: bool


def _protocol(path: str) -> _Protocol:
    if path.endswith("/messages"):
        return _Protocol(
            lambda answer, asked: anthropic_wire.message(_messages(answer)[0]),
            anthropic_wire.message_events,
            anthropic_wire.error,
            named=True,
            done=False,
        )
    if path.endswith(("generateContent", "GenerateContent")):
        return _Protocol(
            lambda answer, asked: gemini_wire.content(_messages(answer)[0]),
            gemini_wire.content_events,
            gemini_wire.error,
            named=False,
            done=False,
        )
    if path.endswith("/chat/completions"):
        return _Protocol(
            lambda answer, asked: wire.completion(_messages(answer)),
            wire.completion_chunks,
            _openai_error,
            named=False,
            done=True,
        )
    return _Protocol(_response, wire.response_events, _openai_error, named=True, done=False)


def _openai_error(status: int) -> dict[str, Any]:
    return {"error": {"message": "out of order", "type": "server_error"}}


def _messages(answer: Any) -> list[dict[str, Any]]:
    if isinstance(answer, str):
        return [{"content": answer}]
    return answer if isinstance(answer, list) else [answer]


def _response(answer: Any, asked: dict[str, Any]) -> dict[str, Any]:
    if isinstance(answer, str):
        return wire.response([wire.text_item(answer)], asked)
    if isinstance(answer, list):
        return wire.response(answer, asked)
    if "output" not in answer:
        return wire.response(wire.items(answer), asked)
    return wire.response(asked=asked, **answer)
