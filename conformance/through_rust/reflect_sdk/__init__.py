"""The Rust client, under the names that the cases know.

Takes the place of the Python package `reflect_sdk` on the path. Every call goes to the program in
`rust-driver`, which makes it with the Rust SDK; nothing is decided here. What is written differently in Rust
becomes what it would be there: a block is a closure of `traced`, a decorated coroutine holds a `Run`.
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
