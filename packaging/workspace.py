"""What the packages say about the product, read from where it is decided, so that nothing is said twice."""

from __future__ import annotations

import json
import os
import subprocess
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
CLIENT = ROOT / "sdks" / "python"
# The wheel with the server.
NAME = "reflect-memory"
# The earliest moment that a zip file can name.
EARLIEST = 315_532_800


def version() -> str:
    """The version of the workspace, which is the version of every package."""
    return _toml(ROOT / "Cargo.toml")["workspace"]["package"]["version"]


def client() -> dict[str, Any]:
    """The description of our Python client, whose dependencies are those of the wheel too."""
    return _toml(CLIENT / "pyproject.toml")["project"]


def typescript_client() -> dict[str, Any]:
    """The description of our TypeScript client."""
    return json.loads((ROOT / "sdks" / "typescript" / "package.json").read_text(encoding="utf-8"))


def revision() -> str:
    """The commit that is checked out, or nothing outside of git."""
    asked = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "rev-parse", "HEAD"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def moment() -> int:
    """The time that files in archives carry: the same sources give the same bytes."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return max(int(given), EARLIEST)
    asked = ["git", "-c", "safe.directory=*", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    return max(int(done.stdout), EARLIEST) if done.returncode == 0 else EARLIEST


def digests() -> dict[str, tuple[str, list[str]]]:
    """The tested version of each Python package, and the digests of its wheels, by its name in lower case."""
    lines = (ROOT / "xtask" / "python-digests.txt").read_text(encoding="utf-8").splitlines()
    found: dict[str, tuple[str, list[str]]] = {}
    for package, *rest in (line.split() for line in lines if "==" in line):
        name, version = package.split("==")
        found[name.lower()] = (version, [one.removeprefix("--hash=sha256:") for one in rest])
    return found


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))
