"""Where runs are sent to, and how they are kept until they have arrived."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

MIB = 1024 * 1024


@dataclass(frozen=True)
class Destination:
    """One project of one server, and the key that opens it."""

    base_url: str
    """The server's address, without a slash at the end."""
    project_id: str
    api_key: str = field(repr=False)
    """Never written to disk and never logged."""

    @property
    def folder_name(self) -> str:
        """The folder below the spool folder. The key is no part of it: keys change, runs stay."""
        text = f"{self.base_url}\0{self.project_id}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:32]

    def __str__(self) -> str:
        return f"project {self.project_id!r} at {self.base_url}"


@dataclass(frozen=True)
class DeliverySettings:
    """How runs are queued, batched and kept on disk."""

    max_items: int = 10_000
    """How many runs are kept in memory at most."""
    max_bytes: int = 64 * MIB
    """How many bytes of runs are kept in memory at most."""
    batch_items: int = 50
    batch_bytes: int = MIB
    linger: float = 0.2
    """How many seconds a run waits for others to share its batch."""
    spool: bool = True
    """Whether runs are also kept on disk until the server has them."""
    spool_dir: Path | None = None
    """Where. None means `REFLECT_SPOOL_DIR`, and without that a folder of the user's own."""
    spool_bytes: int = 256 * MIB
    spool_days: float = 7.0
    exit_timeout: float = 5.0
    """How many seconds the end of the process may be held up at most."""

    def spool_root(self) -> Path | None:
        """The spool folder; None when there is to be none, or nowhere to put it."""
        if not self.spool:
            return None
        return self.spool_dir if self.spool_dir is not None else default_spool_dir()


def default_spool_dir() -> Path | None:
    """`REFLECT_SPOOL_DIR`, or the platform's folder for what programs keep between runs."""
    chosen = os.environ.get("REFLECT_SPOOL_DIR")
    if chosen:
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:  # a user without a home
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "reflect" / "spool"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "reflect" / "spool"
    return Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state") / "reflect" / "spool"
