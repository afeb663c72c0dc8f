"""Writes the container image as an OCI archive, without a container engine.

    python3 packaging/make_image.py --binary PATH --model FOLDER --into FOLDER [--notices FILE] [--cache FOLDER]

mmdebstrap makes the root file system from Debian packages, umoci the image. It has three layers: Debian, ONNX Runtime
with the embedding model, and the program. The cache keeps what was fetched. The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path
from typing import Any

import workspace
from linkage import Unfit, architecture, glibc_needs_of
from make_wheel import stripped

HERE = Path(__file__).resolve().parent
CONTAINER = HERE / "container"
SUMMARY = "A memory for AI agents that learns from outcomes: server, console and command line"
# Increase it with every change of the scripts that changes the root file system.
RECIPE = 1
# Of the Debian release that `root-files.sh` names.
GLIBC = (2, 41)
# The version of xtask/src/setup/onnxruntime.rs and of the Dockerfile.
ONNXRUNTIME = "onnxruntime==1.31.1"
# Older files are built again, so that the image has the security updates of Debian.
BASE_DAYS = 7

PROGRAM, SHARE = "usr/local/bin/reflect", "usr/local/share/reflect"
LIBRARY = "usr/local/lib/reflect/libonnxruntime.so"
DOCUMENTS = "usr/local/share/doc/reflect"
USER = 10001
PORT = 8000
OCI_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
# Of the machine that builds, or made by every container engine itself.
NOT_IN_IMAGE = ("dev/", "etc/hostname", "etc/resolv.conf", "etc/apt", "etc/dpkg", "etc/fstab")
ENVIRONMENT = {
    "PATH": "/usr/local/bin",
    "REFLECT_LISTEN": f"0.0.0.0:{PORT}",
    "REFLECT_EMBEDDER_FOLDER": f"/{SHARE}/model",
    "REFLECT_ONNXRUNTIME": f"/{LIBRARY}",
}
# The image has no shell and no curl: the program asks its own server. /ready needs no key, so any will do.
_ITSELF = ("--base-url", f"http://127.0.0.1:{PORT}", "--api-key", "none", "--timeout", "3")
# Docker counts in nanoseconds.
SECOND = 1_000_000_000
HEALTHCHECK = {
    "Test": ["CMD", f"/{PROGRAM}", "api", "GET", "/ready", *_ITSELF],
    "Interval": 10 * SECOND,
    "Timeout": 5 * SECOND,
    "StartPeriod": 20 * SECOND,
    "Retries": 3,
}

Files = dict[str, tuple[bytes, int]]


def write_image(binary: Path, model: Path, into: Path, cache: Path, notices: Path | None = None) -> Path:
    """The path of the archive, written into a folder."""
    machine = architecture(binary)
    needs = glibc_needs_of(binary)
    if needs > GLIBC:
        raise Unfit(
            f"{binary} needs glibc {needs[0]}.{needs[1]}, the image has {GLIBC[0]}.{GLIBC[1]}: use an older system"
        )
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="reflect-image-") as name:
        folder = Path(name)
        layers = {
            "Debian packages": normalized(root_files(cache, machine)),
            "ONNX Runtime and the embedding model": packed({**onnxruntime(cache, machine), **model_files(model)}),
            "Reflect": packed(program_files(binary, notices)),
        }
        layout = folder / "layout"
        tag = assemble(layout, layers, machine)
        add_healthcheck(layout)
        into.mkdir(parents=True, exist_ok=True)
        path = into / f"reflect-{tag}-{machine}.oci.tar"
        path.write_bytes(
            packed({str(one.relative_to(layout)): (one.read_bytes(), 0o644) for one in files_below(layout)})
        )
    return path


def root_files(cache: Path, machine: str) -> bytes:
    """The root file system as a tar file."""
    path = cache / f"root-{RECIPE}-{machine}.tar"
    if not path.is_file() or time.time() - path.stat().st_mtime > BASE_DAYS * 86_400:
        print(f"making the root file system {path}", flush=True)
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(workspace.moment())}
        subprocess.run([CONTAINER / "root-files.sh", path, machine], check=True, env=environment)
    return path.read_bytes()


def onnxruntime(cache: Path, machine: str) -> Files:
    """The library and its licences, from the wheel of its authors."""
    version = ONNXRUNTIME.partition("==")[2]
    wheels = cache / "wheels"
    found = list(wheels.glob(f"onnxruntime-{version}-*{machine}.whl"))
    if not found:
        options = ["--quiet", "--no-deps", "--only-binary=:all:", "--disable-pip-version-check"]
        if machine != platform.machine():
            options += ["--platform", f"manylinux_2_28_{machine}", "--python-version", "3.11"]
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(wheels), ONNXRUNTIME]
        subprocess.run(command, check=True)
        found = list(wheels.glob(f"onnxruntime-{version}-*{machine}.whl"))
    if hashlib.sha256(found[0].read_bytes()).hexdigest() not in workspace.digests()["onnxruntime"][1]:
        raise Unfit(
            f"{found[0]} has another digest than xtask/python-digests.txt knows; remove it, and ask where it is from"
        )
    with zipfile.ZipFile(found[0]) as wheel:
        (library,) = [name for name in wheel.namelist() if name.startswith("onnxruntime/capi/libonnxruntime.so.")]
        files: Files = {LIBRARY: (wheel.read(library), 0o755)}
        for name in ("LICENSE", "ThirdPartyNotices.txt"):
            files[f"usr/local/share/doc/onnxruntime/{name}"] = (wheel.read(f"onnxruntime/{name}"), 0o644)
    return files


def model_files(model: Path) -> Files:
    """The embedding model."""
    paths = [model / name for name in ("model.json", "model.onnx", "tokenizer.json")]
    paths.append(HERE / "model" / "NOTICE")
    return {f"{SHARE}/model/{path.name}": (path.read_bytes(), 0o644) for path in paths}


def program_files(binary: Path, notices: Path | None) -> Files:
    """The program, its licences, and the users that the image knows."""
    files: Files = {
        PROGRAM: (stripped(binary), 0o755),
        f"{DOCUMENTS}/LICENSE": ((workspace.ROOT / "LICENSE").read_bytes(), 0o644),
        "etc/passwd": (f"root:x:0:0::/root:/\nreflect:x:{USER}:{USER}::/nonexistent:/\n".encode(), 0o644),
        "etc/group": (f"root:x:0:\nreflect:x:{USER}:\n".encode(), 0o644),
    }
    if notices is not None:
        files[f"{DOCUMENTS}/THIRD-PARTY-LICENSES.txt"] = (notices.read_bytes(), 0o644)
    return files


def normalized(archive: bytes) -> bytes:
    """A root file system in a fixed order, without devices and without files of the machine that built it."""
    plain = io.BytesIO()
    with (
        tarfile.open(fileobj=io.BytesIO(archive)) as source,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as target,
    ):
        for entry in sorted(source.getmembers(), key=lambda one: one.name):
            name = entry.name.removeprefix("./")
            if name == "." or f"{name}/".startswith(NOT_IN_IMAGE) or name in NOT_IN_IMAGE:
                continue
            entry.name, entry.mtime = name, workspace.moment()
            entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            entry.pax_headers = {}
            target.addfile(entry, source.extractfile(entry) if entry.isreg() else None)
    return plain.getvalue()


def packed(files: Files) -> bytes:
    """An archive in a fixed order, with a folder before its files, owned by root."""
    plain = io.BytesIO()
    seen: set[str] = set()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, (content, mode) in sorted(files.items()):
            for folder in reversed(Path(name).parents[:-1]):
                if str(folder) not in seen:
                    seen.add(str(folder))
                    entry = tarfile.TarInfo(str(folder))
                    entry.type, entry.mode, entry.mtime = tarfile.DIRTYPE, 0o755, workspace.moment()
                    archive.addfile(entry)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, workspace.moment()
            archive.addfile(entry, io.BytesIO(content))
    return plain.getvalue()


def assemble(layout: Path, layers: dict[str, bytes], machine: str) -> str:
    """Makes the image from its layers, and returns its tag."""
    version, created = workspace.version(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(workspace.moment()))
    image = f"{layout}:{version}"
    _umoci("init", "--layout", layout)
    _umoci("new", "--image", image)
    for title, content in layers.items():
        layer = layout.with_name("layer.tar")
        layer.write_bytes(content)
        history = ["--history.created", created, "--history.created_by", f"reflect: {title}"]
        _umoci("raw", "add-layer", "--image", image, *history, layer)
    described = {
        "title": "Reflect",
        "description": SUMMARY,
        "version": version,
        "revision": workspace.revision(),
        "licenses": "Apache-2.0",
        "created": created,
    }
    options = {
        "config.user": [f"{USER}:{USER}"],
        "config.exposedports": [f"{PORT}/tcp"],
        "config.env": [f"{name}={value}" for name, value in ENVIRONMENT.items()],
        "config.entrypoint": [f"/{PROGRAM}"],
        "config.cmd": ["serve"],
        "config.workingdir": ["/"],
        "config.stopsignal": ["SIGTERM"],
        "config.label": [f"org.opencontainers.image.{name}={value}" for name, value in described.items()],
        "manifest.annotation": [f"org.opencontainers.image.{name}={value}" for name, value in described.items()],
        "created": [created],
        "architecture": [OCI_ARCHITECTURES[machine]],
        "os": ["linux"],
    }
    words = [word for name, values in options.items() for value in values for word in (f"--{name}", value)]
    _umoci("config", "--image", image, "--no-history", *words)
    _umoci("gc", "--layout", layout)
    return version


def add_healthcheck(layout: Path) -> None:
    """Writes the health check into the configuration, where Docker and Podman read it; umoci has no option for it.

    It is Docker's extension of the OCI format. Engines that do not know it ignore it.
    """
    index = json.loads((layout / "index.json").read_bytes())
    (entry,) = index["manifests"]
    manifest = json.loads(_blob(layout, entry["digest"]).read_bytes())
    config = json.loads(_blob(layout, manifest["config"]["digest"]).read_bytes())
    config["config"]["Healthcheck"] = HEALTHCHECK
    _replace(layout, manifest["config"], config)
    _replace(layout, entry, manifest)
    (layout / "index.json").write_text(json.dumps(index, sort_keys=True), encoding="utf-8")


def _replace(layout: Path, descriptor: dict[str, Any], document: dict[str, Any]) -> None:
    _blob(layout, descriptor["digest"]).unlink()
    content = json.dumps(document, sort_keys=True).encode()
    descriptor["digest"] = f"sha256:{hashlib.sha256(content).hexdigest()}"
    descriptor["size"] = len(content)
    _blob(layout, descriptor["digest"]).write_bytes(content)


def _blob(layout: Path, digest: str) -> Path:
    return layout / "blobs" / digest.replace(":", "/")


def files_below(folder: Path) -> list[Path]:
    """All files, in a fixed order."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def _umoci(*words: str | Path) -> None:
    subprocess.run(["umoci", *words], check=True)


