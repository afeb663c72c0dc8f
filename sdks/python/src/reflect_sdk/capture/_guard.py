"""Capturing may fail; the call that it looks at may not fail because of it."""

from __future__ import annotations

import logging
from types import TracebackType

logger = logging.getLogger("reflect_sdk.capture")

_said: set[str] = set()


class guarded:
    """Keeps an exception of ours from the user's program, and logs the first one of its kind.

    Example:
        with guarded("noting a chat completion"):
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
                "Capturing failed while %s; the call itself is not affected. This is logged once.",
                self._doing,
                exc_info=error,
            )
        return True
