"""A client in another language, with the names of the Python client.

Replaces the Python package `reflect_sdk` on the path. Every call is forwarded to a driver, a program
that uses the client: `rust-driver` or `typescript-driver`. This package contains no logic. Constructs
are mapped to the form that the client has for them: a block is a function that the client runs, a
decorated coroutine uses a run that the caller ends.
"""

from __future__ import annotations

from reflect_sdk.client import ReflectClient
from reflect_sdk.errors import APIStatusError, IngestFailedError, SdkError, Unsayable
from reflect_sdk.models import ApiKeyInfo, BootstrapInfo, Memory, Trace
from reflect_sdk.tracing import TraceContext, TraceResult, reflect_trace

__all__ = [
    "APIStatusError",
    "ApiKeyInfo",
    "BootstrapInfo",
    "IngestFailedError",
    "Memory",
    "ReflectClient",
    "SdkError",
    "Trace",
    "TraceContext",
    "TraceResult",
    "Unsayable",
    "reflect_trace",
]
