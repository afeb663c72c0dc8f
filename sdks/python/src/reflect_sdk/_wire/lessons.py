"""Reading and changing lessons, and answering questions about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk._wire.decode import list_of, requiring
from reflect_sdk._wire.http import Flow, Request
from reflect_sdk._wire.mask import masked_text
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk._wire.stored_memories import CHANGED as CHANGED_MEMORY
from reflect_sdk._wire.stored_memories import PAGE
from reflect_sdk.models import Lesson, LessonGrouping, LessonQuestion, StoredMemory
from reflect_sdk.models._base import expect_object


def get(api: ProjectApi, lesson_id: str) -> Flow[Lesson]:
    """One lesson with its newest memories."""
    return api.get(Lesson.from_dict, "lessons", lesson_id)


def page(api: ProjectApi, filters: Mapping[str, Any], cursor: str | None) -> Flow[tuple[list[Lesson], str | None]]:
    """A page of lessons and the cursor of the next page."""
    # The stored texts are masked, so a search for masked text finds them.
    masked = masked_text(api.mask, {"q": filters.get("q")})
    path = api.path("lessons", **{**filters, **masked}, cursor=cursor, limit=PAGE)
    answer = yield from api.send(Request("GET", path))
    return api.read(answer, list_of(Lesson.from_dict)), answer.headers.get("x-next-cursor")


def group(api: ProjectApi, into: str, lesson_ids: Sequence[str]) -> Flow[Lesson]:
    """Groups lessons into one."""
    return api.post(_CHANGED, api.path("lessons", "group"), {"into": into, "lesson_ids": list(lesson_ids)})


def split(api: ProjectApi, lesson_id: str, memory_ids: Sequence[str]) -> Flow[Lesson]:
    """Splits memories out of a lesson."""
    return api.post(_CHANGED, api.path("lessons", lesson_id, "split"), {"memory_ids": list(memory_ids)})


def move(api: ProjectApi, memory_id: str, lesson_id: str) -> Flow[StoredMemory]:
    """Moves a memory to another lesson."""
    return api.post(CHANGED_MEMORY, api.path("memories", memory_id, "move"), {"lesson_id": lesson_id})


def questions(api: ProjectApi, is_open: bool, cursor: str | None) -> Flow[tuple[list[LessonQuestion], str | None]]:
    """A page of questions and the cursor of the next page."""
    answer = yield from api.send(
        Request("GET", api.path("lesson-questions", open=is_open, cursor=cursor, limit=PAGE))
    )
    return api.read(answer, list_of(LessonQuestion.from_dict)), answer.headers.get("x-next-cursor")


def answer(api: ProjectApi, question_id: str, given: str) -> Flow[LessonQuestion]:
    """Answers a question."""
    path = api.path("lesson-questions", question_id, "answer")
    return api.post(LessonQuestion.from_dict, path, {"answer": given})


def grouping(api: ProjectApi) -> Flow[LessonGrouping]:
    """The progress of the grouping of existing memories."""
    return api.get(LessonGrouping.from_dict, "lesson-grouping")


def _with_action(value: Any) -> Lesson:
    """The lesson after a change, with the id of the change."""
    lesson = expect_object(value["lesson"], "lesson")
    return Lesson.from_dict({**lesson, "action_id": value.get("action_id")})


_CHANGED = requiring(_with_action, "lesson")
