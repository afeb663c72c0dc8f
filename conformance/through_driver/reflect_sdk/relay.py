"""A relay that lets the cases record the traffic of the client.

`recorded()` observes the HTTP library of this process, but the client runs in another. So the client
gets the address of a relay in this process, which forwards each request unchanged with that library. Each
connection of the client has its own connection to the server.
"""

from __future__ import annotations

import threading
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from cases.http_library import httpx

# Hop-by-hop headers; and the library has already decoded the body.
NOT_PASSED_ON = {"connection", "keep-alive", "transfer-encoding", "content-length", "content-encoding"}


def watched(base_url: str) -> str:
    """Starts a relay for this server; returns its URL with the same path."""
    parts = urlsplit(base_url)
    return base_url.replace(parts.netloc, _relay_to(f"{parts.scheme}://{parts.netloc}"), 1)


@cache
def _relay_to(origin: str) -> str:
    class ToOrigin(_Connection):
        upstream_url = httpx.URL(origin)

    server = ThreadingHTTPServer(("127.0.0.1", 0), ToOrigin)
    threading.Thread(target=server.serve_forever, name="relay", daemon=True).start()
    return f"127.0.0.1:{server.server_port}"


class _Connection(BaseHTTPRequestHandler):
    """One connection of the client."""

    upstream_url: httpx.URL
    protocol_version = "HTTP/1.1"
    # Send small responses immediately.
    disable_nagle_algorithm = True
    wbufsize = -1

    def setup(self) -> None:
        super().setup()
        # No timeout here: the client's timeout applies.
        self._upstream = httpx.Client(timeout=None, trust_env=False, verify=False)

    def finish(self) -> None:
        super().finish()
        self._upstream.close()

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = [(name, value) for name, value in self.headers.items() if name.lower() != "host"]
        request = httpx.Request(
            self.command,
            self.upstream_url.copy_with(raw_path=self.path.encode("ascii")),
            headers=headers,
            content=body,
        )
        try:
            response = self._upstream.send(request)
        except httpx.TransportError:
            # Close the client's connection too, because the server's connection broke.
            self.close_connection = True
            return
        self.send_response_only(response.status_code)
        for name, value in response.headers.multi_items():
            if name.lower() not in NOT_PASSED_ON:
                self.send_header(name, value)
        self.send_header("content-length", str(len(response.content)))
        self.end_headers()
        self.wfile.write(response.content)

    do_GET = do_POST = do_PATCH = do_DELETE = _pass_on
