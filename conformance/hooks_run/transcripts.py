"""Transcripts in the documented formats of both agents, and the events that the agents pass to their hooks.

The fields are those that the versions in conformance/agents write.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass
class Session:
    """A session of an agent: its transcript, and its events."""

    agent: str
    folder: Path
    cwd: Path
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    calls: int = 0

    @property
    def path(self) -> Path:
        """The transcript."""
        return self.folder / f"{self.id}.jsonl"

    def event(self, name: str, turn: str, **more: Any) -> dict[str, Any]:
        """An event with the fields of the agent."""
        event = {
            "session_id": self.id,
            "transcript_path": str(self.path),
            "cwd": str(self.cwd),
            "hook_event_name": name,
            "permission_mode": "default",
            **more,
        }
        if self.agent == "codex":
            return {**event, "turn_id": turn, "model": "gpt-example"}
        return {**event, "prompt_id": turn}

    def prompt_event(self, turn: str, prompt: str) -> dict[str, Any]:
        """The user sent a prompt."""
        return self.event("UserPromptSubmit", turn, prompt=prompt)

    def stop_event(self, turn: str, message: str) -> dict[str, Any]:
        """The agent stopped."""
        return self.event("Stop", turn, stop_hook_active=False, last_assistant_message=message)

    def write(self, *entries: dict[str, Any]) -> None:
        """Adds lines to the transcript."""
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(entry)}\n" for entry in entries)

    def turn(self, turn: str, prompt: str, commands: list[tuple[str, int]], message: str) -> None:
        """Writes a whole turn: the prompt, each command with its exit code, and the last message."""
        write = self._claude_code if self.agent == "claude-code" else self._codex
        write(turn, prompt, commands, message)

    def _claude_code(self, turn: str, prompt: str, commands: list[tuple[str, int]], message: str) -> None:
        common = {
            "isSidechain": False,
            "userType": "external",
            "cwd": str(self.cwd),
            "sessionId": self.id,
            "version": "2.1.327",
            "gitBranch": "main",
        }

        def entry(kind: str, said: dict[str, Any], **more: Any) -> dict[str, Any]:
            return {
                "type": kind,
                "uuid": str(uuid.uuid4()),
                "timestamp": _now(),
                "message": said,
                **common,
                **more,
            }

        def answer(number: int, block: dict[str, Any]) -> dict[str, Any]:
            return entry(
                "assistant",
                {
                    "id": f"msg_{turn}_{number}",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude-example",
                    "content": [block],
                    "stop_reason": None,
                    "usage": {"input_tokens": 10, "output_tokens": 20},
                },
            )

        self.write(
            {"type": "queue-operation", "operation": "enqueue", "sessionId": self.id, "timestamp": _now()},
            entry("user", {"role": "user", "content": prompt}, promptId=turn),
            {
                "type": "attachment",
                "uuid": str(uuid.uuid4()),
                "attachment": {"type": "date", "date": "2026-11-18"},
            },
            answer(0, {"type": "thinking", "thinking": "Run it first.", "signature": "c2lnbmF0dXJl"}),
            answer(0, {"type": "text", "text": "I run the test."}),
        )
        for number, (command, code) in enumerate(commands, start=1):
            call = f"toolu_{turn}_{number}"
            output = f"Exit code {code}\nE  AssertionError: 1 != 2" if code else "2 passed in 0.01s"
            details: Any = (
                f"Error: {output}"
                if code
                else {"stdout": output, "stderr": "", "interrupted": False, "isImage": False}
            )
            block = {"type": "tool_result", "tool_use_id": call, "content": output, "is_error": code != 0}
            given = {"command": command, "description": "Run it"}
            self.write(
                answer(number, {"type": "tool_use", "id": call, "name": "Bash", "input": given}),
                entry("user", {"role": "user", "content": [block]}, promptId=turn, toolUseResult=details),
            )
        self.write(answer(len(commands) + 1, {"type": "text", "text": message}))

    def _codex(self, turn: str, prompt: str, commands: list[tuple[str, int]], message: str) -> None:
        def line(kind: str, **payload: Any) -> dict[str, Any]:
            return {"timestamp": _now(), "type": kind, "payload": payload}

        def said(role: str, text: str) -> dict[str, Any]:
            kind = "output_text" if role == "assistant" else "input_text"
            content = [{"type": kind, "text": text}]
            return line("response_item", type="message", id=f"msg_{uuid.uuid4()}", role=role, content=content)

        if not self.path.exists():
            meta = {"id": self.id, "timestamp": _now(), "cwd": str(self.cwd), "cli_version": "0.169.0"}
            self.write(line("session_meta", originator="codex_cli_rs", source="cli", **meta))
        self.write(
            line("event_msg", type="task_started", turn_id=turn, model_context_window=200_000),
            said("developer", "<permissions instructions>You may run commands.</permissions instructions>"),
            said("user", f"<environment_context>\n  <cwd>{self.cwd}</cwd>\n</environment_context>"),
            line(
                "turn_context", turn_id=turn, cwd=str(self.cwd), model="gpt-example", approval_policy="never"
            ),
            said("user", prompt),
            line("event_msg", type="user_message", message=prompt),
            line("response_item", type="reasoning", summary=[], encrypted_content="gAAAAAB"),
        )
        for number, (command, code) in enumerate(commands, start=1):
            call = f"call_{turn}_{number}"
            arguments = json.dumps({"cmd": command, "workdir": str(self.cwd)})
            output = "E  AssertionError: 1 != 2" if code else "2 passed in 0.01s"
            head = f"Chunk ID: 4ee4a6\nWall time: 0.0489 seconds\nProcess exited with code {code}\n"
            self.write(
                line(
                    "response_item",
                    type="function_call",
                    name="exec_command",
                    arguments=arguments,
                    call_id=call,
                ),
                line("event_msg", type="token_count", info=None),
                line(
                    "response_item",
                    type="function_call_output",
                    call_id=call,
                    output=f"{head}Original token count: 9\nOutput:\n{output}",
                ),
            )
        self.write(
            said("assistant", message),
            line("event_msg", type="task_complete", turn_id=turn, last_agent_message=message),
        )
