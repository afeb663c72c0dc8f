"""Traces, items 23 to 30 and 35 to 37: storing runs and reading them back."""

from __future__ import annotations

import json
from typing import Any
from uuid import uuid4

from cases.newer import NewerClient, accepted
from cases.registry import case
from cases.runs import expect_utility, messages, remember
from cases.setting import Setting
from cases.wire import REFUSALS, UNSAYABLE, eventually, recorded, refused, status_of

TASK = "Find the refund policy"
PLAIN_TEXT = 'Looked it up: {"days": 30}, then answered. [not json'

TRAJECTORY: list[dict[str, Any]] = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": TASK},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "find", "arguments": "{}"}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "30 days"},
    {"role": "assistant", "content": "Thirty days."},
]


@case(23, "A trace without a review is answered with its id and `completed`")
def without_review(here: Setting) -> None:
    with recorded() as seen:
        made = here.client().create_trace(task=TASK, trajectory=TRAJECTORY)

    assert seen[0].is_success
    assert isinstance(made.id, str) and made.id
    assert made.ingest_status == "completed", f"ingest_status is {made.ingest_status!r}"


@case(24, "A trace with a review is answered `queued` or `completed`")
def with_review(here: Setting) -> None:
    for result, feedback in (("pass", None), ("fail", "It named the wrong policy.")):
        made = here.client().create_trace(
            task=TASK, trajectory=TRAJECTORY, review_result=result, feedback_text=feedback
        )
        assert made.ingest_status in ("queued", "completed"), f"{result}: {made.ingest_status!r}"


@case(25, "A trace can be read right after it was created")
def read_at_once(here: Setting) -> None:
    client = here.client()
    for review in (None, "pass"):
        made = client.create_trace(task=TASK, trajectory=TRAJECTORY, review_result=review).id

        def visible(trace_id: str = made) -> bool:
            try:
                return client.get_trace(trace_id).id == trace_id
            except REFUSALS as error:
                assert status_of(error) == 404, f"answered {status_of(error)}"
                return False

        eventually(visible, 10.0, "the trace is visible")


@case(26, "A trajectory may be an array, a JSON string, plain text, or empty")
def trajectory_forms(here: Setting) -> None:
    client = here.client()
    for form in (TRAJECTORY, json.dumps(TRAJECTORY), PLAIN_TEXT, []):
        with recorded() as seen:
            made = client.create_trace(task=TASK, trajectory=form)
        assert seen[0].is_success
        assert made.ingest_status == "completed", f"{form!r} gave {made.ingest_status!r}"
    assert len(client.list_traces()) == 4, "not every form was stored"


@case(27, "A trajectory is always read back as an array of objects")
def trajectory_read_back(here: Setting) -> None:
    client = here.client()

    def read_back(form: list[dict[str, Any]] | str) -> list[dict[str, Any]]:
        made = client.create_trace(task=TASK, trajectory=form).id
        with recorded() as seen:
            client.get_trace(made)
        trajectory = seen[0].json()["trajectory"]
        assert isinstance(trajectory, list), f"{form!r} came back as {trajectory!r}"
        assert all(isinstance(one, dict) for one in trajectory), f"not all objects: {trajectory!r}"
        return trajectory

    assert read_back(TRAJECTORY) == TRAJECTORY
    assert read_back(json.dumps(TRAJECTORY)) == TRAJECTORY
    assert read_back([]) == []
    # JSON that is not a list of messages is also returned as objects.
    for odd in ('{"days": 30}', "[1, 2]", "[[]]"):
        read_back(odd)
    # An agent may return exactly this, and the decorator sends it as the trajectory.
    for text in (PLAIN_TEXT, "", "42", '"quoted"'):
        wrapped = read_back(text)
        shown = [value for message in wrapped for value in message.values()]
        assert text in shown or (text == "" and wrapped == []), f"{text!r} became {wrapped!r}"


@case(28, "A missing final response is the last assistant message; an empty one is kept")
def final_response(here: Setting) -> None:
    client = here.client()
    later_tool = [*messages(TASK, "Thirty days."), {"role": "tool", "content": "logged"}]
    for trajectory in (TRAJECTORY, json.dumps(TRAJECTORY), later_tool):
        made = client.create_trace(task=TASK, trajectory=trajectory).id
        found = client.get_trace(made).final_response
        assert found == "Thirty days.", f"taken from the trajectory: {found!r}"
    for given in ("", "Forty days."):
        made = client.create_trace(task=TASK, trajectory=TRAJECTORY, final_response=given).id
        found = client.get_trace(made).final_response
        assert found == given, f"given {given!r}, read {found!r}"


