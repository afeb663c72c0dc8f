"""What a program asks of the system it runs on, read from the program itself.

With a tag that promises more than the program can keep, pip selects it on systems where it does not start.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

# What every glibc system has. Anything else would have to be carried along.
SYSTEM_LIBRARIES = frozenset(
    {"libc.so.6", "libm.so.6", "libdl.so.2", "librt.so.1", "libpthread.so.0", "libgcc_s.so.1"}
    | {"libstdc++.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
)
# What PostgreSQL and ONNX Runtime need, which come as packages of their own.
DEPENDENCIES_NEED = (2, 28)


# As readelf names the machine, and as pip, tarballs and cross tools do.
ARCHITECTURES = {"Advanced Micro Devices X86-64": "x86_64", "AArch64": "aarch64"}


class Unfit(Exception):
    """The program cannot be put into a package for Linux."""


def platform_tag(program: Path) -> str:
    """The tag for pip: the oldest glibc on which the program and what comes with it start."""
    machine = architecture(program)
    strange = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.+?)\]", _readelf("--dynamic", program)))
    strange -= SYSTEM_LIBRARIES
    if strange:
        raise Unfit(f"{program} needs {', '.join(sorted(strange))}, which not every system has")
    major, minor = max(glibc_needs_of(program), DEPENDENCIES_NEED)
    return f"manylinux_{major}_{minor}_{machine}"


def architecture(program: Path) -> str:
    """The processor that the program is for."""
    header = _readelf("--file-header", program)
    machine = re.search(r"(?m)^\s*Machine:\s*(.+?)\s*$", header)
    known = ARCHITECTURES.get(machine.group(1)) if machine and "ELF64" in header else None
    if known is None:
        raise Unfit(f"{program} is no program for Linux on {' or '.join(ARCHITECTURES.values())}")
    return known


def glibc_needs_of(program: Path) -> tuple[int, int]:
    """The oldest version of glibc that the program starts with."""
    return glibc_needs(_readelf("--version-info", program))


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
