"""One pane of a tmux of its own: keys go in, what is on the screen comes out.

Nothing is known of Reflect here.
"""

from __future__ import annotations

import secrets
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

# Far above what anything here takes; only something that hangs ever meets it.
PATIENCE_SECONDS = 60.0
PAUSE_SECONDS = 0.02


class NotShown(AssertionError):
    """The screen never showed what was waited for."""


class Pane:
    """A shell in a pane; a context manager. Its tmux server is nobody else's."""

    def __init__(self, tmux: Path, environment: Mapping[str, str], width: int = 80, height: int = 24) -> None:
        self._tmux = [str(tmux), "-L", f"reflect-{secrets.token_hex(6)}", "-f", "/dev/null"]
        self._environment = dict(environment)
        self._size = (width, height)

    def __enter__(self) -> Pane:
        width, height = self._size
        self._call("new-session", "-d", "-x", str(width), "-y", str(height), "sh")
        # A title that an escape sequence would take the place of, and bells that would be noticed.
        self._call("set-option", "-g", "monitor-bell", "on")
        self._call("set-option", "-g", "allow-rename", "on")
        self._call("select-pane", "-T", "untouched")
        # Not every shell takes its prompt from the environment.
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
        """Presses keys by their names, such as Enter or C-e."""
        self._call("send-keys", *keys)

    def paste(self, text: str) -> None:
        """Pastes a text, marked as such for programs that ask for it."""
        self._call("set-buffer", "--", text)
        self._call("paste-buffer", "-p")

    def run(self, command: str) -> None:
        """Types a command at the shell."""
        self.type(command)
        self.press("Enter")

    def text(self) -> str:
        """What is on the screen."""
        return self._call("capture-pane", "-p")

    def styled(self) -> str:
        """The same with its colours as escape sequences."""
        return self._call("capture-pane", "-p", "-e")

    def fact(self, name: str) -> str:
        """Something that tmux knows of the pane."""
        return self._call("display-message", "-p", f"#{{{name}}}").strip()

    def resize(self, width: int, height: int) -> None:
        """Makes the window as large as this."""
        self._call("resize-window", "-x", str(width), "-y", str(height))

    def wait(self, what: str, is_so: Callable[[str], bool]) -> str:
        """Waits until the screen is so."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not is_so(text := self.text()):
            if time.monotonic() > deadline:
                raise NotShown(f"{what} was not on the screen:\n{text}")
            time.sleep(PAUSE_SECONDS)
        return text

    def wait_for(self, *parts: str) -> str:
        """Waits until all of this is on the screen."""
        return self.wait(" and ".join(map(repr, parts)), lambda text: all(part in text for part in parts))

    def wait_gone(self, part: str) -> str:
        """Waits until this is not on the screen any more."""
        return self.wait(f"a screen without {part!r}", lambda text: part not in text)

    def stays(self, part: str, seconds: float) -> None:
        """Watches that this is on the screen for so long."""
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
