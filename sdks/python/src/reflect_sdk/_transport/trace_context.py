"""The trace context of the current OpenTelemetry span, in a program that uses OpenTelemetry."""

from __future__ import annotations

import sys
from typing import Any


def traceparent() -> str | None:
    """The value of the header `traceparent` (W3C); None outside a span.

    The package is not imported: a program that has not imported it has no span.
    """
    trace: Any = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    try:
        context = trace.get_current_span().get_span_context()
        if not context.is_valid:
            return None
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"
    except Exception:
        # Another version of the package. The request works without the header.
        return None
