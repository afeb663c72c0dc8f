"""The container image: its layers and its configuration. `just image` builds one and runs it."""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

import linkage
import make_image
import workspace


def members(archive: bytes) -> dict[str, tarfile.TarInfo]:
    """The entries by name, in their order."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        return {entry.name: entry for entry in opened.getmembers()}


def test_a_layer_has_folders_before_files_and_belongs_to_root() -> None:
    layer = make_image.packed({"usr/b": (b"b", 0o755), "usr/a/c": (b"c", 0o644)})

    found = members(layer)
    assert list(found) == ["usr", "usr/a", "usr/a/c", "usr/b"]
    assert found["usr"].isdir() and found["usr/b"].mode == 0o755
    assert {(entry.uid, entry.gid, entry.uname) for entry in found.values()} == {(0, 0, "")}
    assert {entry.mtime for entry in found.values()} == {workspace.moment()}


def test_a_root_file_system_keeps_nothing_of_the_machine_that_built_it() -> None:
    source = io.BytesIO()
    with tarfile.open(fileobj=source, mode="w") as archive:
        for name in (
            "./",
            "./usr",
            "./dev",
            "./dev/null",
            "./etc",
            "./etc/hostname",
            "./etc/resolv.conf",
            "./etc/issue",
        ):
            entry = tarfile.TarInfo(name)
            entry.type = (
                tarfile.CHRTYPE if name == "./dev/null" else tarfile.DIRTYPE if name.count("/") == 1 else b"0"
            )
            entry.uid, entry.uname, entry.mtime = 1000, "builder", 1
            archive.addfile(entry)
        link = tarfile.TarInfo("./lib")
        link.type, link.linkname = tarfile.SYMTYPE, "usr/lib"
        archive.addfile(link)

    found = members(make_image.normalized(source.getvalue()))

    assert list(found) == ["etc", "etc/issue", "lib", "usr"]
    assert found["lib"].linkname == "usr/lib"
    assert {(entry.uid, entry.uname, entry.mtime) for entry in found.values()} == {(0, "", workspace.moment())}


def test_the_health_check_is_added_with_right_digests(tmp_path: Path) -> None:
    def write(document: dict[str, Any]) -> dict[str, Any]:
        content = json.dumps(document).encode()
        digest = hashlib.sha256(content).hexdigest()
        (tmp_path / "blobs" / "sha256" / digest).write_bytes(content)
        return {"digest": f"sha256:{digest}", "size": len(content)}

    (tmp_path / "blobs" / "sha256").mkdir(parents=True)
    manifest = write({"config": write({"config": {"User": "10001"}}), "layers": []})
    (tmp_path / "index.json").write_text(json.dumps({"manifests": [manifest]}))

    make_image.add_healthcheck(tmp_path)

    blobs = {path.name: path.read_bytes() for path in (tmp_path / "blobs" / "sha256").iterdir()}
    assert len(blobs) == 2, "the blobs that were replaced are gone"
    assert all(hashlib.sha256(content).hexdigest() == name for name, content in blobs.items())
    (entry,) = json.loads((tmp_path / "index.json").read_text())["manifests"]
    changed = json.loads(blobs[entry["digest"].partition(":")[2]])["config"]
    config = json.loads(blobs[changed["digest"].partition(":")[2]])["config"]
    assert config == {"User": "10001", "Healthcheck": make_image.HEALTHCHECK}


def test_a_binary_for_a_newer_system_is_refused(
    binary: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(make_image, "glibc_needs_of", lambda _: (2, 99))

    with pytest.raises(linkage.Unfit, match=r"needs glibc 2\.99, the image has 2\.41"):
        make_image.write_image(binary, model, tmp_path, tmp_path)


def test_the_architecture_is_read_from_the_program(binary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert linkage.architecture(binary) == "x86_64"
    for machine, expected in (("AArch64", "aarch64"), ("Advanced Micro Devices X86-64", "x86_64")):
        header = f"  Class:                             ELF64\n  Machine:                           {machine}\n"
        monkeypatch.setattr(linkage, "_readelf", lambda *_, header=header: header)
        assert linkage.architecture(binary) == expected
    monkeypatch.setattr(linkage, "_readelf", lambda *_: "  Class: ELF64\n  Machine: RISC-V\n")
    with pytest.raises(linkage.Unfit, match="x86_64 or aarch64"):
        linkage.architecture(binary)
