"""Calls about lessons, each of which holds one or more memories."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from reflect_sdk._arguments import require_text
from reflect_sdk._calls.base import BaseClient
from reflect_sdk._calls.limits import cut
from reflect_sdk._wire import lessons
from reflect_sdk.models import Lesson, LessonGrouping, LessonQuestion, StoredMemory


class LessonCalls(BaseClient):
    """Read, group and split lessons, and answer questions about contradictions."""

    def get_lesson(self, lesson_id: str) -> Lesson:
        """One lesson with its newest memories, at most 100."""
        api = self._called("get_lesson")
        return self._run(lessons.get(api, require_text(api.call, "lesson_id", lesson_id)))

    async def get_lesson_async(self: BaseClient, lesson_id: str) -> Lesson:
        """The same as `get_lesson`, awaited."""
        api = self._awaited("get_lesson")
        return await self._run_async(lessons.get(api, require_text(api.call, "lesson_id", lesson_id)))

    def list_lessons(self, *, query: str | None = None, sort: str | None = None, limit: int = 10_000) -> list[Lesson]:
        """All lessons, newest first. Warns with `TruncatedResultWarning` when there are more than `limit`.

        Args:
            query: Words, filters such as `status:active` and `credit:<0.5`, or both; one memory of the lesson must
                match all of them.
            sort: "newest", "utility", "evidence", "attention" or "harm".
            limit: The maximum number of lessons. Use `iter_lessons` to read all of them.
        """
        found: list[Lesson] = []
        api, filters = self._called("list_lessons"), _filters(query, sort)
        self._flush_pending()
        cursor: str | None = None
        while True:
            page, cursor = self._run(lessons.page(api, filters, cursor))
            found.extend(page)
            if cursor is None or len(found) >= limit:
                return cut("lessons", found, limit, more=cursor is not None)

    async def list_lessons_async(
        self: BaseClient, *, query: str | None = None, sort: str | None = None, limit: int = 10_000
    ) -> list[Lesson]:
        """The same as `list_lessons`, awaited."""
        found: list[Lesson] = []
        api, filters = self._awaited("list_lessons"), _filters(query, sort)
        await self._flush_pending_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(lessons.page(api, filters, cursor))
            found.extend(page)
            if cursor is None or len(found) >= limit:
                return cut("lessons", found, limit, more=cursor is not None)

    def iter_lessons(self, *, query: str | None = None, sort: str | None = None) -> Iterator[Lesson]:
        """Iterates over all lessons, newest first, page by page. Takes the arguments of `list_lessons`."""
        api, filters = self._called("iter_lessons"), _filters(query, sort)
        self._flush_pending()
        cursor: str | None = None
        while True:
            page, cursor = self._run(lessons.page(api, filters, cursor))
            yield from page
            if cursor is None:
                return

    async def iter_lessons_async(
        self: BaseClient, *, query: str | None = None, sort: str | None = None
    ) -> AsyncIterator[Lesson]:
        """The same as `iter_lessons`, with `async for`."""
        api, filters = self._awaited("iter_lessons"), _filters(query, sort)
        await self._flush_pending_async()
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(lessons.page(api, filters, cursor))
            for lesson in page:
                yield lesson
            if cursor is None:
                return

    def group_lessons(self, into: str, lesson_ids: Sequence[str]) -> Lesson:
        """Groups lessons into one. Every memory keeps its task, its numbers and its own words.

        Args:
            into: The lesson that stays.
            lesson_ids: The lessons whose memories move into it, at most 100.
        """
        api = self._called("group_lessons")
        return self._run(lessons.group(api, require_text(api.call, "into", into), lesson_ids))

    async def group_lessons_async(self: BaseClient, into: str, lesson_ids: Sequence[str]) -> Lesson:
        """The same as `group_lessons`, awaited."""
        api = self._awaited("group_lessons")
        return await self._run_async(lessons.group(api, require_text(api.call, "into", into), lesson_ids))

    def split_lesson(self, lesson_id: str, memory_ids: Sequence[str]) -> Lesson:
        """Splits memories out of a lesson. They become a lesson of their own, which is returned."""
        api = self._called("split_lesson")
        return self._run(lessons.split(api, require_text(api.call, "lesson_id", lesson_id), memory_ids))

    async def split_lesson_async(self: BaseClient, lesson_id: str, memory_ids: Sequence[str]) -> Lesson:
        """The same as `split_lesson`, awaited."""
        api = self._awaited("split_lesson")
        return await self._run_async(lessons.split(api, require_text(api.call, "lesson_id", lesson_id), memory_ids))

    def move_memory(self, memory_id: str, lesson_id: str) -> StoredMemory:
        """Moves a memory to another lesson."""
        api = self._called("move_memory")
        return self._run(lessons.move(api, require_text(api.call, "memory_id", memory_id), lesson_id))

    async def move_memory_async(self: BaseClient, memory_id: str, lesson_id: str) -> StoredMemory:
        """The same as `move_memory`, awaited."""
        api = self._awaited("move_memory")
        return await self._run_async(lessons.move(api, require_text(api.call, "memory_id", memory_id), lesson_id))

    def list_lesson_questions(self, *, is_open: bool = True) -> list[LessonQuestion]:
        """Pairs of lessons that contradict each other and that evidence does not decide, newest first.

        Args:
            is_open: True for questions without an answer, False for answered ones.
        """
        found: list[LessonQuestion] = []
        api = self._called("list_lesson_questions")
        cursor: str | None = None
        while True:
            page, cursor = self._run(lessons.questions(api, is_open, cursor))
            found.extend(page)
            if cursor is None:
                return found

    async def list_lesson_questions_async(self: BaseClient, *, is_open: bool = True) -> list[LessonQuestion]:
        """The same as `list_lesson_questions`, awaited."""
        found: list[LessonQuestion] = []
        api = self._awaited("list_lesson_questions")
        cursor: str | None = None
        while True:
            page, cursor = await self._run_async(lessons.questions(api, is_open, cursor))
            found.extend(page)
            if cursor is None:
                return found

    def answer_lesson_question(self, question_id: str, answer: str) -> LessonQuestion:
        """Answers a question. What follows from the answer is an action that can be undone.

        Args:
            question_id: The question.
            answer: "first" or "second": that lesson is right, and the memory of the other one is superseded. "both":
                they do not contradict each other. "same": they are one lesson and are grouped.
        """
        api = self._called("answer_lesson_question")
        return self._run(lessons.answer(api, require_text(api.call, "question_id", question_id), answer))

    async def answer_lesson_question_async(self: BaseClient, question_id: str, answer: str) -> LessonQuestion:
        """The same as `answer_lesson_question`, awaited."""
        api = self._awaited("answer_lesson_question")
        return await self._run_async(lessons.answer(api, require_text(api.call, "question_id", question_id), answer))

    def get_lesson_grouping(self) -> LessonGrouping:
        """The progress of the grouping of memories that existed before lessons were grouped."""
        return self._run(lessons.grouping(self._called("get_lesson_grouping")))

    async def get_lesson_grouping_async(self: BaseClient) -> LessonGrouping:
        """The same as `get_lesson_grouping`, awaited."""
        return await self._run_async(lessons.grouping(self._awaited("get_lesson_grouping")))


def _filters(query: str | None, sort: str | None) -> dict[str, Any]:
    return {"q": query, "sort": sort}
