"""Runs real agents of every framework with an adapter, against the real binary on a fresh database.

    python3 sdks/python/checks/frameworks/run.py [--only NAME ...] [--quick]

Each framework runs in its own environment (`cargo xtask setup --frameworks`), in front of a model server on loopback
that answers as told. `scenario.py` says what is checked. The Python code of the framework's how-to page and its
example run too, and a recorder that forgets something must be noticed. The frameworks of the TypeScript SDK follow,
if it is there. `--quick` runs one mode of each framework.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[4] / "conformance"))

from announced import NotReached
from database import DatabaseProblem, fresh_database
from provider import provider
from server import Server, ServerProblem
from surroundings import OWN_SOURCES, ROOT, Missing, Surroundings, find_surroundings, whole_environment

HERE = Path(__file__).resolve().parent
ADAPTER_TESTS = HERE.parents[1] / "tests" / "adapters"
TYPESCRIPT = ROOT / "sdks" / "typescript" / "checks" / "frameworks" / "run.mjs"
# Far above what the slowest framework takes.
SECONDS = 900.0


@dataclass(frozen=True)
class Framework:
    """A framework: its environment, its program, and its example. Those with an example have a how-to page."""

    name: str
    program: str
    example: str = ""


FRAMEWORKS = (
    Framework("anthropic", "anthropic_client", "anthropic_tools"),
    Framework("claude-agent-sdk", "claude_agent", "claude_agent"),
    Framework("crewai", "crewai_crew", "crewai_crew"),
    Framework("deepagents", "deep_agents"),
    Framework("google-adk", "adk_agent", "google_adk_agent"),
    Framework("langgraph", "langgraph_agent"),
    Framework("litellm", "litellm_calls", "litellm_loop"),
    Framework("openai", "openai_client"),
    Framework("openai-agents", "openai_agents"),
    Framework("pydantic-ai", "pydantic_ai_agent", "pydantic_ai_agent"),
)


class Table:
    """The results, printed as they arrive and as a table at the end."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, int, float]] = []
        self.failed: list[str] = []

    def add(self, framework: str, version: str, checks: int, seconds: float) -> None:
        """Adds the result of one framework; what its documents add has no version."""
        known = next((row for row in self.rows if row[0] == framework and version in ("", row[1])), None)
        if known is not None:
            self.rows.remove(known)
            version, checks, seconds = known[1], checks + known[2], seconds + known[3]
        self.rows.append((framework, version, checks, seconds))

    def fail(self, name: str, said: str) -> None:
        """Prints what failed."""
        self.failed.append(name)
        print(f"FAIL  {name}\n{said}", flush=True)

    def show(self) -> int:
        """Prints the table and the last line; returns the exit code."""
        width = max((len(row[0]) for row in self.rows), default=9)
        print(f"\n{'framework':<{width}}  {'version':<12}  checks  seconds")
        for framework, version, checks, seconds in self.rows:
            print(f"{framework:<{width}}  {version:<12}  {checks:>6}  {seconds:>7.1f}")
        for name in self.failed:
            print(f"failed: {name}")
        total = sum(row[2] for row in self.rows)
        print(f"frameworks: {len({row[0] for row in self.rows})} frameworks, {total} checks passed", flush=True)
        return 1 if self.failed or not self.rows else 0


def run(options: argparse.Namespace, table: Table) -> None:
    """Runs the selected frameworks."""
    found = find_surroundings()
    chosen = [one for one in FRAMEWORKS if not options.only or one.name in options.only]
    pythons = {one.name: interpreter(one.name) for one in chosen}
    with tempfile.TemporaryDirectory(prefix="frameworks-") as folder, started(found, Path(folder)) as variables:
        for one in chosen:
            home = Path(folder) / one.name
            home.mkdir()
            environment = {**variables, **private(home), "FRAMEWORKS_QUICK": "1" if options.quick else ""}
            python = pythons[one.name]
            program(table, one.name, [python, HERE / "programs" / f"{one.program}.py"], environment)
            if one.example:
                documents = [python, HERE / "documents.py", one.name, one.example]
                program(table, f"{one.name} (documents)", documents, environment)
        if not options.only:
            mutant(table, [pythons["openai"], HERE / "programs" / "openai_client.py"], environment)
        if TYPESCRIPT.exists() and not options.only:
            node = [options.node or node_of_cache(), TYPESCRIPT]
            program(table, "typescript", node, whole_environment(), TYPESCRIPT.parents[2])


