"""The hooks of coding agents, through the real binary: transcripts of both agents, and the agents themselves.

    python3 conformance/hooks.py [--agents FOLDER] [--rounds N]

A lesson must reach the context, a run must be recorded once with all its tool calls, the exit codes of tests
must become signals, and a hook must take at most 100 ms. Without a server, runs wait on this machine. Two
mutants must be detected: one that does not spool, and one whose runs have random ids.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from announced import NotReached
from database import DatabaseProblem, fresh_database
from hooks_run import agents, documented, timing
from hooks_run.place import Broken, Place
from provider import provider
from server import Server, ServerProblem
from surroundings import Missing, Surroundings, find_surroundings

AGENTS = ("claude-code", "codex")
# Kills of background processes for each agent.
KILLS = 12


def run(found: Surroundings, folder_of_agents: Path | None, rounds: int) -> Place:
    """Runs all scenarios."""
    with (
        tempfile.TemporaryDirectory(prefix="hooks-") as folder,
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        provider(found.scripted_provider, found.everything, Path(folder, "provider.log")) as models,
    ):
        environment = {
            **found.inherited,
            **models.server_environment,
            "REFLECT_DATABASE_URL": database_url,
            "REFLECT_DRAIN_SECONDS": "2",
        }
        with Server(found.binary, environment, Path(folder, "server.log")) as server:
            place = Place(found.binary, server, server.master_key(), Path(folder), found.inherited)
            try:
                for agent in AGENTS:
                    documented.lesson_and_run(place, agent)
                    documented.life_of_a_session(place, agent)
                    documented.masked(place, agent)
                    documented.without_a_server(place, agent)
                    documented.recorded_again(place, agent)
                    documented.other_flags(place, agent)
                    documented.killed(place, agent, KILLS)
                    documented.signals(place, agent)
                kept = documented.without_a_server(place, AGENTS[0], "--fault", "no-spool")
                place.check(not kept, "a mutant that does not spool is caught")
                once = documented.recorded_again(place, AGENTS[0], "--fault", "random-ids")
                place.check(not once, "a mutant with random ids is caught")
                agents.all_agents(place, folder_of_agents)
                for agent in AGENTS:
                    timing.budget(place, agent, rounds)
            except Broken:
                print(f"--- the end of the server's log ---\n{server.log_tail()}\n---", file=sys.stderr)
                raise
            return place


def main() -> int:
    """0 if all checks pass, 1 if one fails, 2 if the run could not start."""
    # Without this, SIGTERM would leave programs and the database behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(description="Test the hooks of coding agents.")
    parser.add_argument("--agents", type=Path, help="the folder of conformance/agents/setup.sh")
    parser.add_argument(
        "--rounds", type=int, default=200, help="how many prompts are measured for each agent"
    )
    options = parser.parse_args()
    try:
        place = run(find_surroundings(), options.agents, options.rounds)
    except (Missing, DatabaseProblem, NotReached, ServerProblem) as problem:
        print(f"the hooks could not start: {problem}", file=sys.stderr)
        return 2
    except (Broken, subprocess.TimeoutExpired) as problem:
        print(f"hooks: BROKEN: {problem}")
        return 1
    if place.notes:
        print(f"  the agents themselves: {', '.join(place.notes)}")
    print(f"hooks: {place.passed} checks passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
