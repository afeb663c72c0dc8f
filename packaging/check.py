"""Checks what is packed beside the binary, without an engine, a service manager or a network.

    <packaging-tools>/bin/python packaging/check.py [--bill FILE]

The Dockerfile by hadolint, the compose file by the rules of its format, the service file by systemd's own tools where
the machine has them, the shell script by its shell, the bill of materials by the schema of CycloneDX 1.6, the
package names of every install command by the table in docs/PACKAGES.md, and the lock files for digests.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import jsonschema
import yaml
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

import install_lines
import make_image
import sbom
import workspace

HERE = Path(__file__).resolve().parent
UNIT = HERE / "systemd" / "reflect.service"
# In tenths, of what an attacker who is inside could reach: 0 is nothing, 100 everything. It is 14.
MOST_EXPOSED = 20


class Broken(Exception):
    """Something does not pass."""


def dockerfile() -> str:
    """Lints the Dockerfile."""
    path = HERE / "container" / "Dockerfile"
    _run([Path(sys.executable).parent / "hadolint", "--failure-threshold", "style", path])
    text = path.read_text(encoding="utf-8")
    for needed in ("USER 10001", "HEALTHCHECK", "AS unpack", "UNTESTED"):
        if needed not in text:
            raise Broken(f"the Dockerfile says nothing of {needed}")
    return "hadolint, non-root, with a health check"


def compose() -> str:
    """Reads the compose file by the rules of its format."""
    text = (HERE / "container" / "compose.yaml").read_text(encoding="utf-8")
    said = yaml.safe_load(text)
    rules = json.loads((Path(sys.executable).parents[1] / "compose_spec.json").read_text(encoding="utf-8"))
    # The name of the whole is younger than these rules.
    checked = {name: value for name, value in said.items() if name != "name"}
    problems = sorted(jsonschema.Draft7Validator(rules).iter_errors(checked), key=str)
    if problems:
        raise Broken("; ".join(f"{'.'.join(map(str, one.path))}: {one.message}" for one in problems))
    services = said["services"]
    build = services["reflect"]["build"]
    context = (HERE / "container" / build["context"]).resolve()
    if not (context / build["dockerfile"]).resolve().is_file():
        raise Broken(f"there is no Dockerfile at {build['dockerfile']}, seen from {build['context']}")
    public = [port for service in services.values() for port in service.get("ports", []) if "127.0.0.1" not in port]
    if public:
        raise Broken(f"published beyond this machine: {public}")
    if "UNTESTED" not in text:
        raise Broken("it does not say that it is untested")
    return f"{len(services)} services, none published beyond this machine"


def unit() -> str:
    """Reads the service file as systemd does, and has it say how much the service could reach."""
    tool = shutil.which("systemd-analyze")
    if tool is None:
        return "left out: there is no systemd-analyze here"
    _run([tool, "security", "--no-pager", "--offline=true", f"--threshold={MOST_EXPOSED}", UNIT])
    with tempfile.TemporaryDirectory(prefix="reflect-unit-") as folder:
        # The program need not be installed on the machine that checks.
        copy = Path(folder, UNIT.name)
        copy.write_text(re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text(encoding="utf-8")))
        said = _run([tool, "verify", "--man=no", "--recursive-errors=no", copy])
    if said.strip():
        raise Broken(said.strip())
    return f"verified, exposure at most {MOST_EXPOSED / 10:g} of 10"


def scripts() -> str:
    """Has the shell read every script."""
    found = sorted(HERE.rglob("*.sh"))
    for script in found:
        _run(["bash", "-n", script])
    return ", ".join(script.name for script in found)


def runtime() -> str:
    """Whether everything that brings ONNX Runtime brings the same version."""
    version = make_image.ONNXRUNTIME
    places = (HERE / "container" / "Dockerfile", workspace.ROOT / "xtask" / "src" / "setup" / "onnxruntime.rs")
    others = [str(path.relative_to(workspace.ROOT)) for path in places if f'"{version}"' not in path.read_text()]
    if others:
        raise Broken(f"{', '.join(others)}: another version than {version}")
    return version


def bill(given: Path | None) -> str:
    """Makes the bill of materials, or takes the one that is given, and reads it by its schema."""
    text = given.read_text(encoding="utf-8") if given else json.dumps(sbom.document())
    trouble = JsonStrictValidator(SchemaVersion.V1_6).validate_str(text)
    if trouble is not None:
        raise Broken(str(trouble))
    document = json.loads(text)
    known = {one["bom-ref"] for one in document["components"]} | {document["metadata"]["component"]["bom-ref"]}
    named = {ref for one in document["dependencies"] for ref in (one["ref"], *one["dependsOn"])}
    if named != known:
        raise Broken(f"named as a dependency or as a component, but not as both: {sorted(named ^ known)[:5]}")
    silent = [
        one["name"]
        for one in document["components"]
        # Debian packages keep their licences in files of the image.
        if "version" in one and "licenses" not in one and not one["bom-ref"].startswith("pkg:deb/")
    ]
    if silent:
        raise Broken(f"without a licence: {silent}")
    if document["metadata"]["component"]["version"] != workspace.version():
        raise Broken("it is of another version than the workspace")
    return f"{len(known) - 1} components, valid by CycloneDX 1.6"


def digests() -> str:
    """Whether lock files have a digest for everything that a build downloads."""
    lock = json.loads((workspace.ROOT / "console" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    npm = {place: one for place, one in lock.items() if "node_modules/" in place and not one.get("link")}
    without = [place for place, one in npm.items() if not one.get("integrity", "").startswith("sha512-")]
    crates = tomllib.loads((workspace.ROOT / "Cargo.lock").read_text(encoding="utf-8"))["package"]
    without += [one["name"] for one in crates if "source" in one and "checksum" not in one]
    python = workspace.digests()
    without += [name for name, (_, known) in python.items() if not known]
    if without:
        raise Broken(f"without a digest: {without}")
    return f"{len(crates)} crates, {len(npm)} npm packages, {len(python)} Python packages"


def names() -> str:
    """Compares the names in install commands with the table of packages, and the table with the manifests."""
    files = install_lines.repository_files()
    rows = install_lines.table(files[install_lines.TABLE])
    found = install_lines.table_problems(rows, install_lines.manifest_names()) + install_lines.problems(files, rows)
    if found:
        raise Broken("\n".join(found))
    commands = sum(len(install_lines.packages_in(text)) for text in files.values())
    return f"{commands} names in install commands, {len(rows)} in the table"


def _run(command: list[str | Path]) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        raise Broken(done.stdout.strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout


def main() -> int:
    """0 when everything passes; all of it is looked at, whatever the first checks say."""
    parser = argparse.ArgumentParser(description="Check what is packed beside the binary.")
    parser.add_argument("--bill", type=Path, help="a bill of materials; a fresh one when absent")
    given: Path | None = parser.parse_args().bill
    checks = {
        "Dockerfile": dockerfile,
        "compose.yaml": compose,
        "reflect.service": unit,
        "scripts": scripts,
        "ONNX Runtime": runtime,
        "package names": names,
        "digests": digests,
        "bill of materials": lambda: bill(given),
    }
    failed = 0
    for name, check in checks.items():
        try:
            print(f"ok   {name}: {check()}", flush=True)
        except Broken as problem:
            failed += 1
            print(f"FAIL {name}: {problem}", flush=True)
    print(f"packaging check: {len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
