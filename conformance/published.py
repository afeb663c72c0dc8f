"""Makes sure that the client in use is the published one, byte for byte.

A run through a client that somebody has edited proves nothing, so the installed files are
compared with the digests that came with the package.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import metadata

PACKAGE = "reflect-sdk"


class NotPublished(Exception):
    """The installed client is not the one that was asked for."""


def require_published(version: str) -> None:
    """Fails unless exactly this version is installed and none of its modules was changed."""
    client = metadata.distribution(PACKAGE)
    if client.version != version:
        raise NotPublished(f"{PACKAGE} {version} was expected, {client.version} is installed")
    modules = [file for file in client.files or [] if file.suffix == ".py" and file.hash]
    if not modules:
        raise NotPublished(f"{PACKAGE} {version} came without digests")
    for file in modules:
        assert file.hash is not None
        digest = hashlib.new(file.hash.mode, file.read_binary()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            raise NotPublished(f"{file} of {PACKAGE} {version} was changed after it was published")
