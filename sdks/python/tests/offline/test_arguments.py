"""Mistakes in arguments are found before anything is sent, and the message says what is right."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from reflect_sdk import (
    AsyncReflectClient,
    InvalidArgumentError,
    InvalidReviewResultError,
    ReflectClient,
    RunEndedError,
    TraceContext,
    UnknownFieldError,
    reflect_trace,
)
from reflect_sdk._wire.bodies import query, review_of_trace
from reflect_sdk._wire.recall import without_memories
from reflect_sdk.tracing import context as contexts
from reflect_sdk.tracing.ending import trace_of

MESSAGES = [{"role": "assistant", "content": "done"}]


@pytest.fixture
def client(tmp_path: Path) -> ReflectClient:
    """A client of a server that does not exist: a request would raise another error."""
    return ReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=tmp_path, max_retries=0)


@pytest.fixture
def run() -> TraceContext:
    return TraceContext(without_memories("t", "a test"))


@pytest.mark.parametrize("task", ["", " \n", None, 7])
def test_an_empty_task_is_rejected_by_every_call(client: ReflectClient, task: Any) -> None:
    for name, call in {
        "trace": lambda: client.trace(task),
        "trace_async": lambda: client.trace_async(task),
        "query_memories": lambda: client.query_memories(task),
        "augment_with_memories": lambda: client.augment_with_memories(task),
        "create_trace": lambda: client.create_trace(task=task, trajectory=MESSAGES),
        "create_trace_and_wait": lambda: client.create_trace_and_wait(task=task, trajectory=MESSAGES),
        "create_memory": lambda: client.create_memory(task=task, result="pass"),
    }.items():
        with pytest.raises(InvalidArgumentError, match=f"^{name}: task (is empty|must be text)"):
            call()
    with pytest.raises(ValueError, match=r"^create_trace_async: "):
        asyncio.run(client.create_trace_async(task=task, trajectory=MESSAGES))
    alone = AsyncReflectClient(base_url="http://127.0.0.1:9", api_key="k")
    with pytest.raises(ValueError, match=r"^create_trace: "):
        asyncio.run(alone.create_trace(task=task, trajectory=MESSAGES))


@pytest.mark.parametrize("trajectory", [None, 7, 1.5, True, b"text", {1, 2}, object()])
def test_a_trajectory_is_messages_or_text(client: ReflectClient, run: TraceContext, trajectory: Any) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^create_trace: trajectory must be a list of messages or a text"):
        client.create_trace(task="t", trajectory=trajectory)
    if trajectory is not None:
        with pytest.raises(InvalidArgumentError, match=r"^set_output: trajectory"):
            run.set_output(trajectory=trajectory)


@pytest.mark.parametrize("trajectory", [[], (), "text", MESSAGES[0], deque(MESSAGES), iter(MESSAGES), MESSAGES])
def test_lists_of_all_kinds_are_trajectories(run: TraceContext, trajectory: Any) -> None:
    run.set_output(trajectory=trajectory)
    body = trace_of(run, None, auto_fail=True)
    assert body is not None and isinstance(body["trajectory"], list | str)


@pytest.mark.parametrize(
    ("wrong", "right"), [("feedback", "feedback_text"), ("reviw", "review_result"), ("review", "review_result")]
)
def test_a_misspelled_argument_names_the_right_one(client: ReflectClient, wrong: str, right: str) -> None:
    given: dict[str, Any] = {"task": "t", "trajectory": MESSAGES, wrong: "pass"}
    for call in (client.create_trace, client.create_trace_and_wait):
        with pytest.raises(UnknownFieldError, match=f"has no argument '{wrong}'. Did you mean '{right}'"):
            call(**given)
    with pytest.raises(TypeError, match=f"Did you mean '{right}'"):
        asyncio.run(client.create_trace_async(**given))


def test_a_misspelled_argument_of_a_review_names_the_right_one(client: ReflectClient, run: TraceContext) -> None:
    with pytest.raises(
        UnknownFieldError, match=r"set_output has no argument 'feedback'. Did you mean 'feedback_text'"
    ):
        run.set_output(trajectory=MESSAGES, feedback="no")  # type: ignore[call-arg]
    with pytest.raises(UnknownFieldError, match=r"review has no argument 'feedback'. Did you mean 'feedback_text'"):
        run.review("fail", feedback="no")  # type: ignore[call-arg]
    with pytest.raises(UnknownFieldError, match=r"review_trace has no argument 'reslt'. Did you mean 'result'"):
        client.review_trace("x", reslt="fail")  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [("feedback", "feedback_text"), ("reslt", "result"), ("reviewr", "reviewer"), ("zzz", "Known names: trace_id")],
)
def test_a_misspelled_field_of_a_review_names_the_right_one(client: ReflectClient, wrong: str, hint: str) -> None:
    with pytest.raises(UnknownFieldError, match=f"no field '{wrong}'.*{hint}"):
        client.review_traces([{"trace_id": "x", "result": "pass", wrong: "a"}])
    with pytest.raises(ValueError, match="A review needs result"):
        client.review_traces([{"trace_id": "x"}])


def test_all_fields_of_the_contract_are_known() -> None:
    fields = {"trace_id": "x", "result": "success", "feedback_text": None, "alpha": 0.1, "replace": True}
    more = {"reviewer": "ada", "grace_seconds": 5, "reflection": {}}
    assert review_of_trace({**fields, **more}) == {**fields, **more, "result": "pass"}


def test_feedback_without_a_result_is_not_lost(client: ReflectClient, run: TraceContext) -> None:
    with pytest.raises(InvalidArgumentError, match="create_trace: feedback_text is given without review_result"):
        client.create_trace(task="t", trajectory=MESSAGES, feedback_text="Wrong price.")
    with pytest.raises(InvalidArgumentError, match=r'set_output: .* Pass result="pass" or "fail" too'):
        run.set_output(trajectory=MESSAGES, feedback_text="Wrong price.")
    run.set_output(trajectory=MESSAGES, feedback_text="")
    run.review("fail")
    run.set_output(trajectory=MESSAGES, feedback_text="Wrong price.")
    body = trace_of(run, None, auto_fail=True)
    assert body is not None and body["review"] == {"result": "fail", "feedback_text": "Wrong price."}


def test_the_same_result_again_keeps_its_feedback(run: TraceContext) -> None:
    run.set_output(trajectory=MESSAGES, result="fail", feedback_text="Wrong price.")
    run.review("failure")
    body = trace_of(run, None, auto_fail=True)
    assert body is not None and body["review"]["feedback_text"] == "Wrong price."
    run.review("pass")
    body = trace_of(run, None, auto_fail=True)
    assert body is not None and body["review"] == {"result": "pass", "feedback_text": None}


def test_a_marked_step_is_a_message_with_its_mark(run: TraceContext) -> None:
    run.mark_step("no signal", "restart", retrieval_id="r")
    run.mark_step("no data", "")
    assert run.captured == [
        {
            "role": "assistant",
            "content": "restart",
            "reflect_step": {"task": "no signal", "action": "restart", "retrieval_id": "r"},
        },
        {"role": "assistant", "content": "", "reflect_step": {"task": "no data", "action": ""}},
    ]
    with pytest.raises(InvalidArgumentError, match=r"^mark_step: task is empty"):
        run.mark_step(" ", "restart")


def test_the_weight_of_utility_is_sent_only_if_it_is_given() -> None:
    assert query(task="t", limit=10) == {"task": "t", "limit": 10}
    assert query(task="t", limit=10, lambda_=0.0) == {"task": "t", "limit": 10, "lambda": 0.0}


def test_a_run_that_has_ended_cannot_be_changed(client: ReflectClient) -> None:
    with client.trace("t") as run:
        run.set_output(trajectory=MESSAGES)
    for change in (lambda: run.review("fail"), run.defer, lambda: run.set_output(trajectory=MESSAGES)):
        with pytest.raises(RunEndedError, match=r"client\.review_trace\(ctx\.trace_id, result="):
            change()
    with client.trace("t") as empty:
        pass
    with pytest.raises(RuntimeError, match="nothing to store"):
        empty.review("fail")


def test_a_late_message_is_reported_once(
    client: ReflectClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contexts, "_warned", set())
    with client.trace("t") as run:
        run.step("assistant", "in time")
    with caplog.at_level(logging.WARNING, "reflect_sdk"):
        run.step("assistant", "late")
        run.tool("search", {}, [])
    assert caplog.text.count("after the block of its run had ended") == 1


@pytest.mark.parametrize("error", [InvalidReviewResultError("x"), RunEndedError("x"), SystemExit()])
def test_a_mistake_in_the_use_of_the_package_teaches_the_agent_nothing(
    run: TraceContext, error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    run.set_output(trajectory=MESSAGES, result="pass")
    body = trace_of(run, error, auto_fail=True)
    assert body is not None and "review" not in body
    assert body["metadata"]["reflect"]["discarded_result"] == "pass"
    assert "its result 'pass' is not sent" in caplog.text


def test_an_empty_input_does_not_stop_a_decorated_function(client: ReflectClient) -> None:
    seen: list[str] = []

    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> str:
        seen.append(ctx.task)
        return "ok"

    assert answer("") == "ok" and seen[0].endswith("answer")


def test_a_memory_needs_an_id_and_an_edit_a_change(client: ReflectClient) -> None:
    with pytest.raises(InvalidArgumentError, match=r"^get_memory: memory_id is empty"):
        client.get_memory("")
    with pytest.raises(InvalidArgumentError, match=r"^delete_memory: memory_id"):
        client.delete_memory(" ")
    with pytest.raises(InvalidArgumentError, match=r"^edit_memory: nothing to change"):
        client.edit_memory("m", version=1)
    with pytest.raises(InvalidArgumentError, match=r"^edit_memory_async: task is empty"):
        asyncio.run(client.edit_memory_async("m", task=""))
    with pytest.raises(InvalidArgumentError, match=r"^write_memory: the lesson is empty"):
        client.write_memory("Sort the list", summary="", metadata={"env": "prod"})
    with pytest.raises(InvalidArgumentError, match=r"^write_memory_async: task is empty"):
        asyncio.run(client.write_memory_async("", guidance="By date."))
    with pytest.raises(InvalidArgumentError, match=r"^search_memories: query is empty"):
        client.search_memories("")
    with pytest.raises(InvalidArgumentError, match=r"^get_trace: the trace id is missing"):
        client.get_trace(None)


def test_calls_about_lessons_need_their_ids(client: ReflectClient) -> None:
    for name, call in {
        "get_lesson: lesson_id": lambda: client.get_lesson(""),
        "group_lessons: into": lambda: client.group_lessons(" ", ["l"]),
        "split_lesson: lesson_id": lambda: client.split_lesson("", ["m"]),
        "move_memory: memory_id": lambda: client.move_memory("", "l"),
        "answer_lesson_question: question_id": lambda: client.answer_lesson_question("", "both"),
    }.items():
        with pytest.raises(InvalidArgumentError, match=f"^{name} is empty"):
            call()
