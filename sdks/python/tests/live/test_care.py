"""Care of memories, the review queue and the judge, against a real server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

import reflect_sdk
from reflect_sdk import AsyncReflectClient, ReflectClient

MESSAGES = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "done"}]


def pending(client: ReflectClient, task: str) -> str:
    return client.create_trace(task=task, trajectory=MESSAGES).id


def test_a_memory_changes_its_state_and_back(client: ReflectClient, lesson: Callable[..., str]) -> None:
    memory = lesson("Sort the list", guidance="By date.")
    assert client.pin_memory(memory).pinned and not client.unpin_memory(memory).pinned
    disabled = client.disable_memory(memory)
    assert disabled.status == "disabled" and client.query_memories("Sort the list") == []
    assert client.enable_memory(memory).status == "active"
    assert client.quarantine_memory(memory).quarantined and client.query_memories("Sort the list") == []
    assert not client.release_memory(memory).quarantined

    assert disabled.action_id is not None
    actions = client.list_actions()
    assert disabled.action_id in [action.id for action in actions]
    assert len(client.list_actions(limit=2)) == 2 and client.get_action(actions[0].id) == actions[0]
    history = client.get_memory_history(memory)
    assert history.memory_id == memory and len([step for step in history.steps if step.get("care")]) >= 6


def test_a_change_is_undone(client: ReflectClient, lesson: Callable[..., str]) -> None:
    memory = lesson("Sort the list", guidance="By date.")
    changed = client.disable_memory(memory)
    assert changed.action_id is not None
    assert client.undo_action(changed.action_id).undone_at is not None
    assert client.get_memory(memory).status == "active"
    with pytest.raises(reflect_sdk.InvalidArgumentError, match=r"undo_action: action_id is empty"):
        client.undo_action("")


def test_memories_are_merged_and_changed_together(client: ReflectClient, lesson: Callable[..., str]) -> None:
    first, second = lesson("Sort the letters", guidance="By date."), lesson("Weigh the parcels", guidance="Twice.")
    planned = client.change_memories("disable", query="parcels", dry_run=True)
    assert (planned.dry_run, planned.matched, planned.changed) == (True, 1, 1) and planned.effect
    assert client.get_memory(second).status == "active"
    done = client.change_memories("disable", filter={"ids": [first, second]})
    assert done.changed == 2 and set(done.memory_ids) == {first, second} and done.action_id
    assert client.change_memories("enable", every=True).changed == 2
    with pytest.raises(reflect_sdk.ReflectError, match=r"change_memories"):
        client.change_memories("disable")

    merged = client.merge_memories(first, [second], text={"guidance": "By date, and twice."})
    assert (merged.id, merged.guidance) == (first, "By date, and twice.")
    assert client.get_memory(second).merged_into == first


def test_a_memory_is_written_by_hand_and_found_next_to_others(
    client: ReflectClient, lesson: Callable[..., str]
) -> None:
    near, far = lesson("Sort the list of names", guidance="By date."), lesson("Weigh the parcels", guidance="Twice.")
    written = client.write_memory(
        "Sort the list of orders",
        guidance="By number.",
        applicable_tools=["sort"],
        success=True,
        metadata={"env": "a"},
    )
    read = client.get_memory(written.id)
    assert (read.guidance, read.applicable_tools, read.success, read.metadata) == (
        "By number.",
        ["sort"],
        True,
        {"env": "a"},
    )
    assert [found.id for found in client.query_memories("Sort the list of orders", limit=1)] == [written.id]

    neighbours = client.list_memory_neighbours(written.id)
    assert [neighbour.id for neighbour in neighbours] == [near, far]
    assert neighbours[0].similarity > neighbours[1].similarity
    assert [neighbour.id for neighbour in client.list_memory_neighbours(written.id, limit=1)] == [near]


def test_the_uses_of_a_memory(client: ReflectClient, lesson: Callable[..., str]) -> None:
    memory = lesson("Sort the list", guidance="By date.")
    with client.trace("Sort the list", blocking=True) as run:
        run.set_output(trajectory=MESSAGES, result="pass")
    (use,) = client.list_memory_uses(memory)
    assert (use.trace_id, use.result) == (run.trace_id, "pass") and use.q_after > use.q_before


def test_a_memory_and_a_run_are_erased(client: ReflectClient, lesson: Callable[..., str]) -> None:
    memory, run = lesson("Sort the list", guidance="By date."), pending(client, "Sort it")
    assert client.erase_memory(memory).status == "erased"
    erasure = client.erase_traces(trace_id=run)
    assert client.get_erasure(erasure.id).id == erasure.id
    with pytest.raises(reflect_sdk.InvalidArgumentError, match="either trace_id or subject"):
        client.erase_traces(trace_id=run, subject="ada")


def test_runs_are_taken_from_the_queue(client: ReflectClient) -> None:
    runs = [pending(client, task) for task in ("Post the letter", "Weigh the parcel", "Sort the list")]
    assert client.get_review_queue().pending == 3
    assert [one.trace_id for one in client.next_reviews(5, query="parcel")] == [runs[1]]
    taken = client.next_reviews(2, order="oldest", lease_seconds=60)
    assert [one.trace_id for one in taken] == [runs[0], runs[2]] and taken[0].digest
    assert client.next_reviews() == [] and client.get_review_queue().leased == 3

    assert [one.trace_id for one in client.renew_leases(runs[:1], lease_seconds=300)] == runs[:1]
    client.release_leases(runs)
    assert client.get_review_queue().leased == 0
    assert client.defer_trace(runs[0], seconds=60, note="Ask Ada").note == "Ask Ada"
    assert [one.trace_id for one in client.next_reviews(order="oldest", skip=[runs[1]])] == [runs[2]]
    assert client.resume_trace(runs[0]).deferred_until is None


def test_many_runs_get_the_same_review(client: ReflectClient) -> None:
    runs = [pending(client, f"Post letter {number}") for number in range(3)]
    planned = client.review_in_bulk(result="fail", feedback_text="Use a stamp.", query="letter", dry_run=True)
    assert (planned.dry_run, planned.traces) == (True, 3)
    done = client.review_in_bulk(result="success", trace_ids=runs[:2])
    assert done.traces == 2 and done.action_id
    assert len(client.list_traces(review_status="pending")) >= 1
    with pytest.raises(reflect_sdk.InvalidArgumentError, match="either query or trace_ids"):
        client.review_in_bulk(result="pass")
    with pytest.raises(reflect_sdk.InvalidReviewResultError):
        client.review_in_bulk(result="good", query="letter")


def test_the_judge(client: ReflectClient) -> None:
    assert client.get_judge().state == "off"
    opinion = client.try_judge(task="Post it", trajectory=MESSAGES, rubric="Pass if it is done.")
    assert opinion.verdict in ("pass", "fail", "unclear") and opinion.model
    stored = client.try_judge(trace_id=pending(client, "Post it"))
    assert stored.trace_id is not None
    with pytest.raises(reflect_sdk.InvalidArgumentError, match="either trace_id, or task and trajectory"):
        client.try_judge(rubric="Pass.")


def test_care_with_await(async_client: AsyncReflectClient, lesson: Callable[..., str]) -> None:
    first, second = lesson("Sort the letters", guidance="By date."), lesson("Weigh the parcels", guidance="Twice.")

    async def main() -> None:
        client = async_client
        assert (await client.pin_memory(first)).pinned and not (await client.unpin_memory(first)).pinned
        assert (await client.quarantine_memory(first)).quarantined
        assert not (await client.release_memory(first)).quarantined
        changed = await client.disable_memory(first)
        assert changed.action_id is not None and (await client.enable_memory(first)).status == "active"
        assert (await client.get_action(changed.action_id)).id == changed.action_id
        assert len(await client.list_actions()) >= 6
        assert (await client.undo_action((await client.disable_memory(first)).action_id or "")).undone_at
        assert (await client.change_memories("disable", query="parcels", dry_run=True)).changed == 1
        assert (await client.merge_memories(first, [second])).id == first
        assert (await client.get_memory_history(first)).memory_id == first
        assert await client.list_memory_uses(first) == []

        made = await client.create_trace(task="Post the letter", trajectory=MESSAGES)
        assert (await client.get_review_queue()).pending == 1
        assert [one.trace_id for one in await client.next_reviews()] == [made.id]
        assert len(await client.renew_leases([made.id])) == 1
        await client.release_leases([made.id])
        assert (await client.defer_trace(made.id, seconds=60)).deferred_until
        assert (await client.resume_trace(made.id)).deferred_until is None
        assert (await client.review_in_bulk(result="pass", query="letter", dry_run=True)).traces == 1
        assert (await client.get_judge()).state == "off"
        assert (await client.try_judge(trace_id=made.id)).verdict
        erasure = await client.erase_traces(trace_id=made.id)
        assert (await client.get_erasure(erasure.id)).id == erasure.id
        assert (await client.erase_memory(first)).status == "erased"

    asyncio.run(main())
