"""`python -m reflect_memory` is `reflect`, for environments whose programs are not on the path."""

from __future__ import annotations

import os
import sys

from reflect_memory import find_reflect_bin, foreign_client


def main() -> None:
    """Becomes the program."""
    other = foreign_client()
    if other is not None:
        print(
            f"note: reflect-sdk {other} is installed here as well, with a module `reflect_sdk` too.\n"
            "      The one that was installed last is imported. To keep ours:\n"
            "      pip uninstall reflect-sdk && pip install --force-reinstall --no-deps reflect-memory",
            file=sys.stderr,
        )
    program = find_reflect_bin()
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
