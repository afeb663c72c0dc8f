"""Objects that exist, for the parameters of generated requests: a random id leads only to 404."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import requests

SECONDS = 60.0
# A name that is never resolved.
WEBHOOK = {"url": "https://hooks.invalid/generated", "events": ["memory.created"]}
# Fields of bodies with an id, or a list of ids.
FIELDS = {
    "trace_id": "trace_id",
    "trace_ids": "trace_id",
    "memory_id": "memory_id",
    "memory_ids": "other_memory_id",
    "survivor_id": "memory_id",
    "ids": "memory_id",
    "retrieved_memory_ids": "memory_id",
    "retrieval_id": "retrieval_id",
    "into": "lesson_id",
    "lesson_id": "lesson_id",
    "lesson_ids": "other_lesson_id",
    "same_lesson_as": "memory_id",
    "source_trace_id": "trace_id",
}


class Objects:
    """One of everything, in one project. Created again after an operation that may have removed it."""

    def __init__(self, base_url: str, master: str, project: str, fixed: Mapping[str, str]) -> None:
        self._session = requests.Session()
        self._session.trust_env = False
        self._root = f"{base_url}/v1/projects/{quote(project, safe='')}"
        self._headers = {"Authorization": f"Bearer {master}"}
        self._fixed = {**fixed, "project_id": project, "part": "0"}
        self.ids: dict[str, str] = {}

    def _call(self, method: str, rest: str, body: Any = None) -> requests.Response:
        answer = self._session.request(
            method, f"{self._root}{rest}", json=body, headers=self._headers, timeout=SECONDS
        )
        assert answer.ok, f"{method} {rest} answered {answer.status_code}: {answer.text[:300]}"
        return answer

    def create(self) -> None:
        """Creates all of them."""
        settings = {"redaction": {"pii": "off"}, "holdout_rate": 0.0, "daily_tokens": None}
        # A generated change of the project must not refuse the next objects.
        self._session.patch(self._root, json=settings, headers=self._headers, timeout=SECONDS)
        turn = f"{random.getrandbits(40):x}"
        step = [{"role": "assistant", "content": "done"}]
        trace = self._call("POST", "/traces", {"task": f"Water plant {turn}", "trajectory": step}).json()
        asked = self._call("POST", "/memory/query", {"task": f"Water plant {turn}"})
        lessons = [
            self._call(
                "POST", "/memories", {"task": f"Water plant {turn}", "guidance": f"{word} {turn}."}
            ).json()
            for word in ("Use the can", "Open the window")
        ]
        memories = [lesson["memory"] for lesson in lessons]
        self.ids = {
            **self._fixed,
            "trace_id": trace["id"],
            "retrieval_id": asked.headers["x-retrieval-id"],
            "memory_id": memories[0]["id"],
            "other_memory_id": memories[1]["id"],
            "lesson_id": memories[0].get("lesson_id") or memories[0]["id"],
            "other_lesson_id": memories[1].get("lesson_id") or memories[1]["id"],
            "action_id": lessons[0]["action_id"],
            **self._webhook(),
        }

    def _webhook(self) -> dict[str, str]:
        """The last webhook of the project, or a new one. None where the server cannot send any."""
        known = self._call("GET", "/webhooks").json()
        if known:
            return {"webhook_id": known[-1]["id"]}
        made = self._session.post(
            f"{self._root}/webhooks", json=WEBHOOK, headers=self._headers, timeout=SECONDS
        )
        return {"webhook_id": made.json()["webhook"]["id"]} if made.ok else {}

    def fill(self, parameters: dict[str, Any] | None, body: Any, share: int) -> None:
        """Puts existing ids into a request; 0 leaves it as it was generated, 1 fills only its path."""
        for name in parameters or {}:
            if name in self.ids and share > 0 and parameters is not None:
                parameters[name] = self.ids[name]
        if share > 1 and isinstance(body, dict):
            self._fill_body(body)

    def _fill_body(self, body: dict[str, Any]) -> None:
        for name, value in body.items():
            known = self.ids.get(FIELDS.get(name, ""))
            if known and isinstance(value, list):
                body[name] = [known]
            elif known and isinstance(value, str):
                body[name] = known
            elif isinstance(value, dict):
                self._fill_body(value)
