"""Isolates errors of capture from the recorded call."""

from __future__ import annotations

import logging
from types import TracebackType

logger = logging.getLogger("reflect_sdk.capture")

_said: set[str] = set()


class guarded:
    """Suppresses exceptions of capture, and logs the first one of each kind.

    Example:
        with guarded("recording a chat completion"):
            recorder.exchange(request, answers)
    """

    __slots__ = ("_doing",)

    def __init__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        if self._doing not in _said:
            _said.add(self._doing)
            logger.warning(
                "Capture failed while %s; the call itself is not affected. This message is logged once.",
                self._doing,
                exc_info=error,
            )
        return True
