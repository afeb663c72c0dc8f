"""The client for asynchronous code: the same calls without the `_async` suffix, all coroutines."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.care import CareCalls
from reflect_sdk._calls.lessons import LessonCalls
from reflect_sdk._calls.memories import MemoryCalls
from reflect_sdk._calls.projects import ProjectCalls
from reflect_sdk._calls.queue import QueueCalls
from reflect_sdk._calls.reviews import ReviewCalls
from reflect_sdk._calls.runs import RunCalls
from reflect_sdk._calls.signals import SignalCalls
from reflect_sdk._calls.stored_memories import StoredMemoryCalls
from reflect_sdk._calls.traces import TraceCalls
from reflect_sdk.client import ReflectClient

if TYPE_CHECKING:
    from reflect_sdk._delivery import DeliveryCounters


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

    bootstrap = ReflectClient.bootstrap_async

    trace = RunCalls.trace_async
    flush = RunCalls.flush_async
    close = RunCalls.close_async

    query_memories = MemoryCalls.query_memories_async
    augment_with_memories = MemoryCalls.augment_with_memories_async
    create_memory = MemoryCalls.create_memory_async
    get_retrieval = MemoryCalls.get_retrieval_async
    get_skill = MemoryCalls.get_skill_async
    create_skill = MemoryCalls.create_skill_async

    write_memory = StoredMemoryCalls.write_memory_async
    get_memory = StoredMemoryCalls.get_memory_async
    list_memories = StoredMemoryCalls.list_memories_async
    iter_memories = StoredMemoryCalls.iter_memories_async
    search_memories = StoredMemoryCalls.search_memories_async
    list_memory_neighbours = StoredMemoryCalls.list_memory_neighbours_async
    edit_memory = StoredMemoryCalls.edit_memory_async
    delete_memory = StoredMemoryCalls.delete_memory_async

    pin_memory = CareCalls.pin_memory_async
    unpin_memory = CareCalls.unpin_memory_async
    disable_memory = CareCalls.disable_memory_async
    enable_memory = CareCalls.enable_memory_async
    quarantine_memory = CareCalls.quarantine_memory_async
    release_memory = CareCalls.release_memory_async
    merge_memories = CareCalls.merge_memories_async
    change_memories = CareCalls.change_memories_async
    get_memory_history = CareCalls.get_memory_history_async
    list_memory_uses = CareCalls.list_memory_uses_async
    list_actions = CareCalls.list_actions_async
    get_action = CareCalls.get_action_async
    undo_action = CareCalls.undo_action_async
    erase_memory = CareCalls.erase_memory_async
    erase_traces = CareCalls.erase_traces_async
    get_erasure = CareCalls.get_erasure_async

    get_lesson = LessonCalls.get_lesson_async
    list_lessons = LessonCalls.list_lessons_async
    iter_lessons = LessonCalls.iter_lessons_async
    group_lessons = LessonCalls.group_lessons_async
    split_lesson = LessonCalls.split_lesson_async
    move_memory = LessonCalls.move_memory_async
    list_lesson_questions = LessonCalls.list_lesson_questions_async
    answer_lesson_question = LessonCalls.answer_lesson_question_async
    get_lesson_grouping = LessonCalls.get_lesson_grouping_async

    create_trace = TraceCalls.create_trace_async
    create_trace_and_wait = TraceCalls.create_trace_and_wait_async
    wait_for_trace = TraceCalls.wait_for_trace_async
    get_trace = TraceCalls.get_trace_async
    list_traces = TraceCalls.list_traces_async
    iter_traces = TraceCalls.iter_traces_async
    delete_traces = TraceCalls.delete_traces_async
    retry_trace = TraceCalls.retry_trace_async

    review_trace = ReviewCalls.review_trace_async
    review_traces = ReviewCalls.review_traces_async
    withdraw_review = ReviewCalls.withdraw_review_async

    get_review_queue = QueueCalls.get_review_queue_async
    next_reviews = QueueCalls.next_reviews_async
    renew_leases = QueueCalls.renew_leases_async
    release_leases = QueueCalls.release_leases_async
    defer_trace = QueueCalls.defer_trace_async
    resume_trace = QueueCalls.resume_trace_async
    review_in_bulk = QueueCalls.review_in_bulk_async
    get_judge = QueueCalls.get_judge_async
    try_judge = QueueCalls.try_judge_async

    send_signal = SignalCalls.send_signal_async
    send_signals = SignalCalls.send_signals_async
    list_signals = SignalCalls.list_signals_async
    list_signal_sources = SignalCalls.list_signal_sources_async
    create_feedback_token = SignalCalls.create_feedback_token_async

    health = ProjectCalls.health_async
    loop_health = ProjectCalls.loop_health_async
    uplift = ProjectCalls.uplift_async
    list_api_keys = ProjectCalls.list_api_keys_async
    create_api_key = ProjectCalls.create_api_key_async
    rotate_api_key = ProjectCalls.rotate_api_key_async
    revoke_api_key = ProjectCalls.revoke_api_key_async
    get_project = ProjectCalls.get_project_async
    update_project = ProjectCalls.update_project_async
    delete_project = ProjectCalls.delete_project_async

    @property
    def delivery(self) -> DeliveryCounters:
        """Delivery counters of this process: produced, sent, spooled, and dropped by reason."""
        return self._outgoing.outbox.counters()

    async def __aenter__(self) -> AsyncReflectClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
