"""Records the addresses that a process uses, with strace, and parses the record.

The record contains every address that the process and its threads pass to the kernel, in any call. Data on an
existing connection has no address, so a connection that was opened by another process is not in it.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

CALLS = ("connect", "sendto", "sendmsg", "sendmmsg", "bind")

# strace writes the end of a process immediately; only a strace that hangs reaches this.
WRITTEN_SECONDS = 20.0


class NotRecorded(Exception):
    """The record is incomplete."""


@dataclass(frozen=True, order=True)
class Target:
    """An address that was passed to the kernel."""

    # connect, sendto, sendmsg, sendmmsg or bind.
    call: str
    # 127.0.0.1:5432, [::1]:53, unix /run/x, netlink, unspec.
    address: str


def recorder(strace: Path, record: Path) -> list[str]:
    """The command prefix that records a command; the command stays the caller's child process."""
    return [
        str(strace),
        # strace runs as a grandchild, so signals and the exit code belong to the program.
        "-D",
        "-f",
        "-q",
        # Other calls run at their normal speed.
        "--seccomp-bpf",
        # Complete structures, but almost none of the sent data.
        "-v",
        "-s",
        "32",
        "-e",
        f"trace={','.join(CALLS)}",
        "-e",
        "signal=none",
        "-o",
        str(record),
        "--",
    ]


def read_record(record: Path, process: int) -> Counter[Target]:
    """The addresses in the record of a process that has ended, with their counts."""
    deadline = time.monotonic() + WRITTEN_SECONDS
    # strace writes the last line after the program has ended.
    while not _is_whole(lines := _lines(record), process):
        if time.monotonic() > deadline:
            raise NotRecorded(f"the record {record} has no end, {len(lines)} lines")
        time.sleep(0.05)
    return parse(lines)


def parse(lines: Iterable[str]) -> Counter[Target]:
    """The addresses in the lines of a record. Raises on an unknown line."""
    targets: Counter[Target] = Counter()
    for line in lines:
        call = _CALL.match(line)
        if call is None:
            if _IGNORED.match(line) is None:
                raise NotRecorded(f"a line of the record is not understood: {line!r}")
            continue
        # Sent data may contain any text, including text that looks like an address.
        plain = _STRING.sub(lambda found: found.group() if found.group(1) else '""', line)
        if "[...]" in plain or "msg_name=0x" in plain:
            raise NotRecorded(f"a line of the record leaves out an address: {line!r}")
        for family, rest in _ADDRESS.findall(plain):
            targets[Target(call.group(1), _address(family, rest, line))] += 1
    return targets


_CALL = re.compile(rf"\d+ +({'|'.join(CALLS)})\(")
# The second half of an interrupted call, or the end of a thread.
_IGNORED = re.compile(r"\d+ +(<\.\.\. |\+\+\+ )")
# Strings, with the prefix that makes one part of an address.
_STRING = re.compile(r'(sun_path=@?|inet_addr\(|AF_INET6, )?"(?:[^"\\]|\\.)*"')
_ADDRESS = re.compile(r"\{sa_family=(AF_\w+)([^}]*)\}")


def _address(family: str, rest: str, line: str) -> str:
    if family in ("AF_NETLINK", "AF_UNSPEC"):
        return family.removeprefix("AF_").lower()
    if family == "AF_UNIX":
        path = re.search(r'sun_path=(@?"[^"]*")', rest)
        return f"unix {path.group(1) if path else 'without a name'}"
    four = re.search(r'sin_port=htons\((\d+)\), sin_addr=inet_addr\("([\d.]+)"\)', rest)
    if four is not None:
        return f"{four.group(2)}:{four.group(1)}"
    port = re.search(r"sin6_port=htons\((\d+)\)", rest)
    six = re.search(r'inet_pton\(AF_INET6, "([0-9a-f:.]+)"', rest)
    if port is None or six is None:
        raise NotRecorded(f"an address of the record is not understood: {line!r}")
    return f"[{six.group(1)}]:{port.group(1)}"


def _lines(record: Path) -> list[str]:
    if not record.exists():
        return []
    return record.read_text(encoding="utf-8", errors="replace").splitlines()


def _is_whole(lines: list[str], process: int) -> bool:
    return any(re.match(rf"{process} +\+\+\+ (exited|killed)", line) for line in reversed(lines))
