"""Settings of delivery: destination, queue limits and spool."""

from __future__ import annotations

import hashlib
import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

MIB = 1024 * 1024


@dataclass(frozen=True)
class Destination:
    """One project of one server, and its API key."""

    base_url: str
    """The server's URL, without a trailing slash."""
    project_id: str
    api_key: str = field(repr=False)
    """Never written to disk and never logged."""

    @property
    def folder_name(self) -> str:
        """The name of the subfolder in the spool folder. It does not depend on the key, because keys change."""
        text = f"{self.base_url}\0{self.project_id}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(text).hexdigest()[:32]

    def __str__(self) -> str:
        return f"project {self.project_id!r} at {self.base_url}"


@dataclass(frozen=True)
class DeliverySettings:
    """How runs are queued, batched and kept on disk."""

    max_items: int = 10_000
    """The maximum number of runs in memory."""
    max_bytes: int = 64 * MIB
    """The maximum number of bytes of runs in memory."""
    batch_items: int = 50
    batch_bytes: int = MIB
    linger: float = 0.2
    """How many seconds a run waits for other runs to fill its batch."""
    spool: bool = True
    """Whether runs are also kept on disk until the server has them."""
    spool_dir: Path | None = None
    """The spool folder. None means `REFLECT_SPOOL_DIR`, else a folder in the user's home."""
    spool_bytes: int = 256 * MIB
    spool_days: float = 7.0
    exit_timeout: float = 5.0
    """The maximum number of seconds that process exit may be delayed."""

    def spool_root(self) -> Path | None:
        """The spool folder; None if the spool is disabled or the user has no home."""
        if not self.spool:
            return None
        return self.spool_dir if self.spool_dir is not None else default_spool_dir()


def default_spool_dir() -> Path | None:
    """`REFLECT_SPOOL_DIR`, or the platform's folder for application state."""
    chosen = os.environ.get("REFLECT_SPOOL_DIR")
    if chosen:
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:  # the user has no home directory
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "reflect" / "spool"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "reflect" / "spool"
    return Path(os.environ.get("XDG_STATE_HOME") or home / ".local" / "state") / "reflect" / "spool"
