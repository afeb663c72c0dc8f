"""Writes what the packages are made of as a CycloneDX 1.6 document.

    python3 packaging/sbom.py --into FILE [--model FOLDER] [--root-files FILE.tar]

With the root file system of the image, its Debian packages are components too.
No serial number and no time of its own: the same sources give the same bytes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import bill
import workspace
from bill import Part


def document(model_folder: Path | None = None, root_files: Path | None = None) -> dict[str, Any]:
    """The document."""
    version = workspace.version()
    product = f"pkg:pypi/reflect-memory@{version}"
    crates, npm, pip = bill.crates(), bill.console_packages(), bill.python_packages()
    model = bill.model(model_folder)
    debian = bill.debian_packages(root_files) if root_files else []
    parts = [*crates, *npm, *pip, model, *debian]
    (program,) = (part.ref for part in crates if part.name == "reflect-cli")
    # What the console's own code imports; the rest hangs below these.
    below = {ref for part in (*npm, *pip) for ref in part.needs}
    needs: dict[str, set[str]] = {
        product: {
            program,
            model.ref,
            *(part.ref for part in (*npm, *pip, *debian) if part.ref not in below),
        }
    }
    for part in parts:
        needs.setdefault(part.ref, set()).update(part.needs)
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(workspace.moment())),
            "component": {
                "type": "application",
                "bom-ref": product,
                "name": "reflect-memory",
                "version": version,
                "purl": product,
                "licenses": [{"license": {"id": "Apache-2.0"}}],
            },
        },
        "components": [component(part) for part in parts],
        "dependencies": [{"ref": ref, "dependsOn": sorted(wanted)} for ref, wanted in sorted(needs.items())],
    }


def component(part: Part) -> dict[str, Any]:
    """One of its parts."""
    written: dict[str, Any] = {"type": part.kind, "bom-ref": part.ref, "name": part.name}
    if part.version is not None:
        written["version"] = part.version
    if part.licence is not None:
        written["licenses"] = [{"expression": part.licence}]
    if part.digests:
        written["hashes"] = [{"alg": algorithm, "content": content} for algorithm, content in part.digests]
    if part.ref.startswith("pkg:"):
        written["purl"] = part.ref
    if part.tested is not None:
        written["properties"] = [{"name": "reflect:tested-version", "value": part.tested}]
    return written


def main() -> int:
    """Writes it and says how much it names."""
    parser = argparse.ArgumentParser(description="Write the bill of materials.")
    parser.add_argument("--into", type=Path, required=True, help="the file")
    parser.add_argument("--model", type=Path, help="the folder of the embedding model, for its digest")
    parser.add_argument("--root-files", type=Path, help="the root file system of the image, as a tar file")
    arguments = parser.parse_args()
    path: Path = arguments.into
    whole = document(arguments.model, arguments.root_files)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(whole, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path}  {len(whole['components'])} components")
    return 0


if __name__ == "__main__":
    sys.exit(main())
