"""Starts the real binary, waits until it is ready, creates a master key, and stops it."""

from __future__ import annotations

import http.client
import signal
import socket
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

# The prefix of a server behind a proxy that adds one: base URLs with a prefix must work.
BASE_PATH = "/pre/fix"

# Generous, because a shared machine may stall for seconds; the start time is measured elsewhere.
READY_SECONDS = 60.0
STOP_SECONDS = 30.0


class ServerProblem(Exception):
    """The binary could not be started or prepared for the items."""


class Server:
    """One running server; a context manager."""

    def __init__(
        self,
        binary: Path,
        environment: Mapping[str, str],
        log: Path,
        port: int | None = None,
        under: Sequence[str] = (),
        base_path: str = "",
    ) -> None:
        self._binary = binary
        self.environment = dict(environment)
        self._log = log
        self._port = port or _free_port()
        # A command prefix that observes the server; the server must stay our child process.
        self._under = list(under)
        self._base_path = base_path
        self._process: subprocess.Popen[bytes] | None = None
        self.base_url = f"http://127.0.0.1:{self._port}{base_path}"

    def __enter__(self) -> Server:
        self.start()
        return self

    def start(self) -> None:
        """Starts the server, or starts it again after a kill, at the same address."""
        command = [*self._under, str(self._binary), "serve", "--migrate"]
        command += ["--listen", f"127.0.0.1:{self._port}", "--base-path", self._base_path]
        with self._log.open("ab") as log:
            # Its own session, so Ctrl-C in the terminal reaches only the harness, which then stops
            # the server.
            self._process = subprocess.Popen(
                command,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            self._wait_until_ready(self._process)
        except BaseException:
            self.stop()
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def pid(self) -> int:
        """The process id."""
        assert self._process is not None
        return self._process.pid

    @property
    def is_running(self) -> bool:
        """Whether the process exists."""
        return self._process is not None and self._process.poll() is None

    def master_key(self) -> str:
        """Creates a master key with the binary while the server runs."""
        command = [str(self._binary), "keys", "create", "--master", "--label", "conformance"]
        done = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=30, check=False
        )
        key = done.stdout.strip()
        if done.returncode != 0 or not key or len(key.split()) != 1:
            raise ServerProblem(
                "`reflect keys create --master` must print the key alone; "
                f"it ended with {done.returncode} and said:\n{done.stdout}{done.stderr}"
            )
        return key

    def stop(self) -> None:
        """Sends SIGTERM, and SIGKILL if the server does not end."""
        process = self._process
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            with self._log.open("a", encoding="utf-8") as log:
                log.write(f"(killed: still running {STOP_SECONDS:.0f} s after SIGTERM)\n")

    def kill(self) -> None:
        """Sends SIGKILL."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()

    def signal(self, number: int) -> None:
        """Sends the server a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def log_tail(self, lines: int = 40) -> str:
        """The last lines of the server's log."""
        if not self._log.exists():
            return ""
        return "\n".join(self._log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        deadline = time.monotonic() + READY_SECONDS
        answer = "no connection"
        while time.monotonic() < deadline:
            if process.poll() is not None:
                raise ServerProblem(f"the server ended with {process.returncode} before it was ready")
            status = self._ready_status()
            if status == 200:
                return
            answer = answer if status is None else f"status {status}"
            time.sleep(0.05)
        raise ServerProblem(f"GET /ready did not answer 200 within {READY_SECONDS:.0f} s ({answer})")

    def _ready_status(self) -> int | None:
        # Not urllib, which would use a proxy from the environment for a loopback address.
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=2)
        try:
            connection.request("GET", "/ready")
            return connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
