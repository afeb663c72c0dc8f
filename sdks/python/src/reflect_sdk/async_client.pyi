"""The calls of the client for asynchronous code. Written by `just sdk-docs`; do not edit."""

from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any

from reflect_sdk._calls.base import Caller
from reflect_sdk._calls.reviews import TraceReview
from reflect_sdk._delivery import DeliveryCounters, FlushResult
from reflect_sdk._transport.address import TimeoutInput
from reflect_sdk._unset import Unset
from reflect_sdk._wire.bodies import TrajectoryInput
from reflect_sdk.models import (
    ApiKeyInfo,
    AugmentedTask,
    BootstrapInfo,
    CreatedApiKey,
    DeletedProject,
    DeletedTraces,
    LoopHealth,
    Memory,
    Project,
    Retrieval,
    ReviewOutcome,
    Skill,
    Trace,
    TraceSubmission,
    Uplift,
)
from reflect_sdk.tracing.block import AsyncTraceBlock

class AsyncReflectClient(Caller):
    """Talks to one project of a Reflect server from asynchronous code.

    It is set up as `ReflectClient` is and has the same calls with the same arguments. It may be used from several
    event loops; each has its own connections.

    Example:
        async with AsyncReflectClient(project_id="support") as client:
            async with client.trace("Refund order 1182") as ctx:
                answer = await my_agent(ctx.augmented_task)
                ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")
    """

    @classmethod
    async def bootstrap(
        cls,
        *,
        base_url: str,
        bootstrap_token: str,
        user_id: str,
        project_id: str,
        key_label: str = "Default Admin Key",
        environment: str = "live",
        timeout: TimeoutInput = 60.0,
    ) -> BootstrapInfo:
        """Makes the first project of a new server and its master key; it works once."""
    def trace(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        blocking: bool = False,
        auto_fail_on_exception: bool = True,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AsyncTraceBlock:
        """A run as a `with` block: memories are retrieved on entry, the trace is stored on exit."""
    async def flush(self, timeout: float = 10.0) -> FlushResult:
        """Sends all runs of this project now, and says what the server acknowledged."""
    async def close(self, timeout: float = 10.0) -> FlushResult:
        """Sends what is on its way, without waiting for a server that is away: what is left is sent later."""
    async def query_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
    ) -> list[Memory]:
        """The memories that may help with a task, best first."""
    async def augment_with_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float = 0.5,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
    ) -> AugmentedTask:
        """The task with the memories that may help with it, for use as a prompt."""
    async def create_memory(
        self,
        *,
        task: str,
        result: str,
        summary: str = "",
        guidance: str = "",
        key_mistake: str = "",
        correct_action: str = "",
        applicable_tools: Sequence[str] = (),
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> TraceSubmission:
        """Stores a lesson of your own, without a model that writes it."""
    async def get_retrieval(self, retrieval_id: str) -> Retrieval:
        """The receipt of an earlier search: what was considered, and what became of each of it."""
    async def get_skill(self) -> Skill | None:
        """The project's skill, or None while there is none. It is a text, with its `version`."""
    async def create_skill(self, *, n_passed: int | None = None, n_failed: int | None = None) -> Skill:
        """Writes the next version of the skill from the best lessons, 5 of each kind unless told otherwise."""
    async def create_trace(
        self,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | None = None,
        feedback_text: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        retrieval_id: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
        background: bool = False,
    ) -> TraceSubmission:
        """Stores a run."""
    async def create_trace_and_wait(
        self,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | None = None,
        feedback_text: str | None = None,
        alpha: float | None = None,
        reference_context: str | None = None,
        retrieval_id: str | None = None,
        used_memory_ids: Sequence[str] | None = None,
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """Stores a run and waits until its review has become a memory."""
    async def wait_for_trace(
        self,
        trace_id: str | None,
        *,
        require_reviewed: bool = False,
        poll_interval: float = ...,
        wait_timeout: float = 60.0,
    ) -> Trace:
        """The trace, once it is stored, and reviewed if that is asked for."""
    async def get_trace(self, trace_id: str | None) -> Trace:
        """One trace with its trajectory, its review and the memory that it became."""
    async def list_traces(self, *, review_status: str | None = None, max_items: int = 10000) -> list[Trace]:
        """All traces, newest first. Warns with `TruncatedResultWarning` when there are more than `max_items`."""
    def iter_traces(self, *, review_status: str | None = None, page_size: int | None = None) -> AsyncIterator[Trace]:
        """Goes through all traces, newest first, a page at a time."""
    async def delete_traces(self, trace_ids: Sequence[str]) -> DeletedTraces:
        """Deletes traces with their reviews; the answer lists those that were there."""
    async def retry_trace(self, trace_id: str | None) -> Trace:
        """Gives a trace whose review could not be learned from another chance, when the cause is mended."""
    async def review_trace(
        self,
        trace_id: str | None,
        *,
        result: str,
        feedback_text: str | None = None,
        alpha: float | None = None,
        replace: bool = False,
    ) -> Trace:
        """Reviews a stored run and waits until the review has become a memory."""
    async def review_traces(self, reviews: Sequence[TraceReview | Mapping[str, Any]]) -> list[ReviewOutcome]:
        """Reviews many runs at once and waits for none of their memories."""
    async def withdraw_review(self, trace_id: str | None) -> Trace:
        """Takes a review back: utilities are computed without it, and the memory that it made is retired."""
    async def health(self) -> dict[str, str]:
        """What the server says of itself; needs no key."""
    async def loop_health(self) -> LoopHealth:
        """Whether the learning loop is closed: ten checks, worst first, each with what to do."""
    async def uplift(self, *, since: str | None = None, review_error: float | None = None) -> Uplift:
        """By how much runs with memories pass more often than runs that were held out."""
    async def list_api_keys(self) -> list[ApiKeyInfo]:
        """All keys, newest first, without their texts."""
    async def create_api_key(self, *, label: str, scopes: Sequence[str], environment: str = "live") -> CreatedApiKey:
        """A new key with its text, which is shown this once."""
    async def revoke_api_key(self, key_id: str) -> ApiKeyInfo:
        """Revokes a key; it stops working within seconds."""
    async def get_project(self) -> Project:
        """How the project is set."""
    async def update_project(
        self, *, ranking: str | Unset = ..., daily_tokens: int | Unset | None = ..., holdout_rate: float | Unset = ...
    ) -> Project:
        """Changes settings of the project; those that are not named stay as they are."""
    async def delete_project(self) -> DeletedProject:
        """Deletes the project with all its runs and memories. There is no way back."""
    @property
    def delivery(self) -> DeliveryCounters:
        """What became of the runs of this process: produced, sent, spooled, dropped and why."""
    async def __aenter__(self) -> AsyncReflectClient: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
