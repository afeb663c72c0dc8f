"""Checks that the client in use is the expected one.

A run with a modified published client proves nothing, so the installed files are compared with the digests
of the package. Our client must come from this checkout.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import import_module, metadata
from pathlib import Path

from surroundings import DRIVER_SOURCES, OWN_SOURCES

PACKAGE = "reflect-sdk"


class NotPublished(Exception):
    """The client is not the expected one."""


def require_own() -> None:
    """Fails unless the client is imported from this checkout."""
    _require_from(OWN_SOURCES)


def require_driver() -> None:
    """Fails unless the client is the adapter of a client in another language."""
    _require_from(DRIVER_SOURCES)


def _require_from(sources: Path) -> None:
    found = import_module("reflect_sdk").__file__
    if found is None or not Path(found).resolve().is_relative_to(sources):
        raise NotPublished(f"expected reflect_sdk in {sources}, but it is imported from {found}")


def require_published(version: str) -> None:
    """Fails unless exactly this version is installed and none of its modules was changed."""
    client = metadata.distribution(PACKAGE)
    if client.version != version:
        raise NotPublished(f"expected {PACKAGE} {version}, but {client.version} is installed")
    modules = [file for file in client.files or [] if file.suffix == ".py" and file.hash]
    if not modules:
        raise NotPublished(f"{PACKAGE} {version} has no digests")
    for file in modules:
        assert file.hash is not None
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            raise NotPublished(f"{file} of {PACKAGE} {version} differs from the published file")
