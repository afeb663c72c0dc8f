"""Says what a response body is when it is not the JSON that a Reflect server sends.

A proxy, a sign-in page or another server can answer in place of Reflect with any body and any status.
"""

from __future__ import annotations

TRUNCATED = "truncated or invalid JSON"
_MARKUP = (b"<!doctype", b"<html", b"<head", b"<body", b"<?xml")


def body_kind(body: bytes, content_type: str = "") -> str:
    """A few words for an error message, such as "HTML"."""
    start = body[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        return "an empty body"
    if "html" in content_type.lower() or start.startswith(_MARKUP):
        return "HTML"
    if start[:1] in (b"{", b"["):
        return TRUNCATED
    return "text"


def proxy_hint(base_url: str) -> str:
    """What to check when a response is not from Reflect."""
    return f"Is a proxy or a sign-in page in front of {base_url}? Check base_url, including its path prefix."
