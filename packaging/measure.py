"""Prints size, start time and memory of the installed wheel, for one or more builds of the binary side by side.

    python3 packaging/measure.py --model FOLDER --build dist=PATH [--build debug=PATH]

Each build is packed into a wheel and installed into an empty environment with its dependencies, which pip fetches
once from the configured index. Then the program runs from there: `reflect --version`, and `reflect dev` on an empty
folder and again on the same folder. Measure on a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import make_wheel
import workspace

VERSION_RUNS = 20
START_SECONDS = 120.0
STOP_SECONDS = 30.0
# After this time without requests the memory is read.
IDLE_SECONDS = 5.0


class Failed(Exception):
    """A build could not be measured."""


@dataclass(frozen=True)
class Figures:
    """The figures of one build; sizes in bytes, times in seconds."""

    wheel: int
    program: int
    installed: int
    environment: int
    version: float
    first_start: float
    second_start: float
    memory: int
    postgres: int

    def rows(self) -> list[tuple[str, str]]:
        """What is printed, in its order."""
        return [
            ("wheel", _megabytes(self.wheel)),
            ("program, stripped", _megabytes(self.program)),
            ("installed, the package alone", _megabytes(self.installed)),
            ("installed, with its dependencies", _megabytes(self.environment)),
            ("`reflect --version`", f"{self.version * 1000:.0f} ms"),
            ("`reflect dev` ready, first start (creates the database)", f"{self.first_start:.1f} s"),
            ("`reflect dev` ready, later starts", f"{self.second_start:.1f} s"),
            ("memory of the idle server (RSS)", _megabytes(self.memory)),
            ("memory of its Postgres (PSS, all processes)", _megabytes(self.postgres)),
        ]


def table(figures: dict[str, Figures]) -> str:
    """One row per figure, one column per build."""
    columns = [dict(one.rows()) for one in figures.values()]
    width = max(len(name) for name in columns[0])
    lines = [" " * width + "".join(f"{name:>12}" for name in figures)]
    lines += [f"{name:<{width}}" + "".join(f"{column[name]:>12}" for column in columns) for name in columns[0]]
    return "\n".join(lines)


def measure(binary: Path, model: Path, folder: Path, downloads: Path) -> Figures:
    """Installs a build and measures it."""
    wheel = make_wheel.write_wheel(binary, model, folder / "wheel")
    venv = install(wheel, folder / "venv", downloads)
    program = venv / "bin" / "reflect"
    (packages,) = (venv / "lib").glob("python3*/site-packages")
    own = [program, packages / "reflect_memory", packages / "reflect_sdk", *packages.glob("reflect_memory-*")]
    first, *_ = dev_start(program, folder / "data")
    second, memory, postgres = dev_start(program, folder / "data")
    return Figures(
        wheel=wheel.stat().st_size,
        program=program.stat().st_size,
        installed=sum(size(path) for path in own),
        environment=size(venv),
        version=version_time(program),
        first_start=first,
        second_start=second,
        memory=memory,
        postgres=postgres,
    )


def install(wheel: Path, venv: Path, downloads: Path) -> Path:
    """An environment with the wheel and its dependencies."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    if not downloads.is_dir():
        subprocess.run(
            [*pip, "download", "--dest", downloads, *make_wheel.DEPENDENCIES, *_client_needs()], check=True
        )
    into: list[str | Path] = ["--python", venv / "bin" / "python", "install", "--no-index"]
    found: list[str | Path] = ["--find-links", downloads, "--root-user-action=ignore", wheel]
    subprocess.run([*pip, *into, *found], check=True)
    return venv


def _client_needs() -> list[str]:
    return list(workspace.client()["dependencies"])


def version_time(program: Path) -> float:
    """The median time of `reflect --version`."""
    times = []
    for _ in range(VERSION_RUNS):
        began = time.perf_counter()
        subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, check=True, env={})
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def dev_start(program: Path, data: Path) -> tuple[float, int, int]:
    """The time until `reflect dev` is ready, then the memory of the idle server and of its Postgres."""
    with running(program, data) as (process, log):
        began = time.monotonic()
        while not is_ready(log.read_text(encoding="utf-8", errors="replace")):
            if process.poll() is not None or time.monotonic() - began > START_SECONDS:
                raise Failed(f"`reflect dev` did not become ready:\n{log.read_text()}")
            time.sleep(0.02)
        ready = time.monotonic() - began
        time.sleep(IDLE_SECONDS)
        below = descendants(process.pid)
        return ready, status_bytes(process.pid, "VmRSS"), sum(proportional_bytes(child) for child in below)


@contextmanager
def running(program: Path, data: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """`reflect dev` in its own process group, with its output in a file."""
    data.mkdir(exist_ok=True)
    log = data / "output.log"
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(data), "REFLECT_DEV_FOLDER": str(data / "dev")}
    with log.open("wb") as output:
        command: list[str | Path] = [program, "dev", "--no-open", "--port", "0"]
        process = subprocess.Popen(command, stdout=output, stderr=output, env=environment, start_new_session=True)
    try:
        yield process, log
    finally:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Failed(f"`reflect dev` did not end within {STOP_SECONDS:g} s of Ctrl-C") from None


def is_ready(output: str) -> bool:
    """Whether it has printed its address and `/ready` answers there."""
    address = re.search(r"export REFLECT_BASE_URL=(\S+)", output)
    if address is None:
        return False
    try:
        with urllib.request.urlopen(f"{address.group(1)}/ready", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def descendants(process: int) -> list[int]:
    """All processes below one."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text()
        except OSError:
            continue
        if int(stat.rpartition(")")[2].split()[1]) == process:
            child = int(folder.name)
            found += [child, *descendants(child)]
    return found


def status_bytes(process: int, field: str) -> int:
    """A size from /proc/PID/status."""
    text = Path("/proc", str(process), "status").read_text()
    return _kilobytes(text, field)


def proportional_bytes(process: int) -> int:
    """The memory of a process; what it shares is divided among those that share it."""
    return _kilobytes(Path("/proc", str(process), "smaps_rollup").read_text(), "Pss")


def _kilobytes(text: str, field: str) -> int:
    found = re.search(rf"(?m)^{field}:\s+(\d+) kB", text)
    return int(found.group(1)) * 1024 if found else 0


def size(path: Path) -> int:
    """The bytes of a file, or of all files below a folder; links count as nothing."""
    files = [path] if path.is_file() else path.rglob("*")
    return sum(one.stat().st_size for one in files if one.is_file() and not one.is_symlink())


def _megabytes(count: int) -> str:
    return f"{count / 1e6:.1f} MB"


def main() -> int:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="Measure size, start time and memory of the installed wheel.")
    parser.add_argument("--model", type=Path, required=True, help="what `cargo xtask cache minilm` prints")
    parser.add_argument("--build", action="append", required=True, metavar="NAME=PATH", help="a name and a binary")
    options = parser.parse_args()
    figures = {}
    # Postgres may run as another user, which must reach the folder.
    with tempfile.TemporaryDirectory(prefix="reflect-measure-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        for build in options.build:
            label, _, path = build.partition("=")
            (folder / label).mkdir()
            try:
                figures[label] = measure(Path(path).absolute(), options.model, folder / label, folder / "downloads")
            except (OSError, subprocess.CalledProcessError, Failed, make_wheel.Unfit) as problem:
                print(f"measure: {label}: {problem}", file=sys.stderr)
                return 1
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
