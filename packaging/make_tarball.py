"""Writes the tarball for those who install by hand: binary, model, service file, completions and manual where there
are any.

    python3 packaging/make_tarball.py --binary PATH --model FOLDER --into FOLDER [--notices FILE]

The same input gives the same bytes.
"""

from __future__ import annotations

import argparse
import gzip
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import workspace
from linkage import Unfit, architecture, platform_tag
from make_wheel import LEVEL, stripped

HERE = Path(__file__).resolve().parent
SHELLS = {"bash": "reflect.bash", "zsh": "_reflect", "fish": "reflect.fish"}


def write_tarball(binary: Path, model: Path, into: Path, notices: Path | None = None) -> Path:
    """The path of the tarball, written into a folder."""
    platform_tag(binary)
    top = f"reflect-{workspace.version()}-{architecture(binary)}-linux-gnu"
    files: dict[str, tuple[bytes, int]] = {"bin/reflect": (stripped(binary), 0o755)}

    def add(name: str, path: Path) -> None:
        files[name] = (path.read_bytes(), 0o644)

    add("LICENSE", workspace.ROOT / "LICENSE")
    add("README.md", workspace.ROOT / "docs" / "PACKAGES.md")
    add("lib/systemd/system/reflect.service", HERE / "systemd" / "reflect.service")
    for name in ("model.json", "model.onnx", "tokenizer.json"):
        add(f"share/reflect/model/{name}", model / name)
    add("share/reflect/model/NOTICE", HERE / "model" / "NOTICE")
    if notices is not None:
        add("THIRD-PARTY-LICENSES.txt", notices)
    for shell, name in SHELLS.items():
        said = ask(binary, "completion", shell)
        if said is not None:
            files[f"share/completions/{name}"] = (said, 0o644)
    for name, page in manual(binary).items():
        files[f"share/man/man1/{name}"] = (page, 0o644)

    into.mkdir(parents=True, exist_ok=True)
    path = into / f"{top}.tar.gz"
    path.write_bytes(packed({f"{top}/{name}": content for name, content in files.items()}))
    return path


def ask(binary: Path, *arguments: str) -> bytes | None:
    """What a command of the binary prints; `None` if it has no such command or is for another processor."""
    try:
        done = subprocess.run([binary.absolute(), *arguments], capture_output=True, check=False, env={})
    except OSError:
        return None
    return done.stdout if done.returncode == 0 and done.stdout.strip() else None


def manual(binary: Path) -> dict[str, bytes]:
    """The manual pages, where the binary can write them."""
    with tempfile.TemporaryDirectory(prefix="reflect-manual-") as folder:
        ask(binary, "man", folder)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).glob("*.1"))}


def packed(files: dict[str, tuple[bytes, int]]) -> bytes:
    """An archive without a trace of who made it, when and where."""
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, (content, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(content), mode, workspace.moment()
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(plain.getvalue(), LEVEL, mtime=0)


def main() -> int:
    """Writes it and says how large it is."""
    parser = argparse.ArgumentParser(description="Write the tarball.")
    parser.add_argument("--binary", type=Path, required=True, help="the built `reflect`")
    parser.add_argument("--model", type=Path, required=True, help="what `cargo xtask cache minilm` prints")
    parser.add_argument("--into", type=Path, required=True, help="the folder for the tarball")
    parser.add_argument("--notices", type=Path, help="the licences of what is linked into the binary")
    options = parser.parse_args()
    try:
        path = write_tarball(options.binary, options.model, options.into, options.notices)
    except (OSError, Unfit) as problem:
        print(f"no tarball: {problem}", file=sys.stderr)
        return 1
    print(f"{path}  {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
