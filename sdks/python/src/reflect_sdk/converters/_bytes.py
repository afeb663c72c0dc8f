"""Removes the bytes of images, audio and files from messages; their type is kept.

A run with a screenshot in every step would exceed the server's size limit and be lost.
"""

from __future__ import annotations

import re
from typing import Any

from reflect_sdk.converters._plain import is_list, is_mapping

# Longer base64 strings are removed. A real text of this length contains whitespace.
MAX_BASE64 = 2048

_DATA_URL = re.compile(r"data:[^,]{0,200};base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]+\Z")


def without_bytes(part: Any) -> Any:
    """The same data with long base64 strings replaced by their length."""
    if isinstance(part, str):
        return _shortened(part)
    if is_mapping(part):
        return {name: without_bytes(entry) for name, entry in part.items()}
    if is_list(part):
        return [without_bytes(entry) for entry in part]
    return part


def _shortened(text: str) -> str:
    if len(text) <= MAX_BASE64:
        return text
    head = _DATA_URL.match(text)
    if head is not None:
        return f"{head.group()}({len(text) - head.end()} characters left out)"
    # Check the start first, which avoids searching long texts.
    if _BASE64.match(text[:MAX_BASE64]) and _BASE64.match(text):
        return f"({len(text)} characters of base64 left out)"
    return text
