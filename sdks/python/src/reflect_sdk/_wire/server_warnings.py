"""Logs the header `Reflect-Warning`: what the server ignored in a request, and that the key expires soon."""

from __future__ import annotations

import logging
from collections.abc import Mapping

_log = logging.getLogger("reflect_sdk")

HEADER = "reflect-warning"
# Limits for a server that sends many different or very long warnings.
_MAX_DISTINCT, _MAX_LENGTH = 100, 500
_logged: set[str] = set()


def log_warning(headers: Mapping[str, str]) -> None:
    """Logs each distinct warning once per process."""
    text = headers.get(HEADER)
    if not text:
        return
    text = "".join(character if character.isprintable() else " " for character in text[:_MAX_LENGTH])
    if text in _logged or len(_logged) >= _MAX_DISTINCT:
        return
    _logged.add(text)
    _log.warning("Warning of the server: %s. This message is logged once.", text.rstrip("."))
