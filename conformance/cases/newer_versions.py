"""Other versions, items 47 and 49 to 55: what the clients after 0.3.3 rely on."""

from __future__ import annotations

from cases.newer import MMR_LAMBDA, NewerClient, accepted, lesson, newer_client
from cases.registry import case
from cases.runs import expect_utility, remember
from cases.setting import Setting
from cases.wire import refused

TASK = "Issue a refund for a damaged parcel"
OTHER_TASK = "Schedule a call with the new supplier"


@case(47, "The answer to a new trace has an id equal to its trace_id")
def both_ids(here: Setting) -> None:
    newer = newer_client(here)
    for review in (None, {"result": "pass", "feedback_text": None}):
        answer = accepted(newer.create_trace(TASK, review=review))
        assert answer.get("trace_id"), f"no trace_id in {answer!r}"
        assert answer.get("id") == answer["trace_id"], f"id and trace_id differ in {answer!r}"


@case(49, "mmr_lambda, metadata_filter, similarity_threshold, reference_context, alpha: all optional")
def optional_fields(here: Setting) -> None:
    newer = newer_client(here)
    extras = {
        "mmr_lambda": MMR_LAMBDA,
        "metadata_filter": {"tier": "gold"},
        "similarity_threshold": 0.2,
    }
    for name, value in extras.items():
        assert isinstance(accepted(newer.query(TASK, **{name: value})), list), name
    assert isinstance(accepted(newer.query(TASK, **extras)), list)
    assert isinstance(accepted(newer.query(TASK)), list)

    review = {"result": "fail", "feedback_text": None}
    accepted(newer.create_trace(TASK, reference_context="Refunds take 30 days."))
    accepted(newer.create_trace(TASK, review={**review, "alpha": 0.1}))
    accepted(newer.create_trace(TASK, review=review, reference_context="Refunds take 30 days."))
    later = accepted(newer.create_trace(TASK))["trace_id"]
    accepted(newer.review_trace(later, "fail", alpha=0.1))


@case(50, "An alpha of 0.1 moves 0.50 to 0.55; an alpha outside 0 to 1 answers 422")
def alpha(here: Setting) -> None:
    newer, client = newer_client(here), here.client()
    inline, late = remember(here, client, TASK), remember(here, client, OTHER_TASK)
    review = {"result": "pass", "feedback_text": None, "alpha": 0.1}
    made = accepted(newer.create_trace("Refund", review=review, retrieved_memory_ids=[inline]))
    client.wait_for_trace(made["trace_id"], require_reviewed=True, wait_timeout=here.patience)
    made = accepted(newer.create_trace("Call", retrieved_memory_ids=[late]))
    accepted(newer.review_trace(made["trace_id"], "fail", alpha=0.1))

    expect_utility(client, TASK, inline, 0.55)
    expect_utility(client, OTHER_TASK, late, 0.45)
    open_trace = accepted(newer.create_trace(TASK))["trace_id"]
    for outside in (-0.1, 1.1):
        for answer in (
            newer.create_trace(TASK, review={**review, "alpha": outside}),
            newer.review_trace(open_trace, "pass", alpha=outside),
        ):
            assert answer.status_code == 422, f"alpha {outside} answered {answer.status_code}"


@case(51, "A scalar filter matches a list that contains it; several keys must all match")
def metadata_filter(here: Setting) -> None:
    newer, client = newer_client(here), here.client()
    gold = {"action_types": ["refund", "lookup"], "tier": "gold"}
    silver = {"action_types": ["refund"], "tier": "silver"}
    one = remember(here, client, TASK, metadata=gold)
    two = remember(here, client, f"{TASK} again", metadata=silver)
    bare = remember(here, client, f"{TASK} once more")

    for wanted, expected in (
        ({}, {one, two, bare}),
        ({"action_types": "refund"}, {one, two}),
        ({"action_types": "lookup"}, {one}),
        ({"tier": "silver"}, {two}),
        ({"action_types": "refund", "tier": "gold"}, {one}),
        ({"action_types": "lookup", "tier": "silver"}, set()),
        ({"action_types": "ship"}, set()),
    ):
        found = {memory["id"] for memory in accepted(newer.query(TASK, metadata_filter=wanted))}
        assert found == expected, f"{wanted} returned {len(found)}, expected {len(expected)}"


