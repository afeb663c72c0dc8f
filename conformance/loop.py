"""Runs the learning loop with real models: once with the published client, once over plain HTTP.

    python3 conformance/loop.py

A failed run becomes a memory, a similar task finds it, an unrelated one does not, and a pass moves its
utility. Prints every step, its time, and the memories. The quality of the lessons is not
checked: the language model is a very small one.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from announced import NotReached
from database import DatabaseProblem, fresh_database
from real_models import REFLECTION_TOKENS, TEXT_MODEL, real_models
from server import Server, ServerProblem
from surroundings import LATEST, Missing, Surroundings, find_surroundings

WORKER = Path(__file__).with_name("loop_worker.py")

# Far above the usual time; only a round that hangs reaches it.
ROUNDS_SECONDS = 2400.0


def close(found: Surroundings) -> bool:
    """Starts everything and runs the rounds; returns whether the loop is closed."""
    began = time.monotonic()
    with (
        tempfile.TemporaryDirectory(prefix="loop-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        real_models(found.everything, Path(folder, "model.log")) as models,
    ):
        no_certificates = Path(folder, "no-certificates")
        no_certificates.mkdir()
        environment = {
            **found.inherited,
            **models,
            "REFLECT_DATABASE_URL": database_url,
            # Without this, the end of the log after a failure would contain only requests.
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            # A lesson that is still being written after the rounds is not needed.
            "REFLECT_DRAIN_SECONDS": "2",
        }
        with Server(found.binary, environment, Path(folder, "server.log")) as server:
            key = server.master_key()
            models_named = f"{TEXT_MODEL} (lessons of at most {REFLECTION_TOKENS} tokens), MiniLM"
            took = time.monotonic() - began
            print(f"started {models_named} and the server in {took:.1f} s", flush=True)
            place = {"base_url": server.base_url, "key": key, "text_model": TEXT_MODEL}
            done = subprocess.run(
                [str(found.pythons[LATEST]), str(WORKER), "--version", LATEST],
                env=found.client_environment(no_certificates),
                input=json.dumps(place),
                text=True,
                timeout=ROUNDS_SECONDS,
                check=False,
            )
        if done.returncode != 0:
            log = server.log_tail()
            print(f"--- the end of the server's log ---\n{log}\n---", file=sys.stderr, flush=True)
        return done.returncode == 0


def main() -> int:
    """Exit code 0: the loop is closed; 1: it is not; 2: the run could not start."""
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    try:
        closed = close(find_surroundings())
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the loop could not start: {problem}", file=sys.stderr)
        return 2
    except subprocess.TimeoutExpired:
        print(f"the rounds did not end within {ROUNDS_SECONDS:g} s", file=sys.stderr)
        closed = False
    print(f"loop: {'closed in' if closed else 'NOT CLOSED after'} {time.monotonic() - began:.1f} s")
    return 0 if closed else 1


if __name__ == "__main__":
    sys.exit(main())
