"""Closes the learning loop with real models: once through the published client, once over plain HTTP.

    python3 conformance/loop.py

A failed run becomes a memory, a similar task finds it, an unrelated one does not, and a pass moves its
utility. Prints every step, how long it took, and the memories. Nothing is said about how good a lesson
is: the language model is the smallest one that can write at all.
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

# Far above what both rounds need; only a hanging one ever meets it.
ROUNDS_SECONDS = 2400.0


def close(found: Surroundings) -> bool:
    """Starts everything and has the rounds run; says whether the loop is closed."""
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
            # What is shown of the log when a round breaks must not be a list of questions.
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
            # A lesson that is being written when the rounds are over is of no use to anybody.
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
    """0 when the loop is closed, 1 when it is not, 2 when it could not begin."""
    # Without this, a run that is told to end would leave its programs and its database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    try:
        closed = close(find_surroundings())
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the loop could not begin: {problem}", file=sys.stderr)
        return 2
    except subprocess.TimeoutExpired:
        print(f"the rounds did not end within {ROUNDS_SECONDS:g} s", file=sys.stderr)
        closed = False
    print(f"loop: {'closed in' if closed else 'NOT CLOSED after'} {time.monotonic() - began:.1f} s")
    return 0 if closed else 1


if __name__ == "__main__":
    sys.exit(main())