@case(52, "An authored reflection on an empty trajectory is stored without a provider, `completed`")
def authored(here: Setting) -> None:
    # With these words, a task would fail if it were sent to the provider.
    task = f"{TASK} {here.failing_task}"
    newer, client = newer_client(here), here.client()
    reflection = lesson(task, guidance="Ask for a photo first.", applicable_tools=["refunds"])
    answer = accepted(newer.create_memory(task, result="fail", reflection=reflection))

    assert answer["ingest_status"] == "completed", f"ingest_status is {answer['ingest_status']!r}"
    trace = client.get_trace(answer["trace_id"])
    assert trace.review_status == "reviewed", f"review_status is {trace.review_status!r}"
    assert trace.created_memory_id, "created_memory_id is not set"
    assert trace.trajectory == []
    memories = {memory["id"]: memory for memory in accepted(newer.query(task))}
    memory = memories.get(trace.created_memory_id)
    assert memory is not None, "the memory is not retrieved"
    assert memory["guidance"] == "Ask for a photo first.", f"guidance is {memory['guidance']!r}"
    assert memory["success"] is False


@case(53, "Memories carry the lesson's fields as strings and arrays, never null")
def lesson_fields(here: Setting) -> None:
    newer = newer_client(here)
    made = remember(here, here.client(), TASK)
    accepted(newer.create_memory(OTHER_TASK))

    found = accepted(newer.query(TASK)) + accepted(newer.query(OTHER_TASK))
    assert made in [memory["id"] for memory in found], "the learned memory is not retrieved"
    assert OTHER_TASK in [memory["task"] for memory in found], "the authored one is not retrieved"
    for memory in found:
        assert isinstance(memory["reflection"], str) and memory["reflection"].strip()
        for name in ("summary", "guidance", "key_mistake", "correct_action"):
            assert isinstance(memory.get(name), str), f"{name} is {memory.get(name)!r}"
        for name in ("applicable_tools", "tools_used"):
            value = memory.get(name)
            assert isinstance(value, list), f"{name} is {value!r}"
            assert all(isinstance(tool, str) for tool in value), f"{name} is {value!r}"


@case(54, "skill/create takes {} and counts; deleting traces and projects answers JSON objects")
def skill_and_deletion(here: Setting) -> None:
    newer, client = newer_client(here), here.client()
    for number in range(6):
        accepted(newer.create_memory(f"{TASK} {number}", result="pass" if number % 2 else "fail"))
    for counts in ({}, {"n_passed": 2}, {"n_failed": 0}, {"n_passed": 3, "n_failed": 2}):
        made = accepted(newer.create_skill(**counts))
        assert isinstance(made, dict), f"{counts} answered {made!r}"
        assert isinstance(made.get("content"), str) and made["content"], f"{counts}: no content"

    gone = [accepted(newer.create_trace(TASK))["trace_id"] for _ in range(2)]
    kept = accepted(newer.create_trace(TASK))["trace_id"]
    assert isinstance(accepted(newer.delete_traces(*gone)), dict)
    for trace_id in gone:
        assert refused(lambda trace_id=trace_id: client.get_trace(trace_id)) == 404
    assert client.get_trace(kept).id == kept

    assert isinstance(accepted(newer.delete_project()), dict)
    assert refused(lambda: client.get_trace(kept)) == 404


@case(55, "Unknown request fields are ignored")
def unknown_fields(here: Setting) -> None:
    # Not with our client, which has no parameter for an unknown field.
    newer, client = NewerClient(here), here.client()
    new = {"field_of_tomorrow": {"any": ["thing", 1, None]}}
    review = {"result": "pass", "feedback_text": None, **new}

    made = accepted(newer.create_trace(TASK, **new))["trace_id"]
    assert client.get_trace(made).task == TASK
    reviewed = accepted(newer.create_trace(TASK, review=review, **new))["trace_id"]
    assert client.get_trace(reviewed).task == TASK
    body = {"label": "any", "scopes": ["trace:read"], "environment": "live", **new}
    key = accepted(newer.post("/api-keys", body))["key"]
    assert key["label"] == "any"
    assert accepted(newer.post(f"/api-keys/{key['id']}/revoke", dict(new)))["status"] == "revoked"
    assert isinstance(accepted(newer.query(TASK, **new)), list)
    assert accepted(newer.review_trace(made, "pass", **new))["id"] == made
