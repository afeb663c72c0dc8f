"""Installs the package into an empty environment without a package index.

pip downloads the dependencies first, from the index that is configured on this machine. The installation
itself uses no index.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from surroundings import ROOT

WHEEL_BUILDER = ROOT / "packaging" / "make_wheel.py"


class NotInstalled(Exception):
    """The package could not be built or installed."""


def build_wheel(binary: Path, model: Path, folder: Path) -> Path:
    """Builds the wheel from a built binary."""
    command = [sys.executable, WHEEL_BUILDER, "--binary", binary, "--model", model, "--into", folder]
    _run([str(word) for word in command], None)
    (wheel,) = folder.glob("reflect_memory-*.whl")
    return wheel


def install(wheel: Path, folder: Path, everything: Mapping[str, str]) -> Path:
    """Installs the wheel and returns the folder of the environment. Prints the time of each step."""
    downloads, environment = folder / "wheels", folder / "venv"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    began = time.monotonic()
    _run([*pip, "download", "--quiet", "--dest", str(downloads), str(wheel)], everything)
    fetched = time.monotonic() - began
    size = sum(path.stat().st_size for path in downloads.iterdir()) / 1e6
    print(f"fetched {len(list(downloads.iterdir()))} packages, {size:.0f} MB, in {fetched:.1f} s", flush=True)

    began = time.monotonic()
    _run([sys.executable, "-m", "venv", "--without-pip", str(environment)], everything)
    # Ignore this machine's pip settings: no index, only the download folder.
    bare = {"PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": "/dev/null", "HOME": str(folder)}
    into = ["--python", str(environment / "bin" / "python"), "install", "--quiet", "--no-index"]
    found = ["--find-links", str(downloads), "--root-user-action=ignore", "reflect-memory"]
    _run([*pip, *into, *found], bare)
    took = time.monotonic() - began
    print(f"installed reflect-memory without an index in {took:.1f} s", flush=True)
    return environment


def _run(command: list[str], environment: Mapping[str, str] | None) -> None:
    done = subprocess.run(
        command,
        env=None if environment is None else dict(environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise NotInstalled(f"`{' '.join(command)}` ended with {done.returncode}\n{done.stdout}")