@case(29, "A null model and empty metadata are accepted, and nothing comes back null that must not")
def nulls(here: Setting) -> None:
    client = here.client()
    with recorded() as seen:
        made = client.create_trace(task=TASK, trajectory=TRAJECTORY, model=None, metadata=None).id
        client.get_trace(made)

    body, stored = json.loads(seen[0].request.content), [seen[1].json()]
    if UNSAYABLE:
        # The Rust client cannot send an empty object, so the case also sends it over plain HTTP.
        assert not body.get("model") and not body.get("metadata"), f"sent {body!r}"
        plain = NewerClient(here)
        made = accepted(plain.create_trace(TASK, trajectory=TRAJECTORY))["trace_id"]
        stored.append(accepted(plain.get_trace(made)))
    else:
        assert body["model"] is None and body["metadata"] == {}
    for one in stored:
        assert one["metadata"] == {}, f"metadata is {one.get('metadata')!r}"
        assert one["retrieved_memory_ids"] == [], f"ids are {one.get('retrieved_memory_ids')!r}"
        assert one.get("model") is None
    given = {"source": "cli", "nested": {"tags": ["a", "b"], "n": 1.5, "none": None}}
    made = client.create_trace(task=TASK, trajectory=TRAJECTORY, model="m-1", metadata=given).id
    assert client.get_trace(made).metadata == given
    assert client.get_trace(made).model == "m-1"


@case(30, "Unknown, duplicate or foreign memory ids do not fail the call; a duplicate counts once")
def stray_memory_ids(here: Setting) -> None:
    client, neighbour = here.client(), here.client(here.another_project())
    unknown = str(uuid4())
    foreign = remember(here, neighbour, TASK)
    for ids in (["mem-abc", "mem-def"], [unknown], [unknown, unknown], [foreign], ["", "a b/c", "x" * 300]):
        for review in (None, "pass"):
            try:
                made = client.create_trace(
                    task=TASK, trajectory=TRAJECTORY, retrieved_memory_ids=ids, review_result=review
                ).id
            except UNSAYABLE:
                # The Rust client accepts only UUIDs as memory ids, so the case sends the others over plain
                # HTTP.
                verdict = {"result": review, "feedback_text": None} if review else None
                answer = NewerClient(here).create_trace(
                    TASK, trajectory=TRAJECTORY, retrieved_memory_ids=ids, review=verdict
                )
                made = accepted(answer)["trace_id"]
            assert client.get_trace(made).id == made
    own = remember(here, client, "Count the parcels")
    remember(here, client, "Weigh the parcels", used=[own, own, unknown, foreign])
    expect_utility(client, "Count the parcels", own, 0.65)
    expect_utility(neighbour, TASK, foreign, 0.5)


@case(35, "An unknown trace id answers 404, however odd it looks")
def unknown_trace(here: Setting) -> None:
    client, plain = here.client(), NewerClient(here)
    client.create_trace(task=TASK, trajectory=TRAJECTORY)
    foreign = here.client(here.another_project()).create_trace(task=TASK, trajectory=TRAJECTORY).id
    # The client puts ids into the path unchanged, so the last ones arrive percent-encoded.
    odd = ("abc-123", "0", "-1", "null", "a" * 300, "é", "a%20b", "%00", "%FF")
    for trace_id in (str(uuid4()), uuid4().hex.upper(), foreign, *odd):
        status = refused(
            lambda trace_id=trace_id: client.get_trace(trace_id),
            lambda trace_id=trace_id: plain.get_trace(trace_id),
        )
        assert status == 404, f"{trace_id[:40]!r} answered {status}"


@case(36, "The results pass and fail are accepted, partial answers 422")
def results(here: Setting) -> None:
    client = here.client()
    with recorded() as seen:
        try:
            # 0.3.3 sends an unknown label unchanged.
            status = refused(
                lambda: client.create_trace(task=TASK, trajectory=TRAJECTORY, review_result="partial")
            )
        except ValueError as error:
            # Our client checks the labels, so the case sends the invalid one over plain HTTP.
            assert not seen and "partial" in str(error), f"refused with {error!r} after {len(seen)} calls"
            review = {"result": "partial", "feedback_text": None}
            status = NewerClient(here).create_trace(TASK, review=review).status_code
    assert json.loads(seen[0].request.content)["review"]["result"] == "partial"
    assert status == 422, f"partial answered {status}"
    assert client.list_traces() == [], "a trace with a result that is none was stored"

    for result in ("pass", "fail"):
        client.create_trace(task=TASK, trajectory=TRAJECTORY, review_result=result)
    assert len(client.list_traces()) == 2


@case(37, "list_traces is a bare array of full traces, filtered by review_status")
def listing(here: Setting) -> None:
    client = here.client()
    assert client.list_traces() == []
    pending = {client.create_trace(task=f"{TASK} {n}", trajectory=TRAJECTORY).id for n in range(3)}
    reviewed = {client.create_trace_and_wait(task=TASK, trajectory=TRAJECTORY, review_result="pass").id}

    for status, expected in ((None, pending | reviewed), ("pending", pending), ("reviewed", reviewed)):
        with recorded() as seen:
            listed = client.list_traces(review_status=status)
        raw = seen[0].json()
        assert isinstance(raw, list), f"not an array: {seen[0].text[:200]}"
        assert len(listed) == len(expected), f"{status}: {len(listed)} traces, not {len(expected)}"
        assert {trace.id for trace in listed} == expected, f"{status}: other traces"
        for one in raw:
            assert one["trajectory"] == TRAJECTORY, f"{status}: the trajectory is not whole"
            assert one["final_response"] == "Thirty days."
            assert status in (None, one["review_status"]), f"{status}: {one['review_status']!r}"
