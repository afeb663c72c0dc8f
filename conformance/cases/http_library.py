"""The HTTP library of the client at hand, under one name.

The published clients use httpx and ours uses httpx2, its successor, which has the same interface. Cases
watch the library while the client works, and send with it what no client sends. Our client's environment
has httpx2 alone.
"""

from __future__ import annotations

try:
    import httpx
except ModuleNotFoundError:
    import httpx2 as httpx

__all__ = ["httpx"]
