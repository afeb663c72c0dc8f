"""An OTLP receiver. Prints its address, then one line of JSON for each span that it receives."""

from __future__ import annotations

import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = ExportTraceServiceRequest()
        request.ParseFromString(self.rfile.read(int(self.headers["Content-Length"])))
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    line = {
                        "name": span.name,
                        "trace": span.trace_id.hex(),
                        "parent": span.parent_span_id.hex(),
                        "attributes": sorted(one.key for one in span.attributes),
                        "key": self.headers.get("x-key"),
                    }
                    print(json.dumps(line), flush=True)
        body = ExportTraceServiceResponse().SerializeToString()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-protobuf")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing: each line of the output is a span."""


def main() -> None:
    """Serves until the process is stopped."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    print(f"listening on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
