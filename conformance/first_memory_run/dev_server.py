"""Runs `reflect dev`: reads its output, and checks that Ctrl-C leaves no process running."""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
import threading
import time
from pathlib import Path
from types import TracebackType

from first_memory_run.user import User

NAMES = ("REFLECT_BASE_URL", "REFLECT_API_KEY", "REFLECT_PROJECT_ID")
# Far above the usual time; the real time is printed and counted.
START_SECONDS = 120.0
STOP_SECONDS = 30.0


class DevServer:
    """One running `reflect dev`; a context manager. `stop` is Ctrl-C."""

    def __init__(self, user: User, *options: str) -> None:
        self._user = user
        self._options = options
        self._lines: list[str] = []
        self._output_changed = threading.Condition()
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> DevServer:
        words = ("reflect", "dev", "--no-open", *self._options)
        self._process = self._user.start(*words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        try:
            self._wait()
        except BaseException:
            self._kill()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._kill()

    @property
    def output(self) -> str:
        """The output so far."""
        return "".join(self._lines)

    @property
    def exports(self) -> dict[str, str]:
        """The variables of its `export` lines."""
        found = re.findall(r"^\s*export (\w+)=(.*)$", self.output, re.MULTILINE)
        return {name: shlex.split(value)[0] for name, value in found}

    @property
    def link(self) -> str | None:
        """The link to the console."""
        found = re.search(r"https?://\S+/(?:login|setup)\?t=\S+", self.output)
        return None if found is None else found.group(0)

    def stop(self) -> float:
        """Sends SIGINT to the process group, like Ctrl-C; returns the seconds until the program ended."""
        process = self._process
        assert process is not None
        session, began = process.pid, time.monotonic()
        os.killpg(session, signal.SIGINT)
        try:
            code = process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            raise AssertionError(
                f"it did not end within {STOP_SECONDS:g} s of Ctrl-C\n{self.output}"
            ) from None
        took = time.monotonic() - began
        assert code in (0, 130), f"it ended with {code}\n{self.output}"
        left = leftovers(session, self._user)
        assert not left, f"Ctrl-C left running: {'; '.join(left)}"
        return took

    def _read(self, process: subprocess.Popen[str]) -> None:
        assert process.stdout is not None
        for line in process.stdout:
            with self._output_changed:
                self._lines.append(line)
                self._output_changed.notify_all()
        with self._output_changed:
            self._lines.append("")
            self._output_changed.notify_all()

    def _wait(self) -> None:
        process = self._process
        assert process is not None
        deadline = time.monotonic() + START_SECONDS
        with self._output_changed:
            while not (set(NAMES) <= set(self.exports) and self.link):
                assert process.poll() is None, f"`reflect dev` ended with {process.returncode}\n{self.output}"
                left = deadline - time.monotonic()
                assert left > 0, f"`reflect dev` was not ready within {START_SECONDS:g} s\n{self.output}"
                self._output_changed.wait(min(left, 1.0))

    def _kill(self) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            return
        # SIGINT first: Postgres is a child process and would keep running after SIGKILL.
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def leftovers(session: int, user: User) -> list[str]:
    """Running processes of that session, of the package's programs, or with that home in their arguments."""
    found = []
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit() or int(folder.name) == os.getpid():
            continue
        try:
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            program = str((folder / "exe").readlink())
            # The fields after the name in parentheses: state, parent, group, session.
            state, _, _, its_session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        ours = program.startswith(f"{user.venv}/") or str(user.home) in words or int(its_session) == session
        if ours and state != "Z":
            found.append(f"{folder.name} {words or program}")
    return found
