"""Collects the licences of everything that is inside the binary: most of them want to be passed on with it.

    python3 packaging/notices.py --into FILE

A text that several parts share is written once, with the names of all of them.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from pathlib import Path

import bill
from bill import Part

BEGINNINGS = ("license", "licence", "copying", "copyright", "notice", "unlicense")
# Some crates keep texts that hold for their tests alone in folders below; those are not linked.
LARGEST = 100_000


def collected(parts: list[Part]) -> tuple[str, list[str]]:
    """The whole text, and the names of the parts that bring none of their own."""
    texts: dict[str, str] = {}
    users: dict[str, list[str]] = {}
    without = []
    for part in parts:
        if part.ours or part.folder is None:
            continue
        found = [path for path in sorted(part.folder.iterdir()) if _is_licence(path)] if part.folder.is_dir() else []
        for path in found:
            text = path.read_text(encoding="utf-8", errors="replace").strip().replace("\r\n", "\n")
            # The same licence with other line breaks is the same licence.
            digest = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()
            texts.setdefault(digest, text)
            name = f"{part.name} {part.version}"
            if name not in users.setdefault(digest, []):
                users[digest].append(name)
        if not found:
            without.append(f"{part.name} {part.version}: {part.licence or 'says nothing'}")
    lines = ["What is inside the program `reflect` and its console, and under which licences.", ""]
    if without:
        lines += ["These name their licence and bring no text of it:", *(f"  {name}" for name in without), ""]
    for digest, names in sorted(users.items(), key=lambda one: one[1]):
        lines += ["=" * 80, ", ".join(names), "=" * 80, "", texts[digest], ""]
    return "\n".join(lines) + "\n", without


def _is_licence(path: Path) -> bool:
    return path.is_file() and path.name.lower().startswith(BEGINNINGS) and path.stat().st_size <= LARGEST


def main() -> int:
    """Writes them and says how many parts there are."""
    parser = argparse.ArgumentParser(description="Collect the licences of what is inside the binary.")
    parser.add_argument("--into", type=Path, required=True, help="the file")
    path: Path = parser.parse_args().into
    parts = [*bill.crates(), *bill.console_packages()]
    text, without = collected(parts)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    print(f"{path}  {len(parts)} parts, {len(without)} without a text of their own")
    return 0


if __name__ == "__main__":
    sys.exit(main())
