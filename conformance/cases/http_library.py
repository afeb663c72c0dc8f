"""The HTTP library of the current client, under one name.

The published clients use httpx and ours uses httpx2, its successor, which has the same interface. Cases
observe the library while the client works, and use it for requests that no client sends. Our client's
environment has only httpx2.
"""

from __future__ import annotations

try:
    import httpx
except ModuleNotFoundError:
    import httpx2 as httpx

__all__ = ["httpx"]
