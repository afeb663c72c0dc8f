"""One project of a server over plain HTTP, with the standard library only."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import quote

# Longer than any timeout of the server, whose error is then reported.
TIMEOUT_SECONDS = 400


class ProjectApi:
    """Calls of one project."""

    def __init__(self, base_url: str, key: str, project: str) -> None:
        self._address = base_url.removeprefix("http://")
        self._root = f"/v1/projects/{quote(project, safe='')}"
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """One call; raises on any status but success."""
        connection = http.client.HTTPConnection(self._address, timeout=TIMEOUT_SECONDS)
        try:
            sent = None if body is None else json.dumps(body)
            connection.request(method, f"{self._root}{path}", sent, self._headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        assert 200 <= answer.status < 300, f"{method} {path} answered {answer.status}: {text[:300]}"
        return json.loads(text)
