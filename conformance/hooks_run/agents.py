"""The agents themselves, with their own programs, against a scripted model on this machine."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from hooks_run.models import ModelScript, model_server
from hooks_run.place import LESSON, TASK, Broken, Place, User

AGENT_SECONDS = 120.0
TEST = """import pathlib
import unittest


class Shop(unittest.TestCase):
    def test_total(self):
        self.assertTrue(pathlib.Path("fixed").exists())
"""
COMMANDS = ["python3 -m unittest -q test_shop", "touch fixed", "python3 -m unittest -q test_shop"]
ANSWER = "The test passes now."


@dataclass(frozen=True)
class Programs:
    """The installed agents."""

    claude_code: Path
    codex: Path


def find(folder: Path) -> Programs | None:
    """The agents in a folder of `conformance/agents/setup.sh`."""
    packages = folder / "node_modules"
    claude = sorted(packages.glob("@anthropic-ai/claude-code-*/claude"))
    codex = sorted(packages.glob("@openai/codex-*/vendor/*/bin/codex"))
    return Programs(claude[0], codex[0]) if claude and codex else None


def _run(user: User, command: list[str], **environment: str) -> None:
    done = subprocess.run(
        command,
        env=user.environment(**environment),
        cwd=user.repository,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=AGENT_SECONDS,
        check=False,
    )
    if done.returncode != 0 or ANSWER not in done.stdout:
        raise Broken(
            f"{command[0]} ended with {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
        )


def _prepared(place: Place, agent: str) -> User:
    user = place.user(f"real-{agent}")
    user.reflect("memories", "add", "--task", TASK, "--guidance", LESSON)
    (user.repository / "test_shop.py").write_text(TEST, encoding="utf-8")
    user.reflect("hook", "install", agent)
    return user


def _checked(place: Place, agent: str, user: User, script: ModelScript) -> None:
    sent = script.whole_text()
    place.check(LESSON in sent, f"{agent} itself: the lesson reaches the model", sent[:500])
    runs = place.traces(1, user.project)
    place.check(len(runs) == 1, f"{agent} itself: one run is recorded", [run["task"] for run in runs])
    run = runs[0]
    steps = place.api(user.project).call("GET", f"/traces/{run['id']}/steps")["steps"]
    calls = sum(step["kind"] == "tool_call" for step in steps)
    place.check(calls == len(COMMANDS), f"{agent} itself: with all {calls} calls", steps)
    memory = [step for step in steps if step["kind"] == "memory"]
    place.check(len(memory) == 1, f"{agent} itself: with the lessons that it got", steps)
    good = (run["task"], run["link"], run["final_response"]) == (TASK, "receipt", ANSWER)
    place.check(good, f"{agent} itself: with its receipt and its last message", run)
    place.check(
        run["metadata"].get("tests") == "pass",
        f"{agent} itself: its tests passed in the end",
        run["metadata"],
    )
    version = run["metadata"].get("agent_version")
    place.notes.append(f"{agent} {version}")


def claude_code(place: Place, programs: Programs) -> None:
    """Claude Code, without a terminal."""
    user = _prepared(place, "claude-code")
    script = ModelScript(COMMANDS, ANSWER)
    with model_server(script) as url:
        _run(
            user,
            [str(programs.claude_code), "--print", TASK, "--allowedTools", "Bash"],
            ANTHROPIC_BASE_URL=url,
            ANTHROPIC_API_KEY="scripted",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            DISABLE_TELEMETRY="1",
            DISABLE_AUTOUPDATER="1",
        )
    _checked(place, "claude-code", user, script)


def codex(place: Place, programs: Programs) -> None:
    """Codex, without a terminal.

    Its sandbox needs rights that a container may not have, so the commands run without it.
    """
    user = _prepared(place, "codex")
    script = ModelScript(COMMANDS, ANSWER)
    with model_server(script) as url:
        settings = [
            'model = "scripted"',
            'model_provider = "scripted"',
            "[model_providers.scripted]",
            'name = "scripted"',
            f'base_url = "{url}/v1"',
            'wire_api = "responses"',
        ]
        (user.home / ".codex" / "config.toml").write_text("\n".join(settings) + "\n", encoding="utf-8")
        command = [str(programs.codex), "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust"]
        _run(user, [*command, "--dangerously-bypass-approvals-and-sandbox", TASK])
    _checked(place, "codex", user, script)


def all_agents(place: Place, folder: Path | None) -> None:
    """Both agents, if they are installed."""
    programs = find(folder) if folder else None
    if programs is None:
        print(
            "  not run: the agents themselves, which are not installed (conformance/agents/setup.sh)",
            file=sys.stderr,
        )
        return
    claude_code(place, programs)
    codex(place, programs)
