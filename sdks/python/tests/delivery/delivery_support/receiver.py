"""An HTTP server that answers batches as the real one does, and fails on demand, which the real one does not."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], object]


class Receiver:
    """Counts what arrived. `script` gives the answers to the next requests, before the ordinary ones."""

    def __init__(self) -> None:
        self.lock = threading.Condition()
        self.stored: Counter[str] = Counter()
        self.batches: list[list[str]] = []
        self.script: list[Answer] = []
        # What the server says of a single run; None for what it takes.
        self.refuse: Callable[[dict[str, Any]], dict[str, str] | None] = lambda trace: None
        self.open = threading.Event()
        self.open.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                receiver._answer(self)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.open.set()
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, condition: Callable[[], bool], seconds: float = 20.0) -> None:
        with self.lock:
            assert self.lock.wait_for(condition, seconds), f"{self.batches} {self.stored}"

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        self.open.wait()
        with self.lock:
            status, headers, answer = self._judge(body)
            self.lock.notify_all()
        text = json.dumps(answer).encode() if not isinstance(answer, bytes) else answer
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(text)))
        handler.end_headers()
        handler.wfile.write(text)

    def _judge(self, body: bytes) -> Answer:
        traces = json.loads(body)["traces"]
        self.batches.append([trace["trace_id"] for trace in traces])
        if self.script:
            return self.script.pop(0)
        results: list[object] = []
        for trace in traces:
            error = self.refuse(trace)
            if error is None:
                self.stored[trace["trace_id"]] += 1
                results.append({"trace_id": trace["trace_id"], "id": trace["trace_id"]})
            else:
                results.append({"error": error})
        return 200, {}, {"results": results}
