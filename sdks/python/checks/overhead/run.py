"""Compares the cost of our client with the published client, in one run against one real server.

    python3 sdks/python/checks/overhead/run.py [--calls 200]

Measures CPU time per query and per submitted trace. Each client has its own environment and process; they alternate
in blocks of calls, so load on the machine affects both. The published client runs with its defaults: it loads the
system's certificates for every call. Then measures the time that a `with client.trace(...)` block adds to its
retrieval. Fails if a limit is exceeded.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[3] / "conformance"))

from announced import NotReached  # noqa: E402
from database import DatabaseProblem, fresh_database  # noqa: E402
from provider import provider  # noqa: E402
from server import Server, ServerProblem  # noqa: E402
from surroundings import LATEST, OWN, OWN_SOURCES, Missing, Surroundings, find_surroundings  # noqa: E402

# The maximum share of the published client's CPU time.
MOST = 0.1
# The maximum seconds that a block may add to its retrieval, median.
BLOCK_SECONDS = 0.001
# Calls of one client before the other client continues.
TURN = 20

KINDS = {"queries": "a query", "submissions": "a submitted trace"}


class Failed(Exception):
    """A client process failed."""


class Caller:
    """A process that makes calls with one client."""

    def __init__(self, log: Path, python: Path, environment: Mapping[str, str], place: dict[str, str]) -> None:
        self._log = log
        with log.open("wb") as errors:
            self._process = subprocess.Popen(
                [str(python), str(HERE / "caller.py")],
                env=dict(environment),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self._tell(place)

    def ask(self, do: str, first: int, count: int) -> Any:
        """Sends a command and returns the answer."""
        self._tell({"do": do, "first": first, "count": count})
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise self._failed(f"at {do} {first}")
        return json.loads(line)

    def end(self) -> None:
        """Ends the process."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def _failed(self, when: str) -> Failed:
        code = self._process.wait()
        said = self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-10:]
        return Failed("\n".join([f"the {self._log.stem} ended with {code} {when}", *said]))

    def _tell(self, what: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(what) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._failed("before it was asked") from None


@contextmanager
def callers(found: Surroundings, folder: Path) -> Iterator[dict[str, Caller]]:
    """Both clients, connected to a server with enough memories to fill every result."""
    with ExitStack() as stack:
        database = stack.enter_context(fresh_database(found.psql, found.database_server, found.inherited))
        scripted = stack.enter_context(provider(found.scripted_provider, found.inherited, folder / "provider.log"))
        settings = {**found.inherited, **scripted.server_environment, "REFLECT_DATABASE_URL": database}
        server = stack.enter_context(Server(found.binary, settings, folder / "server.log"))
        place = {"base_url": server.base_url, "api_key": server.master_key(), "project_id": "overhead"}
        own = {"PYTHONPATH": str(OWN_SOURCES), "REFLECT_SPOOL_DIR": str(folder / "spool")}
        # Not `client_environment`: that one avoids loading certificates.
        usual = {**found.inherited, "NO_PROXY": "*", "PYTHONUTF8": "1"}
        made: dict[str, Caller] = {}
        for name, environment in ((OWN, {**usual, **own}), (LATEST, usual)):
            made[name] = Caller(folder / f"{name} client.log", found.pythons[name], environment, place)
            stack.callback(made[name].end)
        made[OWN].ask("memories", 0, 20)
        yield made


def cpu_ratio(clients: dict[str, Caller], kind: str, calls: int) -> float:
    """Prints the cost of a call with both clients; returns the ratio."""
    spent = dict.fromkeys(clients, 0.0)
    for turn, first in enumerate(range(0, calls, TURN)):
        order = list(clients) if turn % 2 else list(reversed(clients))
        for name in order:
            spent[name] += clients[name].ask(kind, first, min(TURN, calls - first))
    own, published = (spent[name] / calls * 1000 for name in (OWN, LATEST))
    ratio = own / published
    print(
        f"{KINDS[kind]}: {own:.2f} ms CPU, published client {published:.2f} ms: {ratio:.3f} of it (at most {MOST:g})",
        flush=True,
    )
    return ratio


def block_seconds(client: Caller, calls: int) -> float:
    """Prints the time that a block adds to its retrieval; returns the larger of the two kinds.

    The time of the HTTP request is subtracted from each call. The rest of a retrieval is the client's own work; the
    rest of a block also includes what the block adds.
    """
    taken: dict[str, list[float]] = client.ask("blocks", 0, calls)
    typical = {kind: statistics.median(seconds) * 1000 for kind, seconds in taken.items()}
    retrieval = typical.pop("retrieval")
    for kind, whole in typical.items():
        print(
            f"{kind}: {whole:.3f} ms beside its request, a retrieval alone {retrieval:.3f} ms: "
            f"the block adds {whole - retrieval:.3f} ms (at most {BLOCK_SECONDS * 1000:g}; medians of {calls})",
            flush=True,
        )
    return (max(typical.values()) - retrieval) / 1000


def compare(found: Surroundings, calls: int) -> bool:
    """Measures everything; returns whether all limits hold."""
    with tempfile.TemporaryDirectory(prefix="overhead-") as folder, callers(found, Path(folder)) as clients:
        worst = max(cpu_ratio(clients, kind, calls) for kind in KINDS)
        block = block_seconds(clients[OWN], calls)
    print(f"sdk overhead: {worst:.3f} of the published client")
    return worst <= MOST and block <= BLOCK_SECONDS


def main() -> int:
    """Exit code 0: all limits hold; 1: one is exceeded; 2: nothing could be measured."""
    parser = argparse.ArgumentParser(description="Measure the cost of the clients.")
    parser.add_argument("--calls", type=int, default=200, help="of each kind")
    options = parser.parse_args()
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        held = compare(find_surroundings(), options.calls)
    except (Missing, DatabaseProblem, NotReached, ServerProblem, Failed) as problem:
        print(f"the overhead could not be measured: {problem}", file=sys.stderr)
        return 2
    if not held:
        print("a limit is exceeded", file=sys.stderr)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
