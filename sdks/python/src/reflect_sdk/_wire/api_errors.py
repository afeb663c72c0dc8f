"""Maps HTTP and network errors to typed exceptions with hints."""

from __future__ import annotations

from typing import Any

from reflect_sdk import errors
from reflect_sdk._body_kind import body_kind, proxy_hint
from reflect_sdk._type_guards import is_object
from reflect_sdk._wire.decode import json_of, text_of
from reflect_sdk._wire.http import Answer, Unreachable
from reflect_sdk._wire.retry import retry_after
from reflect_sdk.models._base import InvalidData

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
    403: "Use a key with that scope; `create_api_key` creates one.",
}


_PROXY_LIMIT = "A proxy limits the size of requests: raise its limit, in nginx client_max_body_size."
_MAX_MESSAGE = 2000


def status_error(answer: Answer, what: str, base_url: str) -> errors.APIStatusError:
    """The exception for a response with an error status."""
    body, code, message = _error_of(answer)
    kind = _BY_STATUS.get(answer.status)
    if kind is None:
        kind = errors.InternalServerError if answer.status >= 500 else errors.APIStatusError
    hint = _HINTS.get(answer.status)
    if message is None:
        is_text = isinstance(body, str)
        what_it_is = body_kind(answer.body, answer.headers.get("content-type", "")) if is_text else "other JSON"
        message = f"the response is {what_it_is}, not an error of a Reflect server"
        hint = _PROXY_LIMIT if answer.status == 413 else proxy_hint(base_url)
    if 300 <= answer.status < 400:
        target = answer.headers.get("location", "elsewhere")[:200]
        message = f"the server redirects to {target}"
        hint = "Set base_url to the final address. A redirect to a sign-in page comes from a proxy."
    return kind(
        f"{what}: {answer.status} {message}" + (f" [{code}]." if code else "."),
        status_code=answer.status,
        code=code,
        body=body,
        retry_after=retry_after(answer),
        hint=hint,
        request_id=answer.headers.get("x-request-id"),
    )


def connection_error(problem: Unreachable, what: str, base_url: str) -> errors.APIConnectionError:
    """The exception for a request without a response."""
    if problem.timed_out:
        return errors.APITimeoutError(
            f"{what}: no response from {base_url} in time ({problem}).",
            hint="Check whether the server is overloaded, or increase `timeout`.",
        )
    hint = "Check that the server is running and that base_url is correct."
    if "certificate" in str(problem).lower():
        hint = "The client uses the system's certificates; set SSL_CERT_FILE to use another file."
    return errors.APIConnectionError(f"{what}: cannot reach {base_url} ({problem}).", hint=hint)


def _error_of(answer: Answer) -> tuple[Any, str | None, str | None]:
    """The body, and the server's error code and message if present."""
    try:
        body = json_of(answer)
    except InvalidData:
        return text_of(answer), None, None
    detail: Any = body.get("error") if is_object(body) else None
    if not is_object(detail) or "code" not in detail or "message" not in detail:
        return text_of(answer) if isinstance(body, str) else body, None, None
    return body, str(detail["code"])[:_MAX_MESSAGE], str(detail["message"])[:_MAX_MESSAGE]
