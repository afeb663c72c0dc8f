"""What is in the wheel, and whether it is what the wheel says it is."""

from __future__ import annotations

import base64
import csv
import email
import hashlib
import io
import zipfile
from pathlib import Path

import pytest

import linkage
import make_wheel
import workspace

LARGEST = 60_000_000


def differences(path: Path) -> list[str]:
    """Where the archive and its own record disagree."""
    with zipfile.ZipFile(path) as archive:
        (record,) = [name for name in archive.namelist() if name.endswith(".dist-info/RECORD")]
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(archive.read(record).decode()))}
        found = [f"{name} is only in one of the two" for name in rows.keys() ^ set(archive.namelist())]
        for name, (digest, size) in rows.items():
            if name == record or name not in archive.namelist():
                continue
            content = archive.read(name)
            made = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            if (digest, size) != (f"sha256={made}", str(len(content))):
                found.append(f"{name} is not what the record says")
        return found


def described(path: Path) -> email.message.Message:
    """The metadata."""
    with zipfile.ZipFile(path) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return email.message_from_bytes(archive.read(name))


def test_it_carries_binary_model_client_and_licences(built: Path) -> None:
    version = workspace.version()
    with zipfile.ZipFile(built) as archive:
        names = set(archive.namelist())
        program = archive.getinfo(f"reflect_memory-{version}.data/scripts/reflect")

    assert program.external_attr >> 16 == 0o100755
    client = {str(path.relative_to(workspace.CLIENT / "src")) for path in (workspace.CLIENT / "src").rglob("*.py*")}
    client = {name for name in client if not name.endswith(".pyc") and "__pycache__" not in name}
    assert client <= names
    assert {"reflect_sdk/py.typed", "reflect_sdk/async_client.pyi"} <= names
    for name in ("__init__.py", "__main__.py", "py.typed", "model/model.onnx", "model/model.json", "model/NOTICE"):
        assert f"reflect_memory/{name}" in names
    assert {f"reflect_memory-{version}.dist-info/licenses/{name}" for name in ("LICENSE", "model/NOTICE")} <= names


def test_its_record_is_right_and_would_show_a_change(built: Path, tmp_path: Path) -> None:
    changed = tmp_path / built.name
    with zipfile.ZipFile(built) as archive, zipfile.ZipFile(changed, "w") as copy:
        for entry in archive.infolist():
            content = archive.read(entry)
            copy.writestr(entry, content + b" " if entry.filename.endswith("tokenizer.json") else content)

    assert differences(built) == []
    assert differences(changed) == ["reflect_memory/model/tokenizer.json is not what the record says"]


def test_its_version_is_the_workspaces_and_its_dependencies_bring_postgres_and_onnx_runtime(built: Path) -> None:
    said = described(built)

    assert said["Name"] == "reflect-memory"
    assert said["Version"] == workspace.version()
    wanted = said.get_all("Requires-Dist") or []
    needed = [one for one in wanted if "extra" not in one]
    assert needed == [*make_wheel.DEPENDENCIES, *workspace.client()["dependencies"]]
    assert 'openai>=2.0,<4; extra == "openai"' in wanted
    assert not any(one.startswith("reflect-sdk") for one in wanted), "the name belongs to another owner"


def test_its_size_is_within_its_bound(built: Path) -> None:
    size = built.stat().st_size

    print(f"{built.name}: {size / 1e6:.1f} MB")
    assert size < LARGEST


def test_the_same_input_gives_the_same_bytes(built: Path, binary: Path, model: Path, tmp_path: Path) -> None:
    again = make_wheel.write_wheel(binary, model, tmp_path)

    assert again.name == built.name
    assert hashlib.sha256(again.read_bytes()).digest() == hashlib.sha256(built.read_bytes()).digest()


def test_its_tag_promises_no_older_system_than_the_binary_needs(built: Path, binary: Path) -> None:
    tag = linkage.platform_tag(binary)
    major, minor = (int(number) for number in tag.split("_")[1:3])

    assert built.name.endswith(f"-py3-none-{tag}.whl")
    # The system that built it runs it, so it cannot need a newer one.
    assert linkage.DEPENDENCIES_NEED <= (major, minor) <= system_glibc()


def test_the_newest_need_decides_and_what_is_only_offered_does_not() -> None:
    text = """
Version definition section '.gnu.version_d':
  000000: Rev: 1  Flags: none  Index: 1  Cnt: 1  Name: GLIBC_2.99
Version needs section '.gnu.version_r' contains 2 entries:
  0x0010:   Name: GLIBC_2.4  Flags: none  Version: 9
  0x0020:   Name: GLIBC_2.34  Flags: none  Version: 8
  0x0030:   Name: GLIBC_ABI_DT_RELR  Flags: none  Version: 7
"""

    assert linkage.glibc_needs(text) == (2, 34)


def test_a_program_that_needs_more_than_every_system_has_is_refused(tmp_path: Path) -> None:
    script = tmp_path / "reflect"
    script.write_text("#!/bin/sh\n")

    with pytest.raises(linkage.Unfit):
        linkage.platform_tag(script)


def system_glibc() -> tuple[int, int]:
    """The version of this system's."""
    import os

    major, minor = os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")[:2]  # type: ignore[union-attr]
    return int(major), int(minor)
