"""Importing the package loads nothing that is not needed."""

from __future__ import annotations

import subprocess
import sys

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
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
