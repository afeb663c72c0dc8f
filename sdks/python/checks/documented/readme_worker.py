"""Runs the blocks of the README in the Python that has the SDK, and says what became of each.

    python -m documented.readme_worker

Reads the blocks as JSON from stdin; writes a line of JSON per block: its name, what there is to say, and whether it
passed.
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
    """Runs all of them, each in the names that those before it left."""
    told = json.load(sys.stdin)
    # Whatever a block or the SDK prints must not end up between the outcomes.
    out, sys.stdout = sys.stdout, sys.stderr
    names: dict[str, Any] = {"__name__": "__main__"}
    for block in told["blocks"]:
        said, passed = run(block, told["path"], names)
        print(json.dumps([block["name"], said, passed]), file=out, flush=True)
    for name in PROMISES.keys() - {block["name"] for block in told["blocks"]}:
        print(json.dumps([name, "something is expected of a block that is not there", False]), file=out, flush=True)


def run(block: dict[str, Any], path: str, names: dict[str, Any]) -> tuple[str, bool]:
    """What there is to say about one block, and whether it did what it must."""
    promise = PROMISES.get(block["name"])
    if promise is None:
        return "nothing is expected of this block: say in readme_promises.py what it does", False
    printed = io.StringIO()
    try:
        # The empty lines put it where it stands in the file.
        code = compile("\n" * (block["line"] - 1) + block["source"], path, "exec")
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        promise(names, printed.getvalue())
    except BaseException:
        # Also SystemExit: no block may end the reader's program.
        return f"line {block['line']}\n{traceback.format_exc()}--- it printed\n{printed.getvalue()}", False
    return f"line {block['line']}", True


if __name__ == "__main__":
    main()
