"""Known vulnerabilities are found with a database on this machine, and a missing or old database is reported."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest

import workspace

SCRIPT = workspace.ROOT / ".ci" / "advisories"
# Packages that the lock files name, with a version that is too high to be fixed.
CRATE, PYTHON, NPM = "anyhow", "idna", "react"


def rust_database(folder: Path, crate: str) -> None:
    """A repository with one advisory, as RustSec writes it."""
    entry = folder / "crates" / crate / "RUSTSEC-2020-9999.md"
    entry.parent.mkdir(parents=True)
    head = (
        f'id = "RUSTSEC-2020-9999"\npackage = "{crate}"\ndate = "2020-01-01"\n\n[versions]\npatched = [">= 99.0.0"]'
    )
    entry.write_text(f"```toml\n[advisory]\n{head}\n```\n\n# A fixture\n\nNot a real advisory.\n", encoding="utf-8")
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-C", str(folder)]
    for command in (["init", "-q", "-b", "main"], ["add", "."], ["commit", "-q", "-m", "fixture"]):
        subprocess.run([*git, *command], check=True)


def osv_database(path: Path, ecosystem: str, package: str, days: int = 0) -> None:
    """An export with one entry, as OSV writes it."""
    moment = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days)
    kind = "SEMVER" if ecosystem == "npm" else "ECOSYSTEM"
    entry = {
        "id": f"GHSA-fixture-{package}",
        "modified": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "summary": "a fixture",
        "affected": [
            {
                "package": {"ecosystem": ecosystem, "name": package},
                "ranges": [{"type": kind, "events": [{"introduced": "0"}, {"fixed": "99.0.0"}]}],
            }
        ],
        "database_specific": {"severity": "HIGH"},
    }
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("entry.json", json.dumps(entry))


def databases(folder: Path, crate: str, python: str, npm: str, days: int = 0) -> None:
    """All three."""
    rust_database(folder / "rust", crate)
    osv_database(folder / "PyPI.zip", "PyPI", python, days)
    osv_database(folder / "npm.zip", "npm", npm)


def check(folder: Path, *arguments: str, command: Path = SCRIPT) -> subprocess.CompletedProcess[str]:
    """Runs the check with the databases of a folder."""
    environment = {**os.environ, "REFLECT_ADVISORIES": str(folder)}
    return subprocess.run(
        [str(command), *arguments], env=environment, capture_output=True, text=True, check=False, cwd=workspace.ROOT
    )


def test_known_vulnerabilities_are_found_in_all_three(tmp_path: Path) -> None:
    databases(tmp_path, CRATE, PYTHON, NPM)

    done = check(tmp_path)

    assert done.returncode == 1, done.stdout + done.stderr
    assert "RUSTSEC-2020-9999" in done.stdout
    assert f"GHSA-fixture-{PYTHON}" in done.stdout
    assert f"npm audit   {NPM}: high" in done.stdout


def test_without_a_finding_the_age_of_the_databases_is_printed(tmp_path: Path) -> None:
    databases(tmp_path, "not-a-crate", "not-a-package", "not-a-package", days=3)

    done = check(tmp_path, "--strict")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "pip-audit   0 of" in done.stdout
    assert done.stdout.count("the database is") == 3
    assert done.stdout.splitlines()[-1] == "advisories: 0 vulnerabilities, databases at most 3 days old"


def test_without_a_database_nothing_was_checked(tmp_path: Path) -> None:
    done = check(tmp_path)

    assert done.returncode == 0
    assert done.stdout.count("not checked: there is no database") == 3
    assert done.stdout.splitlines()[-1] == "advisories: not checked: cargo-deny, pip-audit, npm audit"
    assert check(tmp_path, "--strict").returncode == 1


def test_an_old_database_is_not_enough_for_a_release(tmp_path: Path) -> None:
    databases(tmp_path, "not-a-crate", "not-a-package", "not-a-package", days=60)

    assert check(tmp_path).returncode == 0
    refused = check(tmp_path, "--strict")
    assert refused.returncode == 1
    assert refused.stdout.splitlines()[-1] == "advisories: checked with a database of more than 14 days: pip-audit"


def test_a_release_is_refused_without_a_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLECT_DIST", str(tmp_path / "dist"))

    refused = check(tmp_path, command=workspace.ROOT / "packaging" / "release.sh")

    assert refused.returncode == 1
    assert "release: refused" in refused.stderr
    assert not (tmp_path / "dist").exists()
