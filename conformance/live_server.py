"""Runs a server with its own database and the scripted provider, for tests in another language.

    python3 conformance/live_server.py

Prints one line of JSON, `{"base_url": …, "api_key": …, "failing_task": …}`, when the server is ready. Stops
everything and drops the database when its standard input ends, so also when the test dies.
"""

from __future__ import annotations

import json
import signal
import sys
import tempfile
from pathlib import Path

from announced import NotReached
from database import DatabaseProblem, fresh_database
from provider import provider
from server import Server, ServerProblem
from surroundings import Missing, find_surroundings


def main() -> int:
    """Exit code 2: the server could not start."""
    # Without this, SIGTERM would leave the server and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        found = find_surroundings()
        with (
            tempfile.TemporaryDirectory(prefix="live-server-") as folder,
            fresh_database(found.psql, found.database_server, found.inherited) as database_url,
            provider(found.scripted_provider, found.inherited, Path(folder, "provider.log")) as scripted,
        ):
            environment = {
                **found.inherited,
                **scripted.server_environment,
                "REFLECT_DATABASE_URL": database_url,
            }
            with Server(found.binary, environment, Path(folder, "server.log")) as server:
                announcement = {
                    "base_url": server.base_url,
                    "api_key": server.master_key(),
                    "failing_task": scripted.failing_task,
                }
                print(json.dumps(announcement), flush=True)
                sys.stdin.read()
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the live server could not start: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
