"""Every route below a project, with a body that it should accept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

TRACE_BODY: dict[str, Any] = {
    "task": "Sort the inbox",
    "trajectory": [{"role": "user", "content": "Sort the inbox"}],
    "retrieved_memory_ids": [],
    "model": None,
    "metadata": {},
}


@dataclass(frozen=True)
class Route:
    """One method and path."""

    method: str
    path: str
    body: dict[str, Any] | None = None

    def url(self, base_url: str, project: str, *, trace: str, key: str) -> str:
        """The full address, with the ids filled in."""
        path = self.path.format(trace=trace, key=key)
        return f"{base_url}/v1/projects/{quote(project, safe='')}{path}"


SIGNAL_BODY: dict[str, Any] = {
    "source": "ci",
    "key": {"name": "commit", "value": "4f2a9c1"},
    "outcome": "pass",
}

REVIEW_BODY: dict[str, Any] = {"result": "pass", "feedback_text": None}

# Deletion of the project is last, so a case can call all routes in order.
ROUTES = (
    Route("POST", "/memory/query", {"task": "Sort mail", "limit": 10, "lambda": 0.5}),
    Route("POST", "/memory/augment", {"task": "Sort mail"}),
    Route("POST", "/traces", TRACE_BODY),
    Route("POST", "/traces/batch", {"traces": [TRACE_BODY]}),
    Route("GET", "/traces"),
    Route("GET", "/traces/{trace}"),
    Route("POST", "/traces/{trace}/review", REVIEW_BODY),
    Route("DELETE", "/traces/{trace}/review"),
    Route("POST", "/traces/{trace}/retry"),
    Route("POST", "/reviews/batch", {"reviews": []}),
    Route("POST", "/signals", SIGNAL_BODY),
    Route("POST", "/signals/batch", {"signals": [SIGNAL_BODY]}),
    Route("GET", "/signals/sources"),
    Route("GET", "/traces/{trace}/signals"),
    Route("POST", "/traces/{trace}/feedback-token", {}),
    Route("GET", "/api-keys"),
    Route("POST", "/api-keys", {"label": "any", "scopes": ["trace:read"], "environment": "live"}),
    Route("POST", "/api-keys/{key}/revoke", {}),
    Route("GET", "/skill"),
    Route("POST", "/skill/create", {}),
    Route("GET", ""),
    Route("PATCH", "", {}),
    Route("POST", "/traces/delete", {"trace_ids": []}),
    Route("DELETE", ""),
)
