"""Importing the package loads nothing that is not needed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src"

PROGRAM = """
import sys
import reflect_sdk
loaded = {name.partition(".")[0] for name in sys.modules}
heavy = sorted(loaded & {"httpx2", "httpcore2", "asyncio", "ssl", "pydantic", "openai"})
assert not heavy, heavy
reflect_sdk.ReflectClient(api_key="k")
assert "httpx2" not in sys.modules
"""


def test_the_http_stack_is_loaded_by_the_first_call_only() -> None:
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
