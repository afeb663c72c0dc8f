"""Sends the requests of the clients after 0.3.3, field by field.

Those clients cannot be installed, because one of their dependencies was never published. Their requests are
known, and these methods send the same ones.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from cases.http_library import httpx
from cases.runs import messages
from cases.setting import Setting
from cases.wire import OWN_CLIENT

# The newest client sends this value with every query by default.
MMR_LAMBDA = 0.7


class NewerClient:
    """Plain HTTP with the requests of the newer clients; returns the raw responses."""

    def __init__(self, here: Setting, project: str | None = None) -> None:
        self._root = f"{here.base_url}/v1/projects/{quote(project or here.project, safe='')}"
        self._headers = {"Authorization": f"Bearer {here.master_key}"}

    def query(self, task: str, **extra: Any) -> httpx.Response:
        """query_memories; extras are left out unless given, as the clients do."""
        return self.post("/memory/query", {"task": task, "limit": 10, "lambda": 0.5, **extra})

    def create_trace(
        self, task: str, *, review: dict[str, Any] | None = None, **extra: Any
    ) -> httpx.Response:
        """create_trace."""
        body: dict[str, Any] = {
            "task": task,
            "trajectory": messages(task),
            "retrieved_memory_ids": [],
            "model": None,
            "metadata": {},
            **extra,
        }
        return self.post("/traces", body if review is None else {**body, "review": review})

    def create_memory(
        self, task: str, *, result: str = "pass", reflection: dict[str, Any] | None = None, **extra: Any
    ) -> httpx.Response:
        """create_memory: an empty trajectory and a reflection that the agent wrote."""
        review = {"result": result, "reflection": reflection or lesson(task)}
        return self.create_trace(task, trajectory=[], review=review, **extra)

    def get_trace(self, trace_id: str) -> httpx.Response:
        """get_trace; the clients put the id into the path as it is."""
        return httpx.get(f"{self._root}/traces/{trace_id}", headers=self._headers, timeout=60)

    def review_trace(self, trace_id: str, result: str, **extra: Any) -> httpx.Response:
        """review_trace."""
        body = {"result": result, "feedback_text": None, **extra}
        return self.post(f"/traces/{trace_id}/review", body)

    def create_skill(self, **counts: int) -> httpx.Response:
        """create_skill; the clients send an empty object when no count is given."""
        return self.post("/skill/create", counts)

    def delete_traces(self, *trace_ids: str) -> httpx.Response:
        """delete_traces."""
        return self.post("/traces/delete", {"trace_ids": list(trace_ids)})

    def delete_project(self) -> httpx.Response:
        """delete_project."""
        return httpx.delete(self._root, headers=self._headers, timeout=60)

    def post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        """Any POST below the project."""
        return httpx.post(self._root + path, headers=self._headers, json=body, timeout=60)


def newer_client(here: Setting) -> NewerClient:
    """Sends the newer clients' requests: with our client if it is under test, else with plain HTTP."""
    if OWN_CLIENT:
        from cases.newer_own import OwnClient

        return OwnClient(here)
    return NewerClient(here)


def lesson(task: str, **fields: Any) -> dict[str, Any]:
    """A reflection as an agent would author it."""
    return {
        "summary": f"How to: {task}",
        "guidance": "Check the input before the work begins.",
        "key_mistake": "",
        "correct_action": "",
        "applicable_tools": [],
        **fields,
    }


def accepted(response: httpx.Response) -> Any:
    """The JSON of an answer that must be a success."""
    response.raise_for_status()
    return response.json()
