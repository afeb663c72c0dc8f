"""Checksums are signed by a known key, and every change after that is noticed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import workspace

SIGN = workspace.ROOT / "packaging" / "sign.sh"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A folder as `release.sh` leaves it, beside a key and the list that names it."""
    folder = tmp_path / "dist"
    folder.mkdir()
    (folder / "reflect.tar.gz").write_bytes(b"program")
    (folder / "with space.whl").write_bytes(b"wheel")
    subprocess.run(
        "sha256sum -- * >SHA256SUMS.new && mv SHA256SUMS.new SHA256SUMS", shell=True, cwd=folder, check=True
    )
    for name in ("key", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / name], check=True)
    public = (tmp_path / "key.pub").read_text(encoding="utf-8")
    (tmp_path / "signers").write_text(f'releases namespaces="reflect-release" {public}', encoding="utf-8")
    return folder


def sign(release: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs the script with the list of this test."""
    environment = {**os.environ, "REFLECT_RELEASE_SIGNERS": str(release.parent / "signers")}
    command = [str(SIGN), *map(str, arguments), str(release)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_a_signed_release_is_verified(release: Path) -> None:
    signed = sign(release, release.parent / "key")

    assert signed.returncode == 0, signed.stderr
    assert sign(release, "--verify").stdout.startswith("sign: 2 files")


@pytest.mark.parametrize("name", ["reflect.tar.gz", "SHA256SUMS"])
def test_a_changed_file_is_noticed(release: Path, name: str) -> None:
    assert sign(release, release.parent / "key").returncode == 0

    with (release / name).open("ab") as file:
        file.write(b" ")

    assert sign(release, "--verify").returncode == 1


def test_a_file_that_was_added_is_noticed(release: Path) -> None:
    assert sign(release, release.parent / "key").returncode == 0

    (release / "added.whl").write_bytes(b"")

    refused = sign(release, "--verify")
    assert refused.returncode == 1
    assert "added.whl" in refused.stderr


def test_a_key_that_is_not_in_the_list_cannot_sign(release: Path) -> None:
    refused = sign(release, release.parent / "other")

    assert refused.returncode == 1
    assert "not by a key of" in refused.stderr


def test_a_signature_for_another_purpose_is_refused(release: Path) -> None:
    sums = release / "SHA256SUMS"
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", release.parent / "key", "-n", "git", sums], check=True)

    assert sign(release, "--verify").returncode == 1
