"""Saying nothing, where None means something."""

from __future__ import annotations

import enum
from typing import Final


class Unset(enum.Enum):
    """An argument that was left out."""

    UNSET = enum.auto()

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET
