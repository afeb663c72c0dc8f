"""Query, items 16 to 22: what retrieval returns and how it is ordered."""

from __future__ import annotations

from reflect_sdk import ReflectClient

from cases.http_library import httpx
from cases.registry import case
from cases.runs import SLACK, messages, remember
from cases.setting import Setting
from cases.wire import OWN_CLIENT, is_number, recorded, sent

CSV_TASK = "Parse the orders CSV file and return the five largest rows"
OTHER_CSV_TASK = "Parse the customers CSV file and return the five newest rows"


def classic(here: Setting) -> ReflectClient:
    """The case's project, set to the ranking whose scores the list describes."""
    client = here.client()
    httpx.patch(
        f"{here.base_url}/v1/projects/{here.project}",
        headers={"Authorization": f"Bearer {here.master_key}"},
        json={"ranking": "classic"},
    ).raise_for_status()
    return client


def two_memories(here: Setting, client: ReflectClient) -> tuple[str, str]:
    """One memory close to the task with a low utility, one less close with a high utility."""
    close = remember(here, client, CSV_TASK)
    useful = remember(here, client, OTHER_CSV_TASK)
    remember(here, client, "Translate a poem about the sea", "fail", used=[close])
    remember(here, client, "Book a table for two", "pass", used=[useful])
    return close, useful


@case(16, "A query with only task, limit and lambda answers 200 and a bare array")
def smallest_query(here: Setting) -> None:
    with recorded() as seen:
        here.client().query_memories(CSV_TASK)

    # Our client leaves the weight to the server.
    weight = {} if OWN_CLIENT else {"lambda": 0.5}
    assert sent(seen[0]) == {"task": CSV_TASK, "limit": 10, **weight}
    assert seen[0].status_code == 200, f"answered {seen[0].status_code}"
    assert isinstance(seen[0].json(), list), f"not an array: {seen[0].text[:200]}"


@case(17, "An empty bank answers [] and leaves the task unchanged")
def empty_bank(here: Setting) -> None:
    with recorded() as seen:
        augmented = here.client().augment_with_memories(CSV_TASK)

    # With our client, the server writes the prompt and returns the memories with it.
    answer = seen[0].json()
    found = answer["memories"] if isinstance(answer, dict) else answer
    assert found == [], f"answered {seen[0].text[:200]}"
    assert augmented.augmented_task == CSV_TASK
    assert augmented.memories == []


@case(18, "Each memory has id, task, a reflection, three numbers, and success as true, false or null")
def memory_fields(here: Setting) -> None:
    client = here.client()
    made = {remember(here, client, CSV_TASK), remember(here, client, OTHER_CSV_TASK, "fail")}
    with recorded() as seen:
        client.query_memories(CSV_TASK)

    memories = seen[0].json()
    assert {memory["id"] for memory in memories} == made, f"returned {memories!r}"
    for memory in memories:
        assert memory["task"] in (CSV_TASK, OTHER_CSV_TASK), f"task is {memory['task']!r}"
        assert isinstance(memory["reflection"], str) and memory["reflection"].strip()
        for name in ("q_value", "similarity", "score"):
            assert is_number(memory[name]), f"{name} is {memory[name]!r}"
        assert memory["success"] in (True, False, None), f"success is {memory['success']!r}"


@case(19, "Never more than limit memories, sorted by score from high to low")
def limit_and_order(here: Setting) -> None:
    client = here.client()
    for month in ("January", "February", "March", "April", "May"):
        remember(here, client, f"Summarise the sales report of {month}")

    for limit, expected in ((1, 1), (3, 3), (5, 5), (10, 5)):
        found = client.query_memories("Summarise the sales report of March", limit=limit)
        assert len(found) == expected, f"limit {limit} returned {len(found)} of 5"
        scores = [memory.score for memory in found]
        assert scores == sorted(scores, reverse=True), f"scores are {scores}"


@case(20, "Lambda 0 orders by similarity, lambda 1 by utility")
def ends_of_lambda(here: Setting) -> None:
    client = classic(here)
    close, useful = two_memories(here, client)

    for lambda_, order in ((0.0, [close, useful]), (1.0, [useful, close])):
        found = client.query_memories(CSV_TASK, lambda_=lambda_)
        ids = [memory.id for memory in found if memory.id in order]
        assert ids == order, f"lambda {lambda_}: {found!r}"
        for memory in found:
            expected = memory.q_value if lambda_ else memory.similarity
            assert abs(memory.score - expected) < SLACK, f"lambda {lambda_}: {memory!r}"


@case(21, "At lambda 0.5 the score is the mean of similarity and q_value")
def middle_of_lambda(here: Setting) -> None:
    client = classic(here)
    made = set(two_memories(here, client))

    found = client.query_memories(CSV_TASK, lambda_=0.5)
    assert made <= {memory.id for memory in found}, f"returned {found!r}"
    for memory in found:
        mean = (memory.similarity + memory.q_value) / 2
        assert abs(memory.score - mean) < SLACK, f"score {memory.score}, mean {mean}"


@case(22, "Memories of other projects never appear")
def other_projects(here: Setting) -> None:
    client, neighbour = here.client(), here.client(here.another_project())
    theirs = remember(here, neighbour, CSV_TASK)
    assert client.query_memories(CSV_TASK, limit=100) == []

    own = remember(here, client, CSV_TASK)
    assert [memory.id for memory in client.query_memories(CSV_TASK, limit=100)] == [own]
    # The id of another project's memory in a trace must not make it visible.
    client.create_trace(task=CSV_TASK, trajectory=messages("t"), retrieved_memory_ids=[theirs])
    assert [memory.id for memory in client.query_memories(CSV_TASK, limit=100)] == [own]
