"""Answers pip-audit and npm audit from advisory databases on this machine. Listens on loopback.

    <audit-tools>/bin/python .ci/osv_service.py FOLDER

FOLDER has `PyPI.zip` and `npm.zip`, the exports of OSV. Prints one JSON line: the port, and for each database that
exists the time of its newest entry. Ends with its standard input.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

Records = dict[str, list[dict[str, Any]]]
DATABASES: dict[str, Records] = {}


def load(path: Path, ecosystem: str) -> tuple[Records, str]:
    """The entries by package, and the time of the newest."""
    records: Records = {}
    newest = ""
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if not name.endswith(".json"):
                continue
            entry = json.loads(archive.read(name))
            newest = max(newest, entry.get("modified", ""))
            if entry.get("withdrawn"):
                continue
            for affected in entry.get("affected", []):
                package = affected.get("package", {})
                if package.get("ecosystem") == ecosystem:
                    package["name"] = canonical(package["name"], ecosystem)
                    records.setdefault(package["name"], []).append({**entry, "affected": [affected]})
    return records, newest


def canonical(name: str, ecosystem: str) -> str:
    """The name that the ecosystem uses for comparison."""
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "PyPI" else name


def is_affected(entry: dict[str, Any], version: str) -> bool:
    """Whether a Python package of this version is affected."""
    (affected,) = entry["affected"]
    if version in affected.get("versions", []):
        return True
    return any(_within(one["events"], version) for one in affected.get("ranges", []) if one["type"] == "ECOSYSTEM")


def _within(events: list[dict[str, str]], version: str) -> bool:
    inside = False
    try:
        found = Version(version)
        for event in events:
            if "introduced" in event:
                inside = inside or event["introduced"] == "0" or found >= Version(event["introduced"])
            if ("fixed" in event and found >= Version(event["fixed"])) or (
                "last_affected" in event and found > Version(event["last_affected"])
            ):
                inside = False
    except InvalidVersion:
        # It cannot be compared, so a person must.
        return True
    return inside


def npm_advisory(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry as the npm registry writes it. npm compares the versions."""
    (affected,) = entry["affected"]
    ranges = []
    for one in affected.get("ranges", []):
        start = ""
        for event in one["events"] if one["type"] == "SEMVER" else []:
            if "introduced" in event:
                start = f">={event['introduced']}"
            else:
                end = f"<{event['fixed']}" if "fixed" in event else f"<={event.get('last_affected', '')}"
                ranges.append(f"{start} {end}")
                start = ""
        if start:
            ranges.append(start)
    severity = str(entry.get("database_specific", {}).get("severity", "")).lower()
    return {
        "id": entry["id"],
        "url": f"https://osv.dev/vulnerability/{entry['id']}",
        "title": entry.get("summary") or entry["id"],
        # An entry about malicious code has no severity.
        "severity": severity if severity in ("low", "moderate", "high", "critical") else "critical",
        "vulnerable_versions": " || ".join(ranges or affected.get("versions", [])) or "*",
        "cwe": [],
        "cvss": {"score": 0, "vectorString": None},
    }


class Handler(BaseHTTPRequestHandler):
    """The two requests that the tools send."""

    def do_POST(self) -> None:
        """Answers a query."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        asked = json.loads(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
        if self.path.endswith("/advisories/bulk"):
            found = {name: [npm_advisory(one) for one in DATABASES["npm"].get(name, [])] for name in asked}
            self.answer({name: some for name, some in found.items() if some})
        else:
            name = canonical(asked["package"]["name"], "PyPI")
            entries = [one for one in DATABASES["PyPI"].get(name, []) if is_affected(one, asked["version"])]
            self.answer({"vulns": entries} if entries else {})

    def do_GET(self) -> None:
        """npm asks for other versions of an affected package, which are not needed."""
        self.send_error(404)

    def answer(self, value: object) -> None:
        """Sends JSON."""
        text = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        """Prints nothing."""


def main() -> None:
    """Serves until standard input ends."""
    folder, ages = Path(sys.argv[1]), {}
    for ecosystem in ("PyPI", "npm"):
        path = folder / f"{ecosystem}.zip"
        if path.is_file():
            DATABASES[ecosystem], ages[ecosystem] = load(path, ecosystem)
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"port": server.server_port, "newest": ages}), flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
