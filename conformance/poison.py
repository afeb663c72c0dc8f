"""Hostile memories with the published client: their content must stay inside their blocks.

    python3 conformance/poison.py

Starts the real binary and stores memories with envelope tags in every spelling, control, invisible and
bidirectional characters, and overlong texts. The unmodified published client writes them into a prompt. The
prompt must have one block per memory, only the client's own instructions, and texts of limited length.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from database import DatabaseProblem, fresh_database
from server import Server, ServerProblem
from surroundings import LATEST, Missing, Surroundings, find_surroundings

WORKER = Path(__file__).with_name("poison_worker.py")

# Far above the usual time; only a run that hangs reaches it.
WORKER_SECONDS = 300.0


def hold(found: Surroundings) -> bool:
    """Starts everything and lets the client write prompts; returns whether all blocks are intact."""
    with (
        tempfile.TemporaryDirectory(prefix="poison-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
    ):
        no_certificates = Path(folder, "no-certificates")
        no_certificates.mkdir()
        environment = {**found.inherited, "REFLECT_DATABASE_URL": database_url, "REFLECT_LOG": "warn"}
        with Server(found.binary, environment, Path(folder, "server.log")) as server:
            place = {"base_url": server.base_url, "key": server.master_key()}
            done = subprocess.run(
                [str(found.pythons[LATEST]), str(WORKER), "--version", LATEST],
                env=found.client_environment(no_certificates),
                input=json.dumps(place),
                text=True,
                timeout=WORKER_SECONDS,
                check=False,
            )
        if done.returncode != 0:
            print(f"--- the end of the server's log ---\n{server.log_tail()}\n---", file=sys.stderr)
        return done.returncode == 0


def main() -> int:
    """Exit code 0: all blocks are intact; 1: one is not; 2: the run could not start."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        return 0 if hold(find_surroundings()) else 1
    except (Missing, DatabaseProblem, ServerProblem) as problem:
        print(f"the run could not start: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
