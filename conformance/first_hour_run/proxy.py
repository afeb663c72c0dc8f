"""A server that gives one response to every request, as a proxy in front of Reflect would."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SIGN_IN = b"<!doctype html><html><body><form action=/sso>Sign in</form></body></html>"


@dataclass(frozen=True)
class Response:
    """One response of a proxy."""

    name: str
    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "text/html"})


def _json(name: str, body: bytes) -> Response:
    return Response(name, body=body, headers={"Content-Type": "application/json"})


RESPONSES = (
    Response("200 with a sign-in page", body=SIGN_IN),
    Response(
        "200 with HTML that claims to be JSON", body=SIGN_IN, headers={"Content-Type": "application/json"}
    ),
    _json("200 with an empty list", b"[]"),
    _json("200 with null", b"null"),
    _json("200 with a number", b"7"),
    _json("200 with a string", b'"ok"'),
    _json("200 with an empty object", b"{}"),
    _json("200 with fields of other types", b'{"trace_id": 7, "memories": {"a": 1}, "text": []}'),
    _json("200 with half of a JSON text", b'{"trace_id": "01'),
    _json("200 that is not UTF-8", b'{"text": "\xff\xfe"}'),
    Response("200 with a wrong encoding", body=SIGN_IN, headers={"Content-Encoding": "gzip"}),
    Response("204 without a body", status=204),
    Response("302 to a sign-in page", status=302, headers={"Location": "/sso"}),
    *(
        Response(f"{status} with HTML", status=status, body=SIGN_IN)
        for status in (400, 401, 403, 404, 407, 413, 429, 500, 502, 503, 504)
    ),
)


@contextmanager
def proxy(response: Response) -> Iterator[str]:
    """Runs the server and yields its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _respond(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            if response.status != 204:
                self.send_header("Content-Length", str(len(response.body)))
            self.end_headers()
            if self.command != "HEAD" and response.status != 204:
                self.wfile.write(response.body)

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = _respond

        def log_message(self, *_: object) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
