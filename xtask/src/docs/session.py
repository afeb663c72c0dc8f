"""Runs the Python blocks of one page, in order and in one set of names.

Reads a block as a line of JSON (`path`, `line`, `text`) and answers with one: whether it passed, what went wrong, and
what it printed.
"""

import contextlib
import io
import json
import sys
import traceback


def main():
    out, sys.stdout = sys.stdout, sys.stderr
    names = {"__name__": "__main__"}
    for told in sys.stdin:
        block, printed, wrong = json.loads(told), io.StringIO(), None
        try:
            # Empty lines give the code the line numbers of the page.
            code = compile("\n" * (block["line"] - 1) + block["text"], block["path"], "exec")
            with contextlib.redirect_stdout(printed):
                exec(code, names)
        except BaseException:
            # Also SystemExit: a block must not end this process.
            wrong = traceback.format_exc()
        print(json.dumps({"wrong": wrong, "printed": printed.getvalue()}), file=out, flush=True)


main()
