"""What is inside the packages: crates, npm packages, what pip brings, the model, and Debian packages of the image.

Read from the lock files and from `cargo`, so that nothing has to be kept up by hand. What is done with it is the
business of `sbom.py` and `notices.py`.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import tarfile
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import make_wheel
import workspace

# The variable is cargo's own: `release.sh --target` sets it.
TARGET = os.environ.get("CARGO_BUILD_TARGET", "x86_64-unknown-linux-gnu")
MODEL = "all-MiniLM-L6-v2"


@dataclass(frozen=True)
class Part:
    """A component of another project, or one of our own crates."""

    ref: str
    name: str
    version: str | None
    kind: str
    licence: str | None = None
    digests: tuple[tuple[str, str], ...] = ()
    needs: tuple[str, ...] = ()
    # Where its sources lie on this machine, for the texts of its licences; never written anywhere.
    folder: Path | None = field(default=None, compare=False)
    ours: bool = False
    # The version that the tests use, where the version itself is decided elsewhere.
    tested: str | None = None


def crates() -> list[Part]:
    """The crates that are linked into the binary, and those alone: no tools, no tests, no other platform."""
    listed = _run(
        "tree", "-p", "reflect-cli", "-e", "normal", "--prefix", "none", "--format", "{p}", "--target", TARGET
    )
    linked = {tuple(line.split()[:2]) for line in listed.splitlines() if line.strip()}
    known = json.loads(_run("metadata", "--format-version", "1", "--filter-platform", TARGET))
    lock = tomllib.loads((workspace.ROOT / "Cargo.lock").read_text(encoding="utf-8"))
    sums = {(one["name"], one["version"]): one.get("checksum") for one in lock["package"]}

    packages = {one["id"]: one for one in known["packages"] if (one["name"], "v" + one["version"]) in linked}
    nodes = {node["id"]: node for node in known["resolve"]["nodes"] if node["id"] in packages}
    parts = []
    for identity, package in packages.items():
        digest = sums.get((package["name"], package["version"]))
        needs = {
            _crate(packages[dependency["pkg"]])
            for dependency in nodes[identity]["deps"]
            if dependency["pkg"] in packages and any(kind["kind"] is None for kind in dependency["dep_kinds"])
        }
        parts.append(
            Part(
                ref=_crate(package),
                name=package["name"],
                version=package["version"],
                kind="library",
                # Cargo lets both be written; the one with the word is the standard's.
                licence=" ".join((package["license"] or "").replace("/", " OR ").split()) or None,
                digests=(("SHA-256", digest),) if digest else (),
                needs=tuple(sorted(needs)),
                folder=Path(package["manifest_path"]).parent,
                ours=package["source"] is None,
            )
        )
    return sorted(parts, key=lambda part: part.ref)


def console_packages() -> list[Part]:
    """The npm packages that the console's own code needs, directly or not."""
    console = workspace.ROOT / "console"
    lock = json.loads((console / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    found: dict[str, Part] = {}
    waiting = [_place(lock, "app", name) for name in lock["app"]["dependencies"]]
    while waiting:
        place = waiting.pop()
        if place is None or place in found:
            continue
        entry = lock[place]
        wanted = {**entry.get("dependencies", {}), **entry.get("peerDependencies", {})}
        needs = [needed for name in wanted if (needed := _place(lock, place, name)) is not None]
        waiting += needs
        name = place.rpartition("node_modules/")[2]
        algorithm, _, digest = entry.get("integrity", "").partition("-")
        known = (("SHA-512", base64.b64decode(digest).hex()),) if algorithm == "sha512" else ()
        found[place] = Part(
            ref=_npm(name, entry["version"]),
            name=name,
            version=entry["version"],
            kind="library",
            licence=entry.get("license"),
            digests=known,
            needs=tuple(sorted({_npm(one.rpartition("node_modules/")[2], lock[one]["version"]) for one in needs})),
            folder=console / place,
        )
    return sorted(set(found.values()), key=lambda part: part.ref)


# What pip brings with our client, as its metadata says.
BELOW = {
    "httpx2": ("anyio", "h11", "httpcore2", "idna", "truststore"),
    "httpcore2": ("h11", "anyio"),
    "anyio": ("idna", "typing_extensions"),
}


def python_packages() -> list[Part]:
    """What pip brings beside the wheel. Which version it takes is decided where it is installed."""
    tested = workspace.digests()
    direct = [*make_wheel.DEPENDENCIES, *workspace.client()["dependencies"]]
    waiting = [re.split(r"[<>=~!]", wanted)[0] for wanted in direct]
    found: dict[str, Part] = {}
    while waiting:
        name = waiting.pop()
        below = BELOW.get(name, ())
        waiting += [one for one in below if one not in found]
        found[name] = Part(
            ref=f"pkg:pypi/{name}",
            name=name,
            version=None,
            kind="library",
            needs=tuple(f"pkg:pypi/{one}" for one in below),
            tested=tested[name.lower()][0],
        )
    return sorted(found.values(), key=lambda part: part.ref)


def model(folder: Path | None = None) -> Part:
    """The embedding model, with the digest of its weights if its folder is given."""
    digests = ()
    if folder is not None:
        digests = (("SHA-256", hashlib.sha256((folder / "model.onnx").read_bytes()).hexdigest()),)
    kind, licence = "machine-learning-model", "Apache-2.0"
    return Part(ref=f"model:{MODEL}", name=MODEL, version=None, kind=kind, licence=licence, digests=digests)


def debian_packages(root: Path) -> list[Part]:
    """The Debian packages of the image, from the tar file of its root file system."""
    parts = []
    with tarfile.open(root) as archive:
        for member in archive:
            if "/var/lib/dpkg/status.d/" not in f"/{member.name.removeprefix('./')}" or not member.isfile():
                continue
            content = archive.extractfile(member)
            assert content is not None
            fields = dict(re.findall(r"(?m)^(Package|Version|Architecture): (.+)$", content.read().decode()))
            name, version = fields["Package"], fields["Version"]
            ref = f"pkg:deb/debian/{name}@{version.replace('+', '%2B')}?arch={fields['Architecture']}"
            parts.append(Part(ref=ref, name=name, version=version, kind="library"))
    return sorted(parts, key=lambda part: part.ref)


def _place(lock: dict[str, Any], start: str, name: str) -> str | None:
    """Where npm's rule finds a package: in the nearest folder, going up."""
    folder = start
    while True:
        place = f"{folder}/node_modules/{name}" if folder else f"node_modules/{name}"
        if place in lock:
            return place
        if not folder:
            return None
        folder = folder.rpartition("/node_modules/")[0] if "/node_modules/" in folder else ""


def _crate(package: dict[str, Any]) -> str:
    return f"pkg:cargo/{package['name']}@{package['version']}"


def _npm(name: str, version: str) -> str:
    return f"pkg:npm/{name.replace('@', '%40')}@{version}"


def _run(*arguments: str) -> str:
    command = ["cargo", *arguments, "--locked"]
    return subprocess.run(command, cwd=workspace.ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