@contextmanager
def started(found: Surroundings, folder: Path) -> Generator[dict[str, str], None, None]:
    """A server on a fresh database, with a provider that writes lessons. Yields the variables of the programs."""
    certificates = folder / "no-certificates"
    certificates.mkdir()
    with (
        fresh_database(found.psql, found.database_server, found.inherited) as database,
        provider(found.scripted_provider, found.inherited, folder / "provider.log") as scripted,
    ):
        settings = {**found.inherited, **scripted.server_environment, "REFLECT_DATABASE_URL": database}
        with Server(found.binary, settings, folder / "server.log") as server:
            paths = os.pathsep.join(map(str, (OWN_SOURCES, HERE, ADAPTER_TESTS)))
            yield {
                **found.client_environment(certificates),
                "PYTHONPATH": paths,
                "REFLECT_BASE_URL": server.base_url,
                "REFLECT_API_KEY": server.master_key(),
            }


def private(home: Path) -> dict[str, str]:
    """Variables that keep a framework from the network and from the user's files."""
    spool = home / "spool"
    spool.mkdir()
    return {
        "HOME": str(home),
        "TMPDIR": str(home),
        "REFLECT_SPOOL_DIR": str(spool),
        "CLAUDE_CONFIG_DIR": str(home / "claude"),
        "CREWAI_DISABLE_TELEMETRY": "true",
        "CREWAI_STORAGE_DIR": str(home / "crewai"),
        "CREWAI_TRACING_ENABLED": "false",
        "GOOGLE_API_KEY": "any",
        "LANGSMITH_TRACING": "false",
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "OPENAI_API_KEY": "any",
        "OTEL_SDK_DISABLED": "true",
    }


def program(
    table: Table, name: str, command: Sequence[str | Path], environment: dict[str, str], folder: Path | None = None
) -> None:
    """Runs one program and adds what it reports: a line of JSON per framework."""
    began = time.monotonic()
    try:
        done = subprocess.run(
            command, env=environment, cwd=folder, capture_output=True, text=True, timeout=SECONDS, check=False
        )
        code, printed, errors = done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        code, printed, errors = 1, str(late.stdout or ""), f"not within {SECONDS:.0f} s"
    seconds = time.monotonic() - began
    for line in printed.splitlines():
        if line.startswith('{"framework"'):
            found = json.loads(line)
            checks = found["checks"] if isinstance(found["checks"], int) else len(found["checks"])
            table.add(found["framework"], found["version"], checks, seconds)
            print(f"ok    {found['framework']} {found['version']}: {checks} checks ({seconds:.1f} s)", flush=True)
        elif "mutant caught" in line:
            print(f"ok    {line}", flush=True)
    if code != 0:
        table.fail(name, f"{printed[-2000:]}\n{errors[-6000:]}")


def mutant(table: Table, command: Sequence[str | Path], environment: dict[str, str]) -> None:
    """Runs a program whose recorder forgets tool results; its checks must fail."""
    marked = {**environment, "FRAMEWORKS_MUTANT": "1"}
    done = subprocess.run(command, env=marked, capture_output=True, text=True, timeout=SECONDS, check=False)
    if done.returncode != 0 and "AssertionError" in done.stderr and "rain in Paris" in done.stderr:
        print("ok    mutant caught: forgotten tool results", flush=True)
    else:
        table.fail("mutant", f"forgotten tool results were not noticed\n{done.stdout}\n{done.stderr[-3000:]}")


def interpreter(name: str) -> Path:
    """The Python of a framework's environment."""
    python = _cache() / "frameworks" / name / "bin" / "python"
    if not python.exists():
        raise Missing(f"no environment at {python}: `cargo xtask setup --frameworks` installs it")
    return python


def node_of_cache() -> Path:
    """The Node of the type checker, which is new enough."""
    return next(iter(sorted(_cache().glob("pyright/*/node"))), Path("node"))


def _cache() -> Path:
    cache = whole_environment().get("REFLECT_CACHE")
    if not cache:
        raise Missing("REFLECT_CACHE is not set; `just frameworks` sets it, or: REFLECT_CACHE=$(cargo xtask cache)")
    return Path(cache)


def main() -> int:
    """Exit code 0: all passed; 1: one failed; 2: the run could not start."""
    parser = argparse.ArgumentParser(description="Run real agents of every framework with an adapter.")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[one.name for one in FRAMEWORKS])
    parser.add_argument("--quick", action="store_true", help="one mode of each framework")
    parser.add_argument("--node", type=Path, help="a Node for the frameworks of the TypeScript SDK")
    options = parser.parse_args()
    # Without this, SIGTERM would leave child processes and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    table = Table()
    try:
        run(options, table)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the frameworks could not run: {problem}", file=sys.stderr)
        return 2
    return table.show()


if __name__ == "__main__":
    sys.exit(main())
