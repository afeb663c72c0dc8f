"""Static checks of the Python code.

    <tools>/bin/python sdks/python/checks/static.py --pyright FOLDER

Format and lints with ruff (also of `conformance` and of the checks of the TypeScript SDK); strict types with mypy
and pyright, for the package and for typical user code; complete types of the public API; and whether docs/PYTHON.md
is up to date.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
STUBS = PACKAGE / "checks" / "stubs"
CONFORMANCE = PACKAGE.parents[1] / "conformance"
TYPESCRIPT = PACKAGE.parent / "typescript"

Command = list[str | Path]


def passes(name: str, command: Command, folder: Path) -> bool:
    """Runs one check; prints its output if it fails."""
    began = time.monotonic()
    done = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    mark, said = ("ok", "") if done.returncode == 0 else ("FAIL", f"\n{done.stdout}")
    # One print call, because two checks run in parallel.
    print(f"{mark:<5}{name} ({time.monotonic() - began:.1f} s){said}", flush=True)
    return done.returncode == 0


def all_typed(pyright: Command) -> bool:
    """Whether every public symbol has a type that all checkers agree on."""
    began = time.monotonic()
    command = [*pyright, "--outputjson", "--ignoreexternal", "--verifytypes", "reflect_sdk"]
    # This mode has no `--pythonpath`: pyright uses the first Python on the PATH.
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": tools, "PYTHONPATH": os.pathsep.join([str(PACKAGE / "src"), str(STUBS)])}
    done = subprocess.run(command, cwd=PACKAGE, env=environment, stdout=subprocess.PIPE, text=True, check=False)
    report: dict[str, Any] = json.loads(done.stdout)["typeCompleteness"]
    counts = report["exportedSymbolCounts"]
    total = sum(counts.values())
    whole = bool(total > 0 and counts["withKnownType"] == total)
    mark, seconds = "ok" if whole else "FAIL", time.monotonic() - began
    said = f"{counts['withKnownType']} of {total} public symbols have types"
    print(f"{mark:<5}pyright --verifytypes: {said} ({seconds:.1f} s)", flush=True)
    if not whole:
        for symbol in report["symbols"]:
            if symbol["isExported"] and not (symbol["isTypeKnown"] and not symbol["isTypeAmbiguous"]):
                why = "; ".join(one["message"].splitlines()[0] for one in symbol["diagnostics"])
                print(f"     {symbol['name']}: {why or 'has no known type'}", flush=True)
    return whole


def main() -> int:
    """Exit code 0: every check passes. All checks run, also after a failure."""
    parser = argparse.ArgumentParser(description="Check the Python sources.")
    parser.add_argument("--pyright", type=Path, required=True, help="the folder with `node` and `pyright`")
    folder: Path = parser.parse_args().pyright
    python, pyright = sys.executable, [folder / "node", folder / "pyright" / "index.js"]
    ruff, mypy = [python, "-m", "ruff"], [python, "-m", "mypy"]
    strict: Command = [*pyright, "--project", "pyproject.toml", "--pythonpath", python]
    page: Command = [python, "checks/api_page/run.py", "--check"]
    checks: list[tuple[str, Command, Path]] = [
        ("ruff format", [*ruff, "format", "--check", "."], PACKAGE),
        ("ruff", [*ruff, "check", "."], PACKAGE),
        ("ruff format conformance", [*ruff, "format", "--check", "."], CONFORMANCE),
        ("ruff conformance", [*ruff, "check", "."], CONFORMANCE),
        ("ruff format typescript", [*ruff, "format", "--check", "."], TYPESCRIPT),
        ("ruff typescript", [*ruff, "check", "."], TYPESCRIPT),
        ("async_client.pyi is up to date", [python, "checks/async_stub.py", "--check"], PACKAGE),
        ("mypy --strict", [*mypy], PACKAGE),
        ("pyright strict", strict, PACKAGE),
        ("docs/PYTHON.md is up to date", page, PACKAGE),
    ]
    with ThreadPoolExecutor(max_workers=2) as pool:
        started = [pool.submit(all_typed, [*pyright]), *(pool.submit(passes, *check) for check in checks)]
        results = [one.result() for one in started]
    print(f"sdk check: {sum(results)} passed, {results.count(False)} failed")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
