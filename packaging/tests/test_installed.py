"""The package once pip has installed it."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from pathlib import Path

import workspace


def said(command: list[str | Path], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What a program prints."""
    return subprocess.run(command, env=dict(environment), capture_output=True, text=True, check=True)


def test_the_program_runs_and_is_of_the_workspaces_version(venv: Path, bare: Mapping[str, str]) -> None:
    direct = said([venv / "bin" / "reflect", "--version"], bare)
    as_module = said([venv / "bin" / "python", "-m", "reflect_memory", "--version"], bare)

    assert direct.stdout.split()[:2] == ["reflect", workspace.version()]
    assert as_module.stdout == direct.stdout
    assert as_module.stderr == ""


def test_program_and_model_are_found_and_the_client_is_ours(venv: Path, bare: Mapping[str, str]) -> None:
    asked = "m.find_reflect_bin(), m.find_model(), reflect_sdk.__version__"
    program = f"import reflect_memory as m, reflect_sdk; print({asked})"

    found, model, client = said([venv / "bin" / "python", "-c", program], bare).stdout.split()

    assert Path(found) == venv / "bin" / "reflect"
    assert {path.name for path in Path(model).iterdir()} == {"model.json", "model.onnx", "tokenizer.json", "NOTICE"}
    assert f'"{client}"' in (workspace.CLIENT / "src" / "reflect_sdk" / "_version.py").read_text()


def test_a_foreign_client_in_the_same_environment_is_mentioned(
    venv: Path, bare: Mapping[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "reflect_sdk-0.3.3.dist-info"
    other.mkdir()
    (other / "METADATA").write_text("Metadata-Version: 2.1\nName: reflect-sdk\nVersion: 0.3.3\n")
    environment = {**bare, "PYTHONPATH": str(tmp_path)}

    done = said([venv / "bin" / "python", "-m", "reflect_memory", "--version"], environment)

    assert "reflect-sdk 0.3.3 is installed here" in done.stderr
    assert workspace.version() in done.stdout
