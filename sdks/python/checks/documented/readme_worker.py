"""Runs the blocks of the README in a Python with the SDK, and reports the results.

    python -m documented.readme_worker

Reads the blocks as JSON from stdin; writes one JSON line per block: its name, a message, and whether it passed.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback
from typing import Any

from documented.readme_promises import PROMISES


def main() -> None:
    """Runs all blocks; each sees the names of the previous blocks."""
    told = json.load(sys.stdin)
    # The output of a block or of the SDK must not mix with the results.
    out, sys.stdout = sys.stdout, sys.stderr
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in told["blocks"]:
        said, passed = run(block, told["path"], names)
        print(json.dumps([block["name"], said, passed]), file=out, flush=True)
    for name in PROMISES.keys() - {block["name"] for block in told["blocks"]}:
        print(json.dumps([name, "there is a check for a block that does not exist", False]), file=out, flush=True)


def run(block: dict[str, Any], path: str, names: dict[str, Any]) -> tuple[str, bool]:
    """Runs one block; returns a message and whether it passed."""
    promise = PROMISES.get(block["name"])
    if promise is None:
        return "this block has no check: add one to readme_promises.py", False
    printed = io.StringIO()
    try:
        # The empty lines keep the README's line numbers.
        code = compile("\n" * (block["line"] - 1) + block["source"], path, "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        promise(names, printed.getvalue())
    except BaseException:
        # Also SystemExit: no block may end the process.
        return f"line {block['line']}\n{traceback.format_exc()}--- it printed\n{printed.getvalue()}", False
    return f"line {block['line']}", True


if __name__ == "__main__":
    main()
