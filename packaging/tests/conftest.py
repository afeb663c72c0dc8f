"""The wheel, made once from the binary that `just packaging-check` has built, and installed where nothing else is."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import make_wheel


@pytest.fixture(scope="session")
def binary() -> Path:
    """The built binary."""
    return Path(os.environ["REFLECT_BIN"]).absolute()


@pytest.fixture(scope="session")
def model() -> Path:
    """The folder of the embedding model."""
    return Path(os.environ["REFLECT_EMBEDDER_FOLDER"]).absolute()


@pytest.fixture(scope="session")
def built(binary: Path, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel."""
    return make_wheel.write_wheel(binary, model, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def venv(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the package and without what it depends on."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    # The interpreter behind this one: the environment of the tools has no pip inside.
    pip: list[str | Path] = [
        Path(sys.base_prefix, "bin", "python3"),
        "-m",
        "pip",
        "--python",
        folder / "bin" / "python",
    ]
    options = ["install", "--quiet", "--root-user-action=ignore", "--no-index", "--no-deps"]
    subprocess.run([*pip, *options, built], check=True)
    return folder


@pytest.fixture(scope="session")
def bare() -> Mapping[str, str]:
    """An environment without settings."""
    return {"PATH": "/usr/bin:/bin"}
