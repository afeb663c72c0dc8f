"""Answers become objects, also those of an older or a newer server."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

import reflect_sdk
from reflect_sdk import Memory, Trace, TraceSubmission
from reflect_sdk.models import LoopHealth, Retrieval, Skill


def test_unknown_fields_are_kept_and_missing_ones_defaulted() -> None:
    trace = Trace.from_dict(
        {"id": "t", "review": {"id": "r", "result": "pass", "mood": 1}, "colour": "red", "model": None}
    )
    assert trace.extra == {"colour": "red"} and trace.trajectory == [] and trace.model is None
    assert trace.review is not None and trace.review.extra == {"mood": 1}
    assert trace.to_dict()["colour"] == "red" and trace.model_dump()["review"]["result"] == "pass"


def test_they_are_frozen_and_positional_as_published() -> None:
    memory = Memory("m", "task", "reflection", 0.5, 0.9, 0.7)
    assert (memory.q_value, memory.similarity, memory.score, memory.success) == (0.5, 0.9, 0.7, None)
    with pytest.raises(dataclasses.FrozenInstanceError):
        memory.task = "other"  # type: ignore[misc]
    assert not hasattr(memory, "__dict__")


def test_a_submission_has_its_id_under_both_names() -> None:
    for data in ({"trace_id": "t", "ingest_status": "queued"}, {"id": "t", "ingest_status": "queued"}):
        made = TraceSubmission.from_dict(data)
        assert made.id == made.trace_id == "t" and made.ingest_status == "queued"


def test_a_skill_is_its_text() -> None:
    skill = Skill.from_dict({"content": "# Do", "version": 3, "memory_ids": ["m"]})
    assert skill == "# Do" == skill.content and skill.version == 3 and isinstance(skill, str)


def test_a_receipt_says_whether_it_was_degraded() -> None:
    assert Retrieval.from_dict({"id": "r", "degraded": True}).degraded is True
    assert Retrieval.from_dict({"id": "r", "degraded": False}).degraded is False


def test_lists_of_objects_are_objects() -> None:
    health = LoopHealth.from_dict({"status": "ok", "checks": [{"check": "duplicates", "level": "ok"}]})
    assert health.checks[0].check == "duplicates" and health.to_dict()["checks"][0]["level"] == "ok"


def test_both_families_of_names_are_there() -> None:
    assert reflect_sdk.MemoryResponse is reflect_sdk.Memory
    assert reflect_sdk.TraceResponse is reflect_sdk.Trace
    assert reflect_sdk.TraceCreateResponse is reflect_sdk.TraceSubmission
    for name in reflect_sdk.__all__:
        assert getattr(reflect_sdk, name) is not None
    with pytest.raises(AttributeError):
        _ = reflect_sdk.Nothing


def test_secrets_are_not_shown() -> None:
    from reflect_sdk import BootstrapInfo, CreatedApiKey

    assert "secret" not in repr(CreatedApiKey(api_key="secret"))
    assert "secret" not in repr(BootstrapInfo("u", "p", api_key="secret"))


def test_a_status_that_seems_to_contradict_a_review_is_explained() -> None:
    def reason(**fields: object) -> str | None:
        return Trace.from_dict({"id": "t", **fields}).review_status_reason

    review = {"id": "r", "result": "pass"}
    assert reason() is None and reason(review=review, review_status="reviewed") is None
    assert "(pass) is stored" in str(reason(review=review, ingest_status="queued"))
    assert "learning is processing" in str(reason(review=review, ingest_status="processing"))
    failed = reason(review=review, ingest_status="failed", last_ingest_error="no key.")
    assert "learning failed (no key)" in str(failed) and "retry_trace" in str(failed)
    assert "withdrawn" in str(reason(review_status="reviewed"))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "the body is a list, not an object"),
        ({}, "the field `id` is missing"),
        ({"id": None}, "the field `id` is missing"),
        ({"id": 7}, "`id` is a number, not text"),
        ({"id": "t", "trajectory": "x"}, "`trajectory` is text, not a list"),
        ({"id": "t", "trajectory": [1]}, r"`trajectory\[0\]` is a number, not an object"),
        ({"id": "t", "ingest_attempts": True}, "`ingest_attempts` is true or false, not a whole number"),
        ({"id": "t", "review": {"result": "pass"}}, "the field `review.id` is missing"),
        ({"id": "t", "review": {"id": "r", "alpha": "x"}}, "`review.alpha` is text, not a number"),
    ],
)
def test_data_of_another_form_is_rejected_with_its_place(data: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Trace.from_dict(data)
