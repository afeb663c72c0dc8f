"""The tarball, and the bill of materials."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import bill
import make_tarball
import workspace


def test_it_holds_what_an_installation_by_hand_needs_and_no_trace_of_this_machine(
    binary: Path, model: Path, tmp_path: Path
) -> None:
    path = make_tarball.write_tarball(binary, model, tmp_path)

    with tarfile.open(path) as archive:
        members = {member.name.partition("/")[2]: member for member in archive.getmembers()}
        archive.extractall(tmp_path, filter="data")
    wanted = {"bin/reflect", "LICENSE", "README.md", "lib/systemd/system/reflect.service"}
    assert wanted | {"share/reflect/model/model.onnx"} <= members.keys()
    assert members["bin/reflect"].mode == 0o755
    assert {member.uname for member in members.values()} == {""}
    assert {member.mtime for member in members.values()} == {workspace.moment()}
    program = tmp_path / path.name.removesuffix(".tar.gz") / "bin" / "reflect"
    assert workspace.version() in subprocess.run([program, "--version"], capture_output=True, text=True).stdout


def test_the_bill_names_what_is_linked_and_not_what_only_tests_use() -> None:
    crates = {part.name: part for part in bill.crates()}
    console = {part.name for part in bill.console_packages()}

    assert {"reflect-cli", "axum", "sqlx", "tokio", "ort"} <= crates.keys()
    assert not {"reflect-test-support", "reflect-scripted-provider", "xtask"} & crates.keys()
    assert all(part.digests for part in crates.values() if not part.ours)
    assert {"react", "react-dom", "react-aria-components"} <= console
    assert not {"vite", "vitest", "typescript", "playwright-core"} & console
