"""Builds the wheel, installs it into an empty environment, and checks its limits.

    python sdks/python/checks/package.py --tools PYTHON --published PYTHON

`--tools` is a Python with hatchling, `--published` a Python with the published client 0.3.3. The limits: size of the
wheel, number of installed packages, modules that `import reflect_sdk` loads, and its CPU time compared with the
published client.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]

# 214 kB: a fifth of it are the adapters of frameworks, which are imported only by programs that use them.
WHEEL_BYTES = 230_000
PACKAGES = 8
IMPORT_RATIO = 1 / 3
# Measurements per client. They alternate, so load on the machine affects both.
IMPORTS = 15

LIST_PACKAGES = """
import importlib.metadata as metadata, json
print(json.dumps(sorted(f"{one.name} {one.version}" for one in metadata.distributions())))
"""

# Modules of the standard library do not count.
LIST_IMPORTED = """
import json, sys
before = set(sys.modules)
import reflect_sdk
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(new - sys.stdlib_module_names)))
"""

USE = """
import reflect_sdk
client = reflect_sdk.ReflectClient(base_url="http://127.0.0.1:9", api_key="rf_live_x", project_id="p")
assert all(getattr(reflect_sdk, name) is not None for name in reflect_sdk.__all__)
print(reflect_sdk.__version__)
"""

TIME_IMPORT = """
import time
began = time.process_time()
import reflect_sdk
print(time.process_time() - began)
"""


class OutOfBounds(Exception):
    """The package exceeds a limit."""


def build(tools: Path, folder: Path) -> Path:
    """Builds the wheel."""
    command: list[str | Path] = [tools, "-m", "hatchling", "build", "--target", "wheel", "--directory", folder]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"the wheel could not be built\n{done.stdout}{done.stderr}")
    (wheel,) = folder.glob("*.whl")
    return wheel


def install(wheel: Path, folder: Path) -> Path:
    """Creates an environment with the wheel and its dependencies, without pip; returns its Python."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    python = folder / "bin" / "python"
    # The base interpreter: a virtual environment may have no pip.
    pip: list[str | Path] = [Path(sys.base_prefix, "bin", "python3"), "-m", "pip", "--python", python]
    subprocess.run([*pip, "install", "--quiet", "--root-user-action=ignore", wheel], check=True)
    return python


def ask(python: Path, program: str, bytecode: Path) -> str:
    """The output of a program. Bytecode is cached in a separate folder for both clients."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE"):
        environment.pop(name, None)
    done = subprocess.run(
        [python, "-P" if sys.version_info >= (3, 11) else "-s", "-c", program],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def import_times(pythons: dict[str, Path], bytecode: Path) -> dict[str, float]:
    """The median CPU seconds of `import reflect_sdk`, by client."""
    taken: dict[str, list[float]] = {name: [] for name in pythons}
    for _ in range(IMPORTS + 1):
        for name, python in pythons.items():
            taken[name].append(float(ask(python, TIME_IMPORT, bytecode / name)))
    # The first measurement includes compilation.
    return {name: statistics.median(times[1:]) for name, times in taken.items()}


def check(tools: Path, published: Path, folder: Path) -> None:
    """Prints each value with its limit; raises at the first one that is exceeded."""
    wheel = build(tools, folder / "wheel")
    size = wheel.stat().st_size
    print(f"{wheel.name}: {size / 1000:.1f} kB (at most {WHEEL_BYTES / 1000:.0f})", flush=True)
    if size > WHEEL_BYTES:
        raise OutOfBounds("the wheel is too large")

    python = install(wheel, folder / "empty")
    bytecode = folder / "bytecode"
    packages = json.loads(ask(python, LIST_PACKAGES, bytecode))
    print(f"{len(packages)} packages (at most {PACKAGES}): {', '.join(packages)}", flush=True)
    if len(packages) > PACKAGES:
        raise OutOfBounds("too many packages are installed")

    version = ask(python, USE, bytecode)
    print(f"installed and used without anything else: {version}", flush=True)
    imported = json.loads(ask(python, LIST_IMPORTED, bytecode))
    print(f"`import reflect_sdk` loads, besides the standard library: {', '.join(imported)}", flush=True)
    if imported != ["reflect_sdk"]:
        raise OutOfBounds("the import must not load other packages; they are loaded on first use")

    times = import_times({"own": python, "published": published}, bytecode)
    ratio = times["own"] / times["published"]
    print(
        f"CPU time of the import: {times['own'] * 1000:.1f} ms, published client "
        f"{times['published'] * 1000:.1f} ms: {ratio:.3f} of it (at most {IMPORT_RATIO:.3f})",
        flush=True,
    )
    if ratio > IMPORT_RATIO:
        raise OutOfBounds("the import takes too long")


def main() -> int:
    """Exit code 0: every limit holds."""
    parser = argparse.ArgumentParser(description="Build and check the wheel.")
    parser.add_argument("--tools", type=Path, required=True, help="a Python with hatchling")
    parser.add_argument("--published", type=Path, required=True, help="a Python with reflect-sdk 0.3.3")
    options = parser.parse_args()
    try:
        with tempfile.TemporaryDirectory(prefix="sdk-package-") as folder:
            check(options.tools.absolute(), options.published.absolute(), Path(folder))
    except OutOfBounds as problem:
        print(f"sdk package: {problem}", file=sys.stderr)
        return 1
    print("sdk package: within its bounds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
