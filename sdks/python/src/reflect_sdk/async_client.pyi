"""The calls of the client for asynchronous code. Written by `just sdk-docs`; do not edit."""

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType
from typing import Any

from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.reviews import TraceReview
from reflect_sdk._calls.signals import OutgoingSignal
from reflect_sdk._delivery import DeliveryCounters, FlushResult
from reflect_sdk._transport.address import TimeoutInput
from reflect_sdk._unset import Unset
from reflect_sdk._wire.bodies import TrajectoryInput
from reflect_sdk.models import (
    AcceptedSignal,
    Action,
    ApiKeyInfo,
    AugmentedTask,
    BootstrapInfo,
    BulkReview,
    CreatedApiKey,
    DeferredTrace,
    DeletedProject,
    DeletedTraces,
    Erasure,
    FeedbackToken,
    JudgeOpinion,
    JudgeStatus,
    Lesson,
    LessonGrouping,
    LessonQuestion,
    LoopHealth,
    Memory,
    MemoryChange,
    MemoryHistory,
    MemoryNeighbour,
    MemoryUse,
    Project,
    QueuedTrace,
    QueueLease,
    Retrieval,
    ReviewOutcome,
    ReviewQueue,
    Signal,
    SignalSource,
    Skill,
    StoredMemory,
    Trace,
    TraceSubmission,
    Uplift,
)
from reflect_sdk.tracing.block import AsyncTraceBlock

