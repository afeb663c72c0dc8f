"""When a call is repeated, and as what it fails."""

from __future__ import annotations

import pytest
from flows import Script, answer, refused

from reflect_sdk import errors
from reflect_sdk._wire.exchange import exchange
from reflect_sdk._wire.http import Request, Unreachable

GET = Request("GET", "/x")
ONCE = Request("POST", "/x", repeatable=False)
BROKEN = Unreachable("reset", sent=True, timed_out=False)
NOT_SENT = Unreachable("refused", sent=False, timed_out=False)


def call(script: Script, request: Request = GET, **policy: float) -> object:
    return script.drive(exchange(script.policy(**policy), request, "call"))  # type: ignore[arg-type]


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_passing_trouble_is_tried_again(status: int) -> None:
    script = Script([refused(status), answer(body=1)])
    call(script)
    assert len(script.asked) == 2 and len(script.pauses) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 413, 422])
def test_a_refusal_is_not_tried_again(status: int) -> None:
    script = Script([refused(status)])
    with pytest.raises(errors.APIStatusError) as caught:
        call(script)
    assert caught.value.status_code == status and caught.value.code == "unavailable"
    assert script.pauses == []


def test_two_repeats_and_no_more() -> None:
    script = Script([refused(503)] * 3)
    with pytest.raises(errors.InternalServerError):
        call(script)
    assert len(script.asked) == 3


def test_what_may_have_arrived_is_not_sent_twice_unless_it_is_repeatable() -> None:
    with pytest.raises(errors.APIConnectionError):
        call(Script([BROKEN]), ONCE)
    with pytest.raises(errors.InternalServerError):
        call(Script([refused(503)]), ONCE)
    call(Script([NOT_SENT, answer()]), ONCE)
    call(Script([BROKEN, answer()]), GET)


def test_the_servers_own_wish_is_honoured() -> None:
    script = Script([refused(503, retry_after="7"), answer()])
    call(script)
    assert script.pauses == [7.0]
    script = Script([refused(429, retry_after_ms="20"), answer()])
    call(script)
    assert script.pauses == [0.02]


def test_a_call_never_takes_longer_than_the_caller_said() -> None:
    script = Script([refused(503, retry_after="7")] * 3)
    with pytest.raises(errors.InternalServerError):
        call(script, timeout=5.0)
    assert script.pauses == [] and len(script.asked) == 1
    script = Script([BROKEN] * 3, takes=4.0)
    with pytest.raises(errors.APIConnectionError):
        call(script, timeout=10.0)
    assert script.clock.now <= 10.01
    assert script.asked[0].timeout == 10.0
    assert all(later.timeout < 7.0 for later in script.asked[1:])  # type: ignore[operator]


def test_waits_double_up_to_a_bound() -> None:
    script = Script([BROKEN] * 12 + [answer()])
    call(script, timeout=1000.0, max_retries=12)
    bounds = [min(8.0, 0.5 * 2**n) for n in range(12)]
    assert all(0 <= pause <= bound for pause, bound in zip(script.pauses, bounds, strict=True))


def test_errors_name_what_was_called_and_what_to_do() -> None:
    with pytest.raises(errors.AuthenticationError) as caught:
        call(Script([refused(401, "unauthorized", x_request_id="abc")]))
    text = str(caught.value)
    assert text.startswith("call: 401 words [unauthorized].")
    assert "REFLECT_API_KEY" in text and "abc" in text and caught.value.request_id == "abc"


def test_a_timeout_is_a_timeout_error_too() -> None:
    slow = Unreachable("read", sent=True, timed_out=True)
    with pytest.raises(TimeoutError) as caught:
        call(Script([slow] * 3))
    assert isinstance(caught.value, errors.APIConnectionError)


def test_a_redirect_and_a_page_of_somebody_else_are_explained() -> None:
    with pytest.raises(errors.APIStatusError, match="redirects to https://there"):
        call(Script([answer(308, location="https://there")]))
    with pytest.raises(errors.NotFoundError, match="base_url") as caught:
        call(Script([answer(404, "<html>")]))
    assert caught.value.code is None
