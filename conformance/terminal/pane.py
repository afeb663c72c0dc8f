"""A tmux pane: sends keys and reads the screen.

Independent of Reflect.
"""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

# Far above the time of any step; reached only if something hangs.
PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.02


class NotShown(AssertionError):
    """The screen never showed the expected text."""


class Pane:
    """A shell in a pane; a context manager. It has its own tmux server."""

    def __init__(self, tmux: Path, environment: Mapping[str, str], width: int = 80, height: int = 24) -> None:
        self._tmux = [str(tmux), "-L", f"reflect-{secrets.token_hex(6)}", "-f", "/dev/null"]
        self._environment = dict(environment)
        self._size = (width, height)

    def __enter__(self) -> Pane:
        width, height = self._size
        self._call("new-session", "-d", "-x", str(width), "-y", str(height), "sh")
        # An escape sequence would change this title, and a bell would set a flag.
        self._call("set-option", "-g", "monitor-bell", "on")
        self._call("set-option", "-g", "allow-rename", "on")
        self._call("select-pane", "-T", "untouched")
        # Not every shell reads its prompt from the environment.
        self.run("PS1='shell> '; clear")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            print(f"--- the screen at the end ---\n{self.text().rstrip()}\n---", flush=True)
        self._call("kill-server")

    def type(self, text: str) -> None:
        """Types letters as they are."""
        if text:
            self._call("send-keys", "-l", "--", text)

    def press(self, *keys: str) -> None:
        """Presses keys by name, such as Enter or C-e."""
        self._call("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Pastes text with bracketed paste."""
        self._call("set-buffer", "--", text)
        self._call("paste-buffer", "-p")

    def run(self, command: str) -> None:
        """Types a command and Enter."""
        self.type(command)
        self.press("Enter")

    def text(self) -> str:
        """The text on the screen."""
        return self._call("capture-pane", "-p")

    def styled(self) -> str:
        """The text with colours as escape sequences."""
        return self._call("capture-pane", "-p", "-e")

    def fact(self, name: str) -> str:
        """A tmux variable of the pane."""
        return self._call("display-message", "-p", f"#{{{name}}}").strip()

    def resize(self, width: int, height: int) -> None:
        """Resizes the window."""
        self._call("resize-window", "-x", str(width), "-y", str(height))

    def wait(self, what: str, is_so: Callable[[str], bool]) -> str:
        """Waits until the predicate holds for the screen."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_so(text := self.text()):
            if time.monotonic() > deadline:
                raise NotShown(f"{what} was not on the screen:\n{text}")
            time.sleep(PAUSE_SECONDS)
        return text

    def wait_for(self, *parts: str) -> str:
        """Waits until all parts are on the screen."""
        return self.wait(" and ".join(map(repr, parts)), lambda text: all(part in text for part in parts))

    def wait_gone(self, part: str) -> str:
        """Waits until the part is not on the screen."""
        return self.wait(f"a screen without {part!r}", lambda text: part not in text)

    def stays(self, part: str, seconds: float) -> None:
        """Checks that the part stays on the screen for this time."""
        self.wait_for(part)
        since = time.monotonic()
        while time.monotonic() - since < seconds:
            text = self.text()
            if part not in text:
                raise NotShown(f"{part!r} did not stay on the screen:\n{text}")
            time.sleep(PAUSE_SECONDS)

    def _call(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments],
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE_SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"tmux {arguments[0]} failed: {done.stderr.strip()}"
        return done.stdout
