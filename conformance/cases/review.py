"""Review and learning, items 38 to 45: verdicts, utilities, and what comes of them."""

from __future__ import annotations

import time

from cases.newer import newer_client
from cases.registry import case
from cases.runs import SLACK, expect_utility, messages, recall, remember
from cases.setting import Setting
from cases.wire import REFUSALS, recorded, status_of

TASK = "Cancel the subscription of a customer"
OTHER_TASK = "Print the shipping labels for Monday"


@case(38, "review_trace answers within 60 s with the review and the memory, mode deferred")
def late_review(here: Setting) -> None:
    client = here.client()
    made = client.create_trace(task=TASK, trajectory=messages(TASK)).id
    began = time.monotonic()
    trace = client.review_trace(made, result="pass")

    assert time.monotonic() - began < 60.0
    assert trace.id == made
    assert trace.review_status == "reviewed", f"review_status is {trace.review_status!r}"
    assert trace.created_memory_id, "created_memory_id is not set"
    assert trace.review is not None, "review is null"
    assert trace.review.result == "pass", f"the result is {trace.review.result!r}"
    assert trace.review.mode == "deferred", f"the mode is {trace.review.mode!r}"


@case(39, "A null feedback is accepted; a text is stored and returned")
def feedback(here: Setting) -> None:
    client = here.client()
    for text in (None, "It cancelled the wrong account: check the number first."):
        made = client.create_trace(task=TASK, trajectory=messages(TASK)).id
        answered = client.review_trace(made, result="fail", feedback_text=text).review
        stored = client.get_trace(made).review
        for review in (answered, stored):
            assert review is not None, "review is null"
            assert review.result == "fail"
            assert review.feedback_text == text, f"feedback is {review.feedback_text!r}"


@case(40, "A new memory has q_value 0.5, and success equal to the result")
def new_memory(here: Setting) -> None:
    client = here.client()
    for task, result in ((TASK, "pass"), (OTHER_TASK, "fail")):
        memory = recall(client, task, remember(here, client, task, result))
        assert abs(memory.q_value - 0.5) < SLACK, f"q_value is {memory.q_value}"
        assert memory.success is (result == "pass"), f"{result} gave success {memory.success!r}"


@case(41, "A pass lifts a listed memory from 0.50 to 0.65, a fail lowers it to 0.35")
def credit(here: Setting) -> None:
    client = here.client()
    lifted, lowered = remember(here, client, TASK), remember(here, client, OTHER_TASK, "fail")
    remember(here, client, "Cancel an order", "pass", used=[lifted])
    remember(here, client, "Print the invoices", "fail", used=[lowered])

    expect_utility(client, TASK, lifted, 0.65)
    expect_utility(client, OTHER_TASK, lowered, 0.35)


@case(42, "Memories that are not listed do not change, nor does an unreviewed trace change any")
def no_credit(here: Setting) -> None:
    client = here.client()
    listed, unlisted = remember(here, client, TASK), remember(here, client, OTHER_TASK)
    remember(here, client, "Cancel an order", "pass", used=[listed])
    client.create_trace_and_wait(
        task="Print the invoices",
        trajectory=messages("Print the invoices"),
        retrieved_memory_ids=[unlisted, listed],
    )

    expect_utility(client, OTHER_TASK, unlisted, 0.5)
    expect_utility(client, TASK, listed, 0.65)


@case(43, "A second review of the same trace does not apply credit twice")
def second_review(here: Setting) -> None:
    client = here.client()
    memory = remember(here, client, TASK)
    made = client.create_trace(
        task="Cancel an order", trajectory=messages("Cancel an order"), retrieved_memory_ids=[memory]
    ).id
    client.review_trace(made, result="pass")
    try:
        again = client.review_trace(made, result="pass")
    except REFUSALS as error:
        assert status_of(error) == 409, f"refused with {status_of(error)}"
    else:
        assert again.review is not None and again.review.result == "pass"

    expect_utility(client, TASK, memory, 0.65)


@case(44, "A task similar to a reviewed one retrieves its memory")
def smoke(here: Setting) -> None:
    client = here.client()
    seeded = "Parse the CSV export and return the top five rows"
    memory = remember(here, client, seeded)

    with recorded() as seen:
        found = client.augment_with_memories("Return the top five rows of a CSV export", limit=5)
    degraded = seen[0].headers.get("x-reflect-degraded")
    assert degraded is None, f"it was found by keywords and not by its vector: {degraded}"
    lessons = [one.reflection for one in found.memories if one.id == memory]
    assert lessons, f"returned {found.memories!r}"
    assert found.augmented_task.startswith("Return the top five rows of a CSV export")
    # Published clients write the id of a memory, our server writes its lesson.
    text = found.augmented_task
    assert memory in text or lessons[0] in text, f"the text is {text!r}"

    # A run without memory ids still counts: the server knows what it returned for the task. The run can share
    # the lesson of the memory, and a query returns one memory of each: the best one for its task.
    remember(here, client, "Return the top five rows of a CSV export", "pass")
    expect_utility(client, seeded, memory, 0.65)


@case(45, "get_skill is None while there is none, and a text after one was created")
def skill(here: Setting) -> None:
    client = here.client()
    assert client.get_skill() is None
    for number in range(6):
        remember(here, client, f"{TASK} {number}", "pass" if number % 2 else "fail")
    newer_client(here).create_skill().raise_for_status()

    content = client.get_skill()
    assert isinstance(content, str) and content.strip(), f"the skill is {content!r}"
