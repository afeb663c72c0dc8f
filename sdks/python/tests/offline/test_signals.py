"""Signals are checked before they are sent, and a signal that is sent again says that it is the same one."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from flows import Script, answer, refused

from reflect_sdk import (
    AcceptedSignal,
    AsyncReflectClient,
    FeedbackToken,
    InvalidArgumentError,
    InvalidReviewResultError,
    ReflectClient,
    Signal,
    SignalSource,
    TraceContext,
    TraceResult,
    UnknownFieldError,
    reflect_trace,
)
from reflect_sdk._wire import bodies, signals
from reflect_sdk._wire.encode import encode
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.mask import masked_signal, masked_trace
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk._wire.recall import without_memories
from reflect_sdk.tracing.ending import trace_of

MESSAGES = [{"role": "assistant", "content": "done"}]
BY_COMMIT: dict[str, Any] = {"source": "ci", "key": ("commit", "4f2a9c1"), "outcome": "pass"}


@pytest.fixture
def client(tmp_path: Path) -> ReflectClient:
    """A client of a server that does not exist: a request would raise another error."""
    return ReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=tmp_path, max_retries=0)


@pytest.fixture
def run() -> TraceContext:
    return TraceContext(without_memories("t", "a test"))


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"outcome": "pass"}, "exactly one of trace_id and key"),
        ({"trace_id": "t", "key": ("commit", "a"), "outcome": "pass"}, "exactly one of trace_id and key"),
        ({"trace_id": "t"}, "exactly one of outcome and score"),
        ({"trace_id": "t", "outcome": "pass", "score": 1.0}, "exactly one of outcome and score"),
        ({"key": "4f2a9c1", "outcome": "pass"}, r"a key is a name and a value, such as \('commit', '4f2a9c1'\)"),
        ({"key": ("commit", "a", "b"), "outcome": "pass"}, "a key is a name and a value"),
        ({"key": {"commit": "a"}, "outcome": "pass"}, "a key is a name and a value"),
    ],
)
def test_a_signal_names_one_run_or_key_and_one_result(
    client: ReflectClient, given: dict[str, Any], problem: str
) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^send_signal: .*{problem}"):
        client.send_signal("ci", **given)
    with pytest.raises(InvalidArgumentError, match=f"^send_signals: .*{problem}"):
        client.send_signals([BY_COMMIT, {"source": "ci", **given}])
    with pytest.raises(InvalidArgumentError, match=f"^send_signal_async: .*{problem}"):
        asyncio.run(client.send_signal_async("ci", **given))
    alone = AsyncReflectClient(base_url="http://127.0.0.1:9", api_key="k")
    with pytest.raises(InvalidArgumentError, match=f"^send_signals: .*{problem}"):
        asyncio.run(alone.send_signals([{"source": "ci", **given}]))


def test_a_misspelled_field_names_the_right_one(client: ReflectClient) -> None:
    with pytest.raises(UnknownFieldError, match=r"send_signal has no argument 'coment'. Did you mean 'comment'"):
        client.send_signal("ci", trace_id="t", outcome="fail", coment="no")  # type: ignore[call-arg]
    with pytest.raises(UnknownFieldError, match=r"A signal has no field 'result'"):
        client.send_signals([{"source": "ci", "trace_id": "t", "result": "fail"}])
    with pytest.raises(InvalidReviewResultError):
        client.send_signal("ci", trace_id="t", outcome="red")
    with pytest.raises(InvalidArgumentError, match=r"^send_signal: source is empty"):
        client.send_signal(" ", trace_id="t", outcome="fail")
    with pytest.raises(InvalidArgumentError, match=r"^send_signals: a signal needs a source"):
        client.send_signals([{"trace_id": "t", "outcome": "fail"}])
    with pytest.raises(InvalidArgumentError, match=r"^send_signals: a signal is a dict, not str"):
        client.send_signals(["ci"])  # type: ignore[list-item]


def test_calls_about_one_run_need_its_id(client: ReflectClient, run: TraceContext) -> None:
    # The id of a run is missing inside of its block.
    with pytest.raises(InvalidArgumentError, match=r"^list_signals: the trace id is missing"):
        client.list_signals(run.trace_id)
    with pytest.raises(InvalidArgumentError, match=r"^create_feedback_token: the trace id is missing"):
        client.create_feedback_token(run.trace_id)


def test_all_fields_are_sent_with_the_names_of_the_server() -> None:
    east = timezone(timedelta(hours=2))
    body = bodies.signal(
        "send_signal",
        {
            **BY_COMMIT,
            "outcome": "Failure",
            "occurred_at": datetime(2026, 11, 19, 12, tzinfo=east),
            "idempotency_key": "build 7",
            "comment": "2 tests failed",
            "url": "https://ci.example/7",
            "metadata": {"job": 7},
            "trace_id": None,
        },
    )
    assert body == {
        "source": "ci",
        "key": {"name": "commit", "value": "4f2a9c1"},
        "outcome": "fail",
        "occurred_at": body["occurred_at"],
        "idempotency_key": "build 7",
        "comment": "2 tests failed",
        "url": "https://ci.example/7",
        "metadata": {"job": 7},
    }
    moment = datetime.fromisoformat(body["occurred_at"])
    assert moment == datetime(2026, 11, 19, 10, tzinfo=timezone.utc) and moment.tzinfo is not None
    naive = bodies.signal("send_signal", {**BY_COMMIT, "occurred_at": datetime(2026, 11, 19, 12)})
    assert datetime.fromisoformat(naive["occurred_at"]).tzinfo is not None
    as_text = bodies.signal("send_signal", {**BY_COMMIT, "occurred_at": "2026-11-19T12:00:00Z"})
    assert as_text["occurred_at"] == "2026-11-19T12:00:00Z"
    as_mapping = bodies.signal("send_signal", {**BY_COMMIT, "key": {"name": "pull_request", "value": 118}})
    assert as_mapping["key"] == {"name": "pull_request", "value": "118"}
    assert bodies.signal("send_signal", {"source": "evaluation", "trace_id": "t", "score": 0})["score"] == 0


def test_the_mask_hides_the_words_and_keeps_what_finds_the_run() -> None:
    body = bodies.signal(
        "send_signal", {**BY_COMMIT, "comment": "by ada", "url": "https://ci.example", "metadata": {"who": ["ada"]}}
    )
    safe = masked_signal(lambda _: "#", body)
    assert safe == {**body, "comment": "#", "metadata": {"who": ["#"]}} and masked_signal(None, body) is body
    trace = bodies.trace(trace_id="t", task="ada", trajectory=MESSAGES, keys={"session": "ada"})
    assert masked_trace(lambda _: "#", trace)["keys"] == {"session": "ada"}


def test_a_run_declares_keys_in_every_way_to_end_it(client: ReflectClient, run: TraceContext) -> None:
    run.set_output(trajectory=MESSAGES, keys={"commit": "4f2a9c1"})
    body = trace_of(run, None, auto_fail=True)
    assert body is not None and body["keys"] == {"commit": "4f2a9c1"}
    # A later call replaces the output, as for all other values.
    run.set_output(trajectory=MESSAGES)
    body = trace_of(run, None, auto_fail=True)
    assert body is not None and "keys" not in body

    seen: list[TraceContext] = []

    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> Any:
        seen.append(ctx)
        return TraceResult(output="ok", trajectory=MESSAGES, keys={"session": "s-1"})

    assert answer("q") == "ok"
    body = trace_of(seen[0], None, auto_fail=True)
    assert body is not None and body["keys"] == {"session": "s-1"}
    assert "keys" not in bodies.trace(trace_id="t", task="t", trajectory=MESSAGES, keys={})


def sent_alone(api: ProjectApi) -> Flow[Any]:
    return signals.send(api, {"source": "ci"})


def sent_together(api: ProjectApi) -> Flow[Any]:
    return signals.send_several(api, [{"source": "ci"}])


@pytest.mark.parametrize("call", [sent_alone, sent_together])
def test_a_repeat_has_the_key_of_the_first_and_another_call_its_own(call: Any) -> None:
    body = {"id": "s", "status": "waiting", "trace_ids": [], "results": [{"id": "s"}]}
    script = Script([])
    script.answers = iter([refused(503), answer(202, body), answer(202, body)])
    api = ProjectApi("p", script.policy())

    script.drive(call(api))
    script.drive(call(api))

    first, repeat, other = [request.headers["Idempotency-Key"] for request in script.asked]
    assert first == repeat != other


def test_many_signals_are_sent_in_parts_and_each_has_its_result() -> None:
    accepted = {"id": "s", "status": "matched", "trace_ids": ["t"]}
    refusal = {"error": {"code": "invalid_request", "message": "url is too long", "request_id": "r"}}
    script = Script([answer(body={"results": [accepted] * 100}), answer(body={"results": [accepted, refusal]})])
    api = ProjectApi("p", script.policy(), mask=lambda text: text.replace("ada", "#"))

    given = [{"source": "ci", "trace_id": "t", "outcome": "fail", "comment": "ada"} for _ in range(102)]
    results = script.drive(signals.send_several(api, given))

    assert [request.path for request in script.asked] == ["/v1/projects/p/signals/batch"] * 2
    assert len({request.headers["Idempotency-Key"] for request in script.asked}) == 2
    whole, rest = encode({"signals": [{**given[0], "comment": "#"}] * 100}), script.asked[1].body
    assert script.asked[0].body == whole and rest is not None and rest.count(b'"source"') == 2
    assert len(results) == 102 and results[0] == AcceptedSignal("s", "matched", ["t"])
    assert results[101].error is not None and results[101].error["code"] == "invalid_request"
    assert script.drive(signals.send_several(api, [])) == []


def test_the_paths_of_the_other_calls() -> None:
    rule = {"counts": True, "precedence": 20}
    script = Script([])
    script.answers = iter(
        [
            answer(body={"signals": [{"id": "s", "source": "ci", "meaning": "waits"}], "withheld": 1}),
            answer(body={"settings": {}, "sources": [{"source": "ci", "rule": rule, "interval": [0.6, 0.9]}]}),
            answer(201, {"token": "rff_1", "trace_id": "t", "expires_at": "2026-11-26T00:00:00Z"}),
            answer(201, {"token": "rff_2", "trace_id": "t", "expires_at": "2026-11-20T00:00:00Z"}),
        ]
    )
    api = ProjectApi("p", script.policy())

    (signal,) = script.drive(signals.of_trace(api, "t"))
    (source,) = script.drive(signals.sources(api))
    token = script.drive(signals.feedback_token(api, "t", None))
    script.drive(signals.feedback_token(api, "t", 60))

    assert signal == Signal("s", "ci", "waits") and not signal.by_feedback_token
    assert source == SignalSource("ci", rule, interval=[0.6, 0.9])
    assert token == FeedbackToken("rff_1", "t", "2026-11-26T00:00:00Z") and "rff_1" not in repr(token)
    assert [(request.method, request.path, request.body) for request in script.asked] == [
        ("GET", "/v1/projects/p/traces/t/signals", None),
        ("GET", "/v1/projects/p/signals/sources", None),
        ("POST", "/v1/projects/p/traces/t/feedback-token", b"{}"),
        ("POST", "/v1/projects/p/traces/t/feedback-token", encode({"expires_in_seconds": 60})),
    ]