def default_cache() -> Path:
    """A folder beside the parts that `cargo xtask setup` installs."""
    given = os.environ.get("REFLECT_CACHE")
    if given:
        return Path(given, "image")
    return Path("/var/cache/reflect/image") if os.geteuid() == 0 else Path.home() / ".cache" / "reflect" / "image"


def main() -> int:
    """Writes it and says how large it is."""
    parser = argparse.ArgumentParser(description="Write the container image.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `reflect`")
    parser.add_argument("--model", type=Path, required=True, help="what `cargo xtask cache minilm` prints")
    parser.add_argument("--into", type=Path, required=True, help="the folder for the archive")
    parser.add_argument("--notices", type=Path, help="the licences of what is linked into the binary")
    parser.add_argument("--cache", type=Path, default=default_cache(), help="keeps what was fetched")
    options = parser.parse_args()
    missing = [tool for tool in ("mmdebstrap", "umoci") if shutil.which(tool) is None]
    if missing:
        print(f"no image: {' and '.join(missing)} not found; `cargo xtask setup --ci` installs them", file=sys.stderr)
        return 1
    began = time.monotonic()
    try:
        path = write_image(options.binary, options.model, options.into, options.cache, options.notices)
    except (OSError, Unfit, subprocess.CalledProcessError) as problem:
        print(f"no image: {problem}", file=sys.stderr)
        return 1
    print(f"{path}  {path.stat().st_size / 1e6:.1f} MB in {time.monotonic() - began:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
