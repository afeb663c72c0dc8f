"""Checks that every run is delivered exactly once, despite failures of the process, the server and the disk.

    python3 sdks/python/checks/delivery/run.py [--python PYTHON] [--down-seconds 60] [--quick]

Test processes use the public client of this checkout, with a Python that has httpx2 and gunicorn, and the real
server on a fresh database. Every run has a marker, and its process logs it. After each scenario the runs are
counted: produced = accepted + spooled + counted drops, and none stored twice. At the end, two mutants must be
caught: one that sends runs without ids (duplicates), and one without a spool (losses).
"""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parents[3] / "conformance"))

from delivery.check import Check, options_parser, run, say  # noqa: E402
from delivery.outage import outage  # noqa: E402
from delivery.scenarios import ended, killed, unacknowledged, unspooled, without_ids  # noqa: E402
from scenarios import FULL, QUICK, forked, many_loops, many_threads, prefork_server  # noqa: E402
from world import PythonWorld  # noqa: E402

CHECK = Check(
    scenarios={
        "kill": lambda world, sizes: [killed(world, sizes)],
        "fork": lambda world, sizes: [forked(world, sizes, after_first_use=later) for later in (False, True)],
        "prefork": lambda world, sizes: [prefork_server(world, sizes)],
        "threads": lambda world, sizes: [many_threads(world, sizes)],
        "loops": lambda world, sizes: [many_loops(world, sizes)],
        "exit": lambda world, sizes: [ended(world, sizes, how) for how in ("in order", "handlers", "at once")],
        "answers": lambda world, sizes: [unacknowledged(world, mutant=False)],
        "outage": lambda world, sizes: outage(world, sizes, say),
    },
    mutants={"without ids": without_ids, "without a spool": unspooled},
    full=FULL,
    quick=QUICK,
)


def main() -> int:
    """Checks the client with the chosen Python."""
    parser = options_parser(CHECK)
    parser.add_argument("--python", type=Path, default=Path(sys.executable), help="a Python with httpx2 and gunicorn")
    options = parser.parse_args()
    done = subprocess.run([str(options.python), "-c", "import httpx2, gunicorn"], capture_output=True, check=False)
    if done.returncode != 0:
        needed = "`pip install 'httpx2>=2.14,<3' gunicorn` adds them"
        print(f"{options.python} has no httpx2 or no gunicorn: {needed}", file=sys.stderr)
        return 2
    return run(CHECK, functools.partial(PythonWorld, python=options.python), options)


if __name__ == "__main__":
    sys.exit(main())
