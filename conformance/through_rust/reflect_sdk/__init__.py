"""The Rust client, with the names of the Python client.

Replaces the Python package `reflect_sdk` on the path. Every call is forwarded to the program in
`rust-driver`, which uses the Rust SDK; this package contains no logic. Constructs are mapped to their Rust
form: a block is a closure of `traced`, a decorated coroutine uses a `Run`.
"""

from __future__ import annotations

from reflect_sdk.client import ReflectClient
from reflect_sdk.errors import APIStatusError, IngestFailedError, RustError, Unsayable
from reflect_sdk.models import ApiKeyInfo, BootstrapInfo, Memory, Trace
from reflect_sdk.tracing import TraceContext, TraceResult, reflect_trace

__all__ = [
    "APIStatusError",
    "ApiKeyInfo",
    "BootstrapInfo",
    "IngestFailedError",
    "Memory",
    "ReflectClient",
    "RustError",
    "Trace",
    "TraceContext",
    "TraceResult",
    "Unsayable",
    "reflect_trace",
]
