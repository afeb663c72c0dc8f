"""Checks that every run is delivered exactly once, despite failures of the process, the server and the disk.

    python3 sdks/typescript/checks/delivery/run.py [--quick] [--down-seconds 60] [--only NAME]

Test programs use the built package and the real server on a fresh database. Every run has a marker, and its
process logs it. After each scenario the runs are counted: produced = accepted + spooled + counted drops, and
none is stored twice. At the end, three mutants must be caught: one that sends runs without ids (duplicates),
one without a spool and one that acknowledges too early (losses).
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(1, str(HERE.parents[3] / "conformance"))

from delivery.check import Check, options_parser, run, say  # noqa: E402
from delivery.outage import outage  # noqa: E402
from delivery.scenarios import ended, killed, unacknowledged, unspooled, without_ids  # noqa: E402
from scenarios import FULL, QUICK, ended_without_spool, hasty, together  # noqa: E402
from world import TypeScriptWorld  # noqa: E402

PACKAGES = HERE.parents[1] / "node_modules"
RUNTIMES = {
    "node": lambda: ["node"],
    "bun": lambda: [str(next(PACKAGES.glob("@oven/*/bin/bun")))],
    "deno": lambda: [str(next(PACKAGES.glob("@deno/*/deno"))), "run", "--allow-all", "--quiet"],
}

CHECK = Check(
    scenarios={
        "kill": lambda world, sizes: [killed(world, sizes)],
        "together": lambda world, sizes: [together(world, sizes)],
        "exit": lambda world, sizes: [
            *(ended(world, sizes, how) for how in ("in order", "handlers", "at once")),
            ended(world, sizes, "error", status=1),
            ended_without_spool(world, sizes),
        ],
        "answers": lambda world, sizes: [unacknowledged(world, mutant=False)],
        "outage": lambda world, sizes: outage(world, sizes, say),
    },
    mutants={"without ids": without_ids, "without a spool": unspooled, "that acknowledges too early": hasty},
    full=FULL,
    quick=QUICK,
)


def main() -> int:
    """Checks the client in the chosen runtime."""
    parser = options_parser(CHECK)
    parser.add_argument("--runtime", choices=RUNTIMES, default="node", help="what runs the test programs")
    options = parser.parse_args()
    make_world = functools.partial(TypeScriptWorld, runtime=RUNTIMES[options.runtime]())
    return run(CHECK, make_world, options)


if __name__ == "__main__":
    sys.exit(main())
