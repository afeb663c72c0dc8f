"""Reviews in a real terminal: the binary in tmux, with a real server and database.

    python3 conformance/terminal_review.py

The run presses keys and checks the screen and the server. A review that is killed loses no verdict and counts
none twice. A mutant without the outbox must be detected.
"""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from pathlib import Path

from announced import NotReached
from database import DatabaseProblem, fresh_database
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings
from terminal import losing, stories
from terminal.place import Place


def run(found: Surroundings) -> int:
    """Runs all scenarios and returns the number of passed checks."""
    tmux = shutil.which("tmux", path=found.inherited.get("PATH"))
    if tmux is None:
        raise Missing("no tmux on the path: `cargo xtask setup --ci` installs it")
    with (
        tempfile.TemporaryDirectory(prefix="terminal-review-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
    ):
        environment = {**found.inherited, "REFLECT_DATABASE_URL": database_url, "REFLECT_DRAIN_SECONDS": "2"}
        log = Path(folder, "server.log")
        with Server(found.binary, environment, log) as server:
            place = Place(
                binary=found.binary,
                tmux=Path(tmux),
                psql=found.psql,
                database_url=database_url,
                server=server,
                key=server.master_key(),
                folder=Path(folder),
                inherited=found.inherited,
            )

            def restart() -> None:
                server.start()

            try:
                stories.verdicts(place)
                stories.haste(place)
                stories.writing(place)
                stories.sizes(place)
                stories.harm(place)
                stories.leaving(place)
                stories.without_terminal(place)
                losing.killed_while_offline(place, restart)
                losing.killed_while_sending(place)
                losing.closed_lid(place, restart)
                losing.killed_while_offline(place, restart, mutant=True)
            except AssertionError:
                print(f"--- the end of the server's log ---\n{server.log_tail()}\n---", file=sys.stderr)
                raise
            return len(place.checks)


def main() -> int:
    """0 if all checks pass, 1 if one fails, 2 if the run could not start."""
    # Without this, SIGTERM would leave programs and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        passed = run(find_surroundings())
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the terminal review could not start: {problem}", file=sys.stderr)
        return 2
    except (AssertionError, OSError) as problem:
        print(f"terminal review: BROKEN: {problem}")
        return 1
    print(f"terminal review: {passed} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
