"""Pictures, sounds and files inside messages: what they are stays, their bytes go.

A run with a screenshot at every step would be larger than what the server takes, and be lost as a whole.
"""

from __future__ import annotations

import re
from typing import Any

from reflect_sdk.converters._plain import is_list, is_mapping

# Longer ones are left out. A text of that length without a single space is no text.
LONGEST = 2048

_DATA_URL = re.compile(r"data:[^,]{0,200};base64,")
_BASE64 = re.compile(r"[A-Za-z0-9+/_=-]+\Z")


def without_bytes(part: Any) -> Any:
    """The same data with long base64 texts replaced by their length."""
    if isinstance(part, str):
        return _shortened(part)
    if is_mapping(part):
        return {name: without_bytes(entry) for name, entry in part.items()}
    if is_list(part):
        return [without_bytes(entry) for entry in part]
    return part


def _shortened(text: str) -> str:
    if len(text) <= LONGEST:
        return text
    head = _DATA_URL.match(text)
    if head is not None:
        return f"{head.group()}({len(text) - head.end()} characters left out)"
    # A look at the beginning decides nearly always, so that long texts are not searched.
    if _BASE64.match(text[:LONGEST]) and _BASE64.match(text):
        return f"({len(text)} characters of base64 left out)"
    return text