class AsyncReflectClient(BaseClient):
    """Talks to one project of a Reflect server from asynchronous code.

    It has the same constructor arguments and the same calls as `ReflectClient`. It may be used from several event
    loops; each loop has its own connection pool.

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
        """Creates the first project of a new server and its master key. This works once per server."""
    def trace(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
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
        """Sends all runs of this project now and returns what the server acknowledged."""
    async def close(self, timeout: float = 10.0) -> FlushResult:
        """Sends the queued runs. Does not wait for an unreachable server: the remaining runs are sent later."""
    async def query_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
    ) -> list[Memory]:
        """Retrieves the memories that are relevant to a task, best first."""
    async def augment_with_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = None,
        similarity_threshold: float | None = None,
        metadata_filter: Mapping[str, Any] | None = None,
        mmr_lambda: float | None = None,
        ranking: str | None = None,
        max_tokens: int | None = None,
    ) -> AugmentedTask:
        """Returns the task together with relevant memories, for use as a prompt."""
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
        """Stores a lesson that you wrote, without a language model."""
    async def get_retrieval(self, retrieval_id: str) -> Retrieval:
        """The receipt of an earlier retrieval: the candidates, and for each one whether it was returned."""
    async def get_skill(self) -> Skill | None:
        """The project's skill (a text with a `version`), or None if there is none yet."""
    async def create_skill(self, *, n_passed: int | None = None, n_failed: int | None = None) -> Skill:
        """Writes the next version of the skill from the best lessons, by default 5 of each kind."""
    async def write_memory(
        self,
        task: str,
        *,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
        success: bool | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> StoredMemory:
        """Writes a memory by hand, without a run."""
    async def get_memory(self, memory_id: str) -> StoredMemory:
        """One memory of any status, with its provenance and all versions of its text."""
    async def list_memories(
        self, *, status: str | None = None, sort: str | None = None, limit: int = 10000
    ) -> list[StoredMemory]:
        """All memories, newest first. Warns with `TruncatedResultWarning` when there are more than `limit`."""
    def iter_memories(self, *, status: str | None = None, sort: str | None = None) -> AsyncIterator[StoredMemory]:
        """Iterates over all memories, newest first, page by page. Takes the arguments of `list_memories`."""
    async def search_memories(self, query: str, *, limit: int = 10) -> list[StoredMemory]:
        """The memories that contain the given words, of any status, newest first."""
    async def list_memory_neighbours(self, memory_id: str, *, limit: int = 10) -> list[MemoryNeighbour]:
        """The memories with the most similar tasks, of any status, nearest first: use it to find duplicates."""
    async def edit_memory(
        self,
        memory_id: str,
        *,
        task: str | None = None,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        version: int | None = None,
    ) -> StoredMemory:
        """Changes the text of a memory. What is not passed stays unchanged; the old text is kept as a version."""
    async def delete_memory(self, memory_id: str) -> StoredMemory:
        """Deletes a memory: it is no longer served. Its text is kept until it is erased, so this can be undone."""
    async def pin_memory(self, memory_id: str) -> StoredMemory:
        """Pins a memory: every retrieval returns it first, whatever the task is."""
    async def unpin_memory(self, memory_id: str) -> StoredMemory:
        """Unpins a memory."""
    async def disable_memory(self, memory_id: str) -> StoredMemory:
        """Disables a memory: it is no longer served. Its history is kept."""
    async def enable_memory(self, memory_id: str) -> StoredMemory:
        """Enables a memory that was disabled or deleted."""
    async def quarantine_memory(self, memory_id: str) -> StoredMemory:
        """Quarantines a memory: it is not served until it is released."""
    async def release_memory(self, memory_id: str) -> StoredMemory:
        """Releases a memory from quarantine."""
    async def merge_memories(
        self, survivor_id: str, memory_ids: Sequence[str], *, text: Mapping[str, Any] | None = None
    ) -> StoredMemory:
        """Merges memories into one. Their utilities are pooled, and the others point to it."""
    async def change_memories(
        self,
        action: str,
        *,
        query: str | None = None,
        filter: Mapping[str, Any] | None = None,
        every: bool = False,
        dry_run: bool = False,
    ) -> MemoryChange:
        """Changes all memories that match, as one action that can be undone."""
    async def get_memory_history(self, memory_id: str) -> MemoryHistory:
        """The reviews that moved a memory, and its changes."""
    async def list_memory_uses(self, memory_id: str, *, limit: int = 100) -> list[MemoryUse]:
        """The reviewed runs that had a memory, newest first."""
    async def list_actions(self, *, include_automatic: bool = False, limit: int = 100) -> list[Action]:
        """The changes of memories and reviews, newest first."""
    async def get_action(self, action_id: str) -> Action:
        """One action."""
    async def undo_action(self, action_id: str) -> Action:
        """Undoes an action. Other changes before or after it are kept."""
    async def erase_memory(self, memory_id: str) -> StoredMemory:
        """Permanently removes all versions of a memory's text. Its numbers are kept. This cannot be undone."""
    async def erase_traces(
        self, *, trace_id: str | None = None, subject: str | None = None, memories: str = "delete"
    ) -> Erasure:
        """Permanently removes one run, or all runs of a person. The server does it in the background."""
    async def get_erasure(self, erasure_id: str) -> Erasure:
        """The progress of an erasure."""
    async def get_lesson(self, lesson_id: str) -> Lesson:
        """One lesson with its newest memories, at most 100."""
    async def list_lessons(
        self, *, query: str | None = None, sort: str | None = None, limit: int = 10000
    ) -> list[Lesson]:
        """All lessons, newest first. Warns with `TruncatedResultWarning` when there are more than `limit`."""
    def iter_lessons(self, *, query: str | None = None, sort: str | None = None) -> AsyncIterator[Lesson]:
        """Iterates over all lessons, newest first, page by page. Takes the arguments of `list_lessons`."""
    async def group_lessons(self, into: str, lesson_ids: Sequence[str]) -> Lesson:
        """Groups lessons into one. Every memory keeps its task, its numbers and its own words."""
    async def split_lesson(self, lesson_id: str, memory_ids: Sequence[str]) -> Lesson:
        """Splits memories out of a lesson. They become a lesson of their own, which is returned."""
    async def move_memory(self, memory_id: str, lesson_id: str) -> StoredMemory:
        """Moves a memory to another lesson."""
    async def list_lesson_questions(self, *, is_open: bool = True) -> list[LessonQuestion]:
        """Pairs of lessons that contradict each other and that evidence does not decide, newest first."""
    async def answer_lesson_question(self, question_id: str, answer: str) -> LessonQuestion:
        """Answers a question. What follows from the answer is an action that can be undone."""
    async def get_lesson_grouping(self) -> LessonGrouping:
        """The progress of the grouping of memories that existed before lessons were grouped."""
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
        keys: Mapping[str, str] | None = None,
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
        keys: Mapping[str, str] | None = None,
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
        """Waits until the trace is stored and, with `require_reviewed`, until its review is processed."""
    async def get_trace(self, trace_id: str | None) -> Trace:
        """One trace with its trajectory, its review and the id of the memory created from it."""
    async def list_traces(
        self, *, review_status: str | None = None, limit: int = 10000, max_items: int | None = None
    ) -> list[Trace]:
        """All traces, newest first. Warns with `TruncatedResultWarning` when there are more than `limit`."""
    def iter_traces(self, *, review_status: str | None = None, page_size: int | None = None) -> AsyncIterator[Trace]:
        """Iterates over all traces, newest first, page by page."""
    async def delete_traces(self, trace_ids: Sequence[str]) -> DeletedTraces:
        """Deletes traces and their reviews; the result lists the traces that existed."""
    async def retry_trace(self, trace_id: str | None) -> Trace:
        """Retries learning from a review that failed. Fix the cause of the failure first."""
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
        """Reviews many runs in one request. Does not wait for their memories."""
    async def withdraw_review(self, trace_id: str | None) -> Trace:
        """Withdraws a review: utilities are recomputed without it, and the memory it created is retired."""
    async def get_review_queue(self) -> ReviewQueue:
        """How many runs wait for a review, and for how long."""
    async def next_reviews(
        self,
        count: int = 3,
        *,
        order: str | None = None,
        query: str | None = None,
        lease_seconds: int | None = None,
        skip: Sequence[str] = (),
        renew: bool = False,
        reviewer: str | None = None,
    ) -> list[QueuedTrace]:
        """The next runs to review. They are leased to the caller: the queue does not give them to others."""
    async def renew_leases(
        self, trace_ids: Sequence[str], *, lease_seconds: int | None = None, reviewer: str | None = None
    ) -> list[QueueLease]:
        """Renews leases; returns those that the caller has. A lease that another reviewer took is missing."""
    async def release_leases(self, trace_ids: Sequence[str], *, reviewer: str | None = None) -> None:
        """Releases leases: the queue can give the runs to others at once."""
    async def defer_trace(
        self,
        trace_id: str,
        *,
        seconds: int | None = None,
        until: str | None = None,
        note: str | None = None,
        reviewer: str | None = None,
    ) -> DeferredTrace:
        """Defers a run: the queue does not return it before a time."""
    async def resume_trace(self, trace_id: str) -> DeferredTrace:
        """Ends the deferral of a run."""
    async def review_in_bulk(
        self,
        *,
        result: str,
        feedback_text: str | None = None,
        query: str | None = None,
        trace_ids: Sequence[str] | None = None,
        alpha: float | None = None,
        reviewer: str | None = None,
        dry_run: bool = False,
    ) -> BulkReview:
        """Gives up to 1000 runs the same review, as one action that can be undone."""
    async def get_judge(self) -> JudgeStatus:
        """What the project's judge does, and how well it agrees with people."""
    async def try_judge(
        self,
        *,
        trace_id: str | None = None,
        task: str | None = None,
        trajectory: TrajectoryInput | None = None,
        final_response: str | None = None,
        reference_context: str | None = None,
        rubric: str | None = None,
    ) -> JudgeOpinion:
        """Asks the judge about a run. Nothing is stored except the tokens that it used."""
    async def send_signal(
        self,
        source: str,
        *,
        trace_id: str | None = None,
        key: tuple[str, str] | None = None,
        outcome: str | None = None,
        score: float | None = None,
        occurred_at: datetime | str | None = None,
        idempotency_key: str | None = None,
        comment: str | None = None,
        url: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> AcceptedSignal:
        """Reports the outcome of a run. It becomes a review later, if the rules of the project say so."""
    async def send_signals(self, signals: Sequence[OutgoingSignal | Mapping[str, Any]]) -> list[AcceptedSignal]:
        """Reports many outcomes. Returns one result for each, in order; a refused one has `error`."""
    async def list_signals(self, trace_id: str | None) -> list[Signal]:
        """The signals about a run, oldest first, and what each means now. Empty while they are withheld."""
    async def list_signal_sources(self) -> list[SignalSource]:
        """The sources of signals: their rules, and how well each agrees with people."""
    async def create_feedback_token(
        self, trace_id: str | None, *, expires_in_seconds: int | None = None
    ) -> FeedbackToken:
        """Issues a token with which a browser can vote on one run, without a key. The run may arrive later."""
    async def health(self) -> dict[str, str]:
        """The server's health; needs no key."""
    async def loop_health(self) -> LoopHealth:
        """Checks whether the learning loop works: fourteen checks, worst first, each with a fix."""
    async def uplift(self, *, since: str | None = None, review_error: float | None = None) -> Uplift:
        """How much more often runs with memories pass than holdout runs."""
    async def list_api_keys(self) -> list[ApiKeyInfo]:
        """All keys, newest first, without their secrets."""
    async def create_api_key(self, *, label: str, scopes: Sequence[str], environment: str = "live") -> CreatedApiKey:
        """Creates a key. The result contains its secret, which cannot be read again."""
    async def rotate_api_key(self, key_id: str, *, overlap_hours: int | None = None) -> CreatedApiKey:
        """Replaces a key by a new one with the same scopes. The result contains its secret."""
    async def revoke_api_key(self, key_id: str) -> ApiKeyInfo:
        """Revokes a key, and the keys that were created with it; they stop working within seconds."""
    async def get_project(self) -> Project:
        """The settings of the project."""
    async def update_project(
        self, *, ranking: str | Unset = ..., daily_tokens: int | Unset | None = ..., holdout_rate: float | Unset = ...
    ) -> Project:
        """Changes settings of the project. Settings that are not passed do not change."""
    async def delete_project(self) -> DeletedProject:
        """Deletes the project with all its runs and memories. This cannot be undone."""
    @property
    def delivery(self) -> DeliveryCounters:
        """Delivery counters of this process: produced, sent, spooled, and dropped by reason."""
    async def __aenter__(self) -> AsyncReflectClient: ...
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
