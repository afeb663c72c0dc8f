"""The server's address and credentials."""

from __future__ import annotations

from dataclasses import dataclass

import httpx


@dataclass(frozen=True)
class Place:
    """A server with real models."""

    base_url: str
    key: str
    # The name of the model that writes lessons.
    text_model: str

    def project(self, name: str) -> httpx.Client:
        """Plain HTTP calls of a project."""
        root = f"{self.base_url}/v1/projects/{name}"
        return httpx.Client(base_url=root, headers={"Authorization": f"Bearer {self.key}"}, timeout=60.0)
