"""Nothing of the user's text gets past the mask."""

from __future__ import annotations

import json
from typing import Any

from reflect_sdk._wire import bodies
from reflect_sdk._wire.mask import masked_review, masked_trace

SECRET = "sesame"


def hide(text: str) -> str:
    return text.replace(SECRET, "***")


def test_every_text_of_a_trace_is_masked() -> None:
    message: dict[str, Any] = {
        "role": "tool",
        "content": [{"type": "text", "text": f"a {SECRET}"}],
        "result": SECRET,
        "tool_calls": [{"function": {"arguments": f'{{"p": "{SECRET}"}}'}}],
    }
    body = bodies.trace(
        trace_id="t",
        task=f"open {SECRET}",
        trajectory=[message],
        final_response=SECRET,
        metadata={"note": {"deep": [SECRET]}},
        reference_context=SECRET,
        review=bodies.review("fail", f"said {SECRET}", None, {"guidance": SECRET}),
    )
    safe = masked_trace(hide, body)
    assert SECRET not in json.dumps(safe)
    assert safe["review"]["result"] == "fail" and safe["trajectory"][0]["role"] == "tool"
    assert SECRET not in json.dumps(masked_trace(hide, bodies.trace(trace_id="t", task="x", trajectory=SECRET)))


def test_a_mask_that_hides_everything_leaves_what_the_server_needs() -> None:
    body = bodies.trace(
        trace_id="t",
        task="x",
        trajectory=[{"role": "user", "content": "y"}],
        retrieved_memory_ids=["m"],
        model="gpt",
        review=bodies.review("success", "z", 0.1),
        retrieval_id="r",
    )
    safe = masked_trace(lambda _: "#", body)
    assert safe["trace_id"] == "t" and safe["retrieved_memory_ids"] == ["m"] and safe["retrieval_id"] == "r"
    assert safe["review"] == {"result": "pass", "feedback_text": "#", "alpha": 0.1}
    assert safe["trajectory"] == [{"role": "user", "content": "#"}]


def test_a_marked_step_is_masked_and_keeps_its_receipt() -> None:
    step = {"task": f"at {SECRET}", "action": SECRET, "retrieval_id": "r"}
    body = bodies.trace(trace_id="t", task="x", trajectory=[{"role": "assistant", "reflect_step": step}])
    safe = masked_trace(lambda _: "#", body)
    assert safe["trajectory"][0]["reflect_step"] == {"task": "#", "action": "#", "retrieval_id": "r"}


def test_without_a_mask_nothing_is_copied() -> None:
    body = {"trajectory": []}
    assert masked_trace(None, body) is body and masked_review(None, body) is body
