"""The same calls as in `newer.py`, through our own clients, which have a parameter for each of the fields."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cases.http_library import httpx
from cases.newer import NewerClient, lesson
from cases.runs import messages
from cases.setting import Setting
from cases.wire import REFUSALS, UNSAYABLE, recorded


class OwnClient(NewerClient):
    """Our client; returns the raw responses, also those that the client raises as errors.

    Values that the types of the Rust client do not allow are sent like the newer clients send them.
    """

    def __init__(self, here: Setting, project: str | None = None) -> None:
        super().__init__(here, project)
        # Untyped: the published clients have none of these parameters.
        self._client: Any = here.client(project)

    def query(self, task: str, **extra: Any) -> httpx.Response:
        """query_memories."""
        return self._answer(lambda: self._client.query_memories(task, **extra))

    def create_trace(
        self, task: str, *, review: dict[str, Any] | None = None, **extra: Any
    ) -> httpx.Response:
        """create_trace; the fields of a review are separate parameters."""
        verdict = dict(review or {})
        result = verdict.pop("result", None)
        plainly = super().create_trace
        return self._answer(
            lambda: self._client.create_trace(
                task=task, trajectory=messages(task), review_result=result, **verdict, **extra
            ),
            lambda: plainly(task, review=review, **extra),
        )

    def create_memory(
        self, task: str, *, result: str = "pass", reflection: dict[str, Any] | None = None, **extra: Any
    ) -> httpx.Response:
        """create_memory."""
        written = reflection or lesson(task)
        return self._answer(lambda: self._client.create_memory(task=task, result=result, **written, **extra))

    def review_trace(self, trace_id: str, result: str, **extra: Any) -> httpx.Response:
        """review_trace."""
        plainly = super().review_trace
        return self._answer(
            lambda: self._client.review_trace(trace_id, result=result, **extra),
            lambda: plainly(trace_id, result, **extra),
        )

    def create_skill(self, **counts: int) -> httpx.Response:
        """create_skill."""
        return self._answer(lambda: self._client.create_skill(**counts))

    def delete_traces(self, *trace_ids: str) -> httpx.Response:
        """delete_traces."""
        return self._answer(lambda: self._client.delete_traces(trace_ids))

    def delete_project(self) -> httpx.Response:
        """delete_project."""
        return self._answer(self._client.delete_project)

    def _answer(
        self, call: Callable[[], object], otherwise: Callable[[], httpx.Response] | None = None
    ) -> httpx.Response:
        with recorded() as seen:
            try:
                call()
            except REFUSALS:
                pass  # An error is also a response; the case checks its status.
            except UNSAYABLE as error:
                assert not seen, f"{error} after {len(seen)} requests"
                if otherwise is None:
                    raise
                return otherwise()
        assert len(seen) == 1, f"one call made {len(seen)} requests"
        return seen[0]
