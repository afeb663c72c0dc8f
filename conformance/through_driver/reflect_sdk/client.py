"""The client: each method calls the method with the same name in the driver."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable, Sequence
from typing import Any

from reflect_sdk import tracing
from reflect_sdk.driver import driver
from reflect_sdk.models import (
    ApiKeyInfo,
    AugmentedTask,
    BootstrapInfo,
    CreatedApiKey,
    Memory,
    Submission,
    Trace,
)
from reflect_sdk.relay import watched

_numbers = itertools.count(1)

# The default time that the published client waits for a trace.
WAIT_SECONDS = 60.0


class ReflectClient:
    """A client, in the driver."""

    def __init__(self, *, base_url: str, api_key: str, project_id: str | None = None) -> None:
        self._number = next(_numbers)
        settings = {"base_url": watched(base_url), "api_key": api_key, "project_id": project_id}
        self.call("build", **settings)
        # Its connections are closed, like those of a Rust value that goes out of scope.
        weakref.finalize(self, driver().drop, self._number).atexit = False

    def call(self, name: str, **arguments: Any) -> Any:
        """One call of a method of the client."""
        return driver().call(name, arguments, client=self._number)

    @staticmethod
    def bootstrap(*, base_url: str, bootstrap_token: str, user_id: str, project_id: str) -> BootstrapInfo:
        """`bootstrap`."""
        wish = {"bootstrap_token": bootstrap_token, "user_id": user_id, "project_id": project_id}
        return BootstrapInfo(driver().call("bootstrap", {"base_url": watched(base_url), **wish}))

    def health(self) -> dict[str, str]:
        """`health`."""
        return self.call("health")

    def query_memories(self, task: str, **query: Any) -> list[Memory]:
        """`query_memories`."""
        return [Memory(one) for one in self.call("query_memories", **question(task, query))]

    def augment_with_memories(self, task: str, **query: Any) -> AugmentedTask:
        """`augment_with_memories`."""
        return AugmentedTask(self.call("augment_with_memories", **question(task, query)))

    def create_memory(self, *, task: str, result: str, **lesson: Any) -> Submission:
        """`create_memory`."""
        return Submission(self.call("create_memory", task=task, result=result, lesson=lesson))

    def create_trace(self, **trace: Any) -> Submission:
        """`create_trace`."""
        return Submission(self.call("create_trace", **new_trace(**trace)))

    def create_trace_and_wait(self, *, wait_timeout: float = WAIT_SECONDS, **trace: Any) -> Trace:
        """`create_trace_and_wait`."""
        return Trace(self.call("create_trace_and_wait", trace=new_trace(**trace), patience=wait_timeout))

    def wait_for_trace(
        self, trace_id: str, *, require_reviewed: bool = False, wait_timeout: float = WAIT_SECONDS
    ) -> Trace:
        """`wait_for_trace`."""
        waiting = {"require_reviewed": require_reviewed, "patience": wait_timeout}
        return Trace(self.call("wait_for_trace", trace_id=trace_id, **waiting))

    def get_trace(self, trace_id: str) -> Trace:
        """`get_trace`."""
        return Trace(self.call("get_trace", trace_id=trace_id))

    def list_traces(self, *, review_status: str | None = None) -> list[Trace]:
        """`list_traces`."""
        return [Trace(one) for one in self.call("list_traces", review_status=review_status)]

    def delete_traces(self, trace_ids: Iterable[str]) -> dict[str, Any]:
        """`delete_traces`."""
        return self.call("delete_traces", trace_ids=list(trace_ids))

    def review_trace(
        self, trace_id: str, *, result: str, feedback_text: str | None = None, alpha: float | None = None
    ) -> Trace:
        """`review_trace`."""
        review = {"result": result, "feedback": feedback_text, "alpha": alpha}
        return Trace(self.call("review_trace", trace_id=trace_id, review=review))

    def list_api_keys(self) -> list[ApiKeyInfo]:
        """`list_api_keys`."""
        return [ApiKeyInfo(one) for one in self.call("list_api_keys")]

    def create_api_key(
        self, *, label: str, scopes: Sequence[str], environment: str = "live"
    ) -> CreatedApiKey:
        """`create_api_key`."""
        wish = {"label": label, "scopes": list(scopes), "environment": environment}
        return CreatedApiKey(self.call("create_api_key", **wish))

    def revoke_api_key(self, key_id: str) -> ApiKeyInfo:
        """`revoke_api_key`."""
        return ApiKeyInfo(self.call("revoke_api_key", key_id=key_id))

    def get_skill(self) -> str | None:
        """`get_skill`: its text, like the published client."""
        skill = self.call("get_skill")
        return None if skill is None else skill["content"]

    def create_skill(self, **counts: int) -> dict[str, Any]:
        """`create_skill`."""
        return self.call("create_skill", **counts)

    def delete_project(self) -> dict[str, Any]:
        """`delete_project`."""
        return self.call("delete_project")

    def trace(self, task: str, **query: Any) -> tracing.TraceContext:
        """A run whose function is the block."""
        return tracing.TraceContext(self, question(task, query))


def question(task: str, query: dict[str, Any]) -> dict[str, Any]:
    """A query. Python's `lambda_` is `utility_weight`; absent values are omitted."""
    words = {"utility_weight" if name == "lambda_" else name: value for name, value in query.items()}
    return {"task": task, **words}


def new_trace(
    *,
    review_result: str | None = None,
    feedback_text: str | None = None,
    alpha: float | None = None,
    reflection: dict[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
    retrieved_memory_ids: Sequence[str] = (),
    **rest: Any,
) -> dict[str, Any]:
    """A new trace, with the review as a separate object."""
    review = {"result": review_result, "feedback": feedback_text, "alpha": alpha, "lesson": reflection}
    return {
        **rest,
        "metadata": metadata or {},
        "retrieved_memory_ids": list(retrieved_memory_ids),
        "review": review if review_result is not None else None,
    }
