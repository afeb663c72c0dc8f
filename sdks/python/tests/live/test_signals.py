"""Signals of other systems, and votes with a feedback token, against a real server."""

from __future__ import annotations

import asyncio
import secrets
from typing import Any

import httpx2
import pytest

import reflect_sdk
from reflect_sdk import AsyncReflectClient, ReflectClient

MESSAGES = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "done"}]


@pytest.fixture
def open_signals(settings: dict[str, Any]) -> None:
    """By default, the signals of a fifth of the runs are withheld, to measure their sources."""
    project = f"{settings['base_url']}/v1/projects/{settings['project_id']}"
    headers = {"Authorization": f"Bearer {settings['api_key']}"}
    change = {"signals": {"blind_share": 0}}
    httpx2.patch(project, json=change, headers=headers).raise_for_status()


def commit() -> str:
    return secrets.token_hex(20)


@pytest.mark.usefixtures("open_signals")
def test_a_failed_build_becomes_the_review_of_the_run_with_its_commit(client: ReflectClient) -> None:
    built = commit()
    with client.trace("Round refunds down") as run:
        run.set_output(trajectory=MESSAGES, keys={"commit": built, "session": "s-2291"})
    # The run is sent before the signal is read, but a signal does not wait for it.
    client.flush()

    words = "2 tests failed: rounds_down, names_the_order"
    sent = client.send_signal(
        "ci", key=("commit", built), outcome="failure", comment=words, url="https://ci.example/7", metadata={"job": 7}
    )

    assert (sent.status, sent.trace_ids) == ("matched", [run.trace_id])
    trace = client.wait_for_trace(run.trace_id or "", require_reviewed=True)
    assert trace.keys == {"commit": built, "session": "s-2291"}
    assert trace.review is not None
    assert (trace.review.result, trace.review.feedback_text, trace.review.reviewer) == ("fail", words, "signal:ci")
    (signal,) = client.list_signals(run.trace_id)
    assert (signal.id, signal.source, signal.meaning, signal.result) == (sent.id, "ci", "decides", "fail")
    assert signal.key == {"name": "commit", "value": built} and not signal.by_feedback_token
    assert (signal.url, signal.metadata) == ("https://ci.example/7", {"job": 7})


@pytest.mark.usefixtures("open_signals")
def test_many_signals_are_sent_together_and_a_repeated_one_is_stored_once(client: ReflectClient) -> None:
    run = client.create_trace(task="Post the letter", trajectory=MESSAGES, keys={"ticket": "OPS-1"})
    given: dict[str, Any] = {"source": "ticket", "key": ("ticket", "OPS-1"), "outcome": "pass"}
    once = {**given, "idempotency_key": "OPS-1 closed"}

    first, again, unclear, refused = client.send_signals(
        [
            once,
            once,
            {"source": "evaluation", "trace_id": run.id, "score": 0.5},
            {"source": "evaluation", "trace_id": run.id, "score": 2},
        ]
    )

    assert first.id == again.id and first.trace_ids == [run.id]
    assert unclear.error is None and refused.error is not None and refused.id == ""
    assert refused.error["code"] == "invalid_request"
    listed = {signal.source: signal for signal in client.list_signals(run.id)}
    assert set(listed) == {"ticket", "evaluation"}
    assert listed["ticket"].meaning == "waits" and listed["ticket"].waits_until is not None
    assert (listed["evaluation"].meaning, listed["evaluation"].result) == ("unclear", None)
    with pytest.raises(reflect_sdk.UnprocessableError):
        client.send_signal("ticket", key=("ticket", "OPS-1"), outcome="fail", idempotency_key="OPS-1 closed")


def test_a_signal_waits_for_its_run(client: ReflectClient) -> None:
    sent = client.send_signal("merge", key=("pull_request", commit()), outcome="pass")
    assert (sent.status, sent.trace_ids) == ("waiting", [])
    with pytest.raises(reflect_sdk.NotFoundError):
        client.list_signals("01a1dd7e-3ee9-72ee-8967-c21adbd96373")


def test_the_sources_with_their_rules(client: ReflectClient) -> None:
    client.create_trace(task="Post the letter", trajectory=MESSAGES)
    sources = client.list_signal_sources()
    assert [source.source for source in sources][:3] == ["merge", "ticket", "user"]
    merge = sources[0]
    assert merge.rule["wait_pass_seconds"] == 3 * 24 * 60 * 60 and merge.rule["counts"] is True
    assert merge.agreement["pairs"] == 0 and merge.interval is None and not merge.stopped


@pytest.mark.usefixtures("open_signals")
def test_a_token_lets_a_user_vote_on_one_run(client: ReflectClient) -> None:
    run = client.create_trace(task="Refund order 1182", trajectory=MESSAGES)
    token = client.create_feedback_token(run.id, expires_in_seconds=3600)
    assert token.token.startswith("rff_") and token.trace_id == run.id and token.token not in repr(token)

    url = f"{client.base_url}/v1/feedback"
    for vote in ({"outcome": "pass"}, {"outcome": "fail", "comment": "The amount is wrong."}):
        assert httpx2.post(url, json={"token": token.token, **vote}).status_code == 204

    (signal,) = client.list_signals(run.id)
    assert (signal.source, signal.result, signal.by_feedback_token) == ("user", "fail", True)
    assert signal.comment == "The amount is wrong."
    with pytest.raises(reflect_sdk.APIStatusError):
        client.create_feedback_token(run.id, expires_in_seconds=1)


@pytest.mark.usefixtures("open_signals")
def test_signals_with_await(async_client: AsyncReflectClient) -> None:
    async def main() -> None:
        client = async_client
        built = commit()
        run = await client.create_trace(task="Round refunds down", trajectory=MESSAGES, keys={"commit": built})
        sent = await client.send_signal("tests", key=("commit", built), outcome="pass")
        assert sent.trace_ids == [run.id]
        (other,) = await client.send_signals([{"source": "evaluation", "trace_id": run.id, "score": 1.0}])
        assert other.status == "matched"
        trace = await client.wait_for_trace(run.id, require_reviewed=True)
        assert trace.review is not None and trace.review.result == "pass"
        assert {signal.source for signal in await client.list_signals(run.id)} == {"tests", "evaluation"}
        assert len(await client.list_signal_sources()) >= 6
        assert (await client.create_feedback_token(run.id)).trace_id == run.id

    asyncio.run(main())
