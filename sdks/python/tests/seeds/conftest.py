"""Lets the tests import the program that runs the seed documents."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "checks" / "seeds"))
