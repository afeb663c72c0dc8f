"""Errors of the server and of the network, as typed errors with what to do about them."""

from __future__ import annotations

from typing import Any

from reflect_sdk import errors
from reflect_sdk._wire.http import Answer, Unreachable
from reflect_sdk._wire.retry import retry_after

_BY_STATUS: dict[int, type[errors.APIStatusError]] = {
    400: errors.BadRequestError,
    401: errors.AuthenticationError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    409: errors.ConflictError,
    413: errors.BadRequestError,
    415: errors.BadRequestError,
    422: errors.UnprocessableError,
    429: errors.RateLimitError,
}

_HINTS: dict[int, str] = {
    401: "Check REFLECT_API_KEY, or the api_key of the client.",
    403: "Use a key with that scope; `create_api_key` makes one.",
}


def refusal(answer: Answer, what: str) -> errors.APIStatusError:
    """The error of an answer of 400 and above, or of one that nobody can read."""
    body, code, message = _read(answer)
    kind = _BY_STATUS.get(answer.status)
    if kind is None:
        kind = errors.InternalServerError if answer.status >= 500 else errors.APIStatusError
    if message is None:
        message = "the answer is not one of a Reflect server"
    hint = _HINTS.get(answer.status)
    if 300 <= answer.status < 400:
        target = answer.headers.get("location", "elsewhere")
        message, hint = f"the server redirects to {target}", "Put the final address into base_url."
    elif code is None and answer.status == 404:
        hint = "Is base_url the address of the server, with its path prefix if it has one?"
    return kind(
        f"{what}: {answer.status} {message}" + (f" [{code}]." if code else "."),
        status_code=answer.status,
        code=code,
        body=body,
        retry_after=retry_after(answer),
        hint=hint,
        request_id=answer.headers.get("x-request-id"),
    )


def no_connection(problem: Unreachable, what: str, base_url: str) -> errors.APIConnectionError:
    """The error of a request that got no answer."""
    if problem.timed_out:
        return errors.APITimeoutError(
            f"{what}: no answer from {base_url} in time ({problem}).",
            hint="Is the server overloaded, or `timeout` too short?",
        )
    hint = "Is the server running, and is base_url right?"
    if "certificate" in str(problem).lower():
        hint = "Certificates come from the operating system; SSL_CERT_FILE names another file of them."
    return errors.APIConnectionError(f"{what}: cannot reach {base_url} ({problem}).", hint=hint)


def _read(answer: Answer) -> tuple[Any, str | None, str | None]:
    """The body, and the server's code and message if it has them."""
    try:
        body = answer.json()
        detail = body["error"]
        return body, str(detail["code"]), str(detail["message"])
    except (ValueError, KeyError, TypeError):
        return answer.body.decode("utf-8", "replace")[:2000], None, None
