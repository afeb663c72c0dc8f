"""A review that is sent again says that it is the same one."""

from __future__ import annotations

from typing import Any

import pytest
from flows import Script, answer, refused

from reflect_sdk._wire import traces
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.project_api import ProjectApi

TRACE = {"id": "t", "review_status": "pending"}


def reviewed(api: ProjectApi) -> Flow[Any]:
    return traces.review(api, "t", {"result": "pass"})


def reviewed_several(api: ProjectApi) -> Flow[Any]:
    return traces.review_several(api, [{"trace_id": "t", "result": "pass"}])


def withdrawn(api: ProjectApi) -> Flow[Any]:
    return traces.withdraw_review(api, "t")


@pytest.mark.parametrize("call", [reviewed, reviewed_several, withdrawn])
def test_a_repeat_has_the_key_of_the_first_and_another_call_its_own(call: Any) -> None:
    body = {**TRACE, "results": [{"trace_id": "t"}]}
    script = Script([refused(503), answer(body=body), answer(body=body)])
    script.answers = iter(script.answers)
    api = ProjectApi("p", script.policy())

    script.drive(call(api))
    script.drive(call(api))

    first, repeat, other = [request.headers["Idempotency-Key"] for request in script.asked]
    assert first == repeat != other
