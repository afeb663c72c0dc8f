"""What a program asks of the system it runs on, read from the program itself.

A tag that promises more than the program can keep makes pip install it where it does not start.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# What every glibc system has. Anything else would have to be carried along.
SYSTEM_LIBRARIES = frozenset(
    {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1"}
    | {"libstdc++.so.6", "ld-linux-x86-64.so.2"}
)
# What PostgreSQL and ONNX Runtime need, which come as packages of their own.
DEPENDENCIES_NEED = (2, 28)


class Unfit(Exception):
    """The program cannot be put into a package for Linux."""


def platform_tag(program: Path) -> str:
    """The tag for pip: the oldest glibc on which the program and what comes with it start."""
    header = _readelf("--file-header", program)
    if "ELF64" not in header or "X86-64" not in header:
        raise Unfit(f"{program} is no program for x86_64 Linux")
    strange = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", _readelf("--dynamic", program)))
    strange -= SYSTEM_LIBRARIES
    if strange:
        raise Unfit(f"{program} needs {', '.join(sorted(strange))}, which not every system has")
    major, minor = max(glibc_needs(_readelf("--version-info", program)), DEPENDENCIES_NEED)
    return f"manylinux_{major}_{minor}_x86_64"


def glibc_needs(version_info: str) -> tuple[int, int]:
    """The newest version of glibc that is named among what the program needs."""
    needs = re.search(r"Version needs section.*", version_info, re.DOTALL)
    found = re.findall(r"Name: GLIBC_(\d+)\.(\d+)", needs.group(0) if needs else "")
    return max(((int(major), int(minor)) for major, minor in found), default=(0, 0))


def _readelf(what: str, program: Path) -> str:
    command: list[str | Path] = ["readelf", "--wide", what, program]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}
    )
    if done.returncode != 0:
        raise Unfit(f"{program}: {done.stderr.strip()}")
    return done.stdout
