"""Runs the tests on every other Python of this machine that the package supports.

    python3 sdks/python/checks/versions.py

A Python is found as `python3.x` on the PATH, or with pyenv. Each gets an environment in the cache with the newest
compatible dependencies, and runs the tests that need no agent framework. The Python that runs this script is skipped:
it has already run all tests. A missing Python is reported as not run; only a failing test fails the script.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SUPPORTED = tuple(f"3.{minor}" for minor in range(10, 15))

# The dependency range of pyproject.toml: each Python gets the newest compatible version.
REQUIREMENTS = ("httpx2>=2.14,<3", "pytest>=9,<10", "hypothesis>=6.150,<7")

# The packages for these tests are installed for one Python only.
NEED_FRAMEWORKS = ("tests/adapters",)


def interpreter(version: str) -> Path | None:
    """A working Python of this version, or None."""
    candidates = [shutil.which(f"python{version}"), *_of_pyenv(version)]
    for candidate in filter(None, candidates):
        # pyenv's shim for an inactive version only prints an error.
        asked = _output([candidate, "-c", "import sys, ensurepip, venv; print('%d.%d' % sys.version_info[:2])"])
        if asked == version:
            return Path(candidate)
    return None


def _of_pyenv(version: str) -> list[str]:
    if shutil.which("pyenv") is None:
        return []
    installed = (_output(["pyenv", "versions", "--bare"]) or "").split()
    fitting = [name for name in installed if name.startswith(f"{version}.")]
    prefixes = [_output(["pyenv", "prefix", name]) for name in reversed(fitting)]
    return [str(Path(prefix, "bin", "python")) for prefix in prefixes if prefix]


def _output(command: list[str]) -> str | None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


def environment(version: str, python: Path, cache: Path) -> Path:
    """The interpreter of an environment with the test dependencies; created once."""
    digest = hashlib.sha256("\n".join(REQUIREMENTS).encode()).hexdigest()[:12]
    folder = cache / "sdk-versions" / f"{version}-{digest}"
    ready = folder / "ready"
    if not ready.exists():
        shutil.rmtree(folder, ignore_errors=True)
        # Use its own pip, which matches the version.
        subprocess.run([python, "-m", "venv", folder], check=True)
        pip: list[str | Path] = [folder / "bin" / "python", "-m", "pip", "--disable-pip-version-check"]
        subprocess.run([*pip, "install", "--quiet", *REQUIREMENTS], check=True)
        ready.touch()
    return folder / "bin" / "python"


def passes(version: str, python: Path) -> bool:
    """Runs the tests; prints their output if they fail."""
    ignored = [f"--ignore={folder}" for folder in NEED_FRAMEWORKS]
    command: list[str | Path] = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *ignored]
    done = subprocess.run(
        command,
        cwd=PACKAGE,
        # For programs that the tests start.
        env={**os.environ, "PYTHONPATH": str(PACKAGE / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    shown = f"{done.stdout}\n" if done.returncode != 0 else ""
    # A line of another thread may follow the summary of pytest.
    summaries = [line for line in done.stdout.splitlines() if " passed" in line or " failed" in line]
    said = (summaries or [f"pytest ended with {done.returncode}"])[-1]
    print(f"{shown}Python {version}: {said.strip(' =')}", flush=True)
    return done.returncode == 0


def cache_folder() -> Path:
    """The folder that `cargo xtask setup` fills."""
    given = os.environ.get("REFLECT_CACHE")
    if not given:
        sys.exit("REFLECT_CACHE is not set; `just sdk-test` sets it, or: REFLECT_CACHE=$(cargo xtask cache)")
    return Path(given).absolute()


def main() -> int:
    """Exit code 0: no test failed."""
    cache = cache_folder()
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    found = {version: interpreter(version) for version in SUPPORTED if version != own}
    missing = [version for version, python in found.items() if python is None]
    # In parallel: the tests wait most of the time.
    with ThreadPoolExecutor(max_workers=len(SUPPORTED)) as pool:
        started = {
            version: pool.submit(lambda v, p: passes(v, environment(v, p, cache)), version, python)
            for version, python in found.items()
            if python is not None
        }
        passed = {version: one.result() for version, one in started.items()}
    run = [version for version, well in passed.items() if well]
    failed = [version for version, well in passed.items() if not well]
    parts = [f"{own} (all tests)", *run]
    summary = f"python versions: {', '.join(parts)} passed"
    summary += f"; FAILED on {', '.join(failed)}" if failed else ""
    summary += f"; not run, because not on this machine: {', '.join(missing)}" if missing else ""
    print(summary)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
