"""A default for arguments where None has a meaning."""

from __future__ import annotations

import enum
from typing import Final


class Unset(enum.Enum):
    """An argument that was not passed."""

    UNSET = enum.auto()

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
