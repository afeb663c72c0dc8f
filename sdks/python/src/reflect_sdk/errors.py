"""The exceptions of this package.

Every error of the package is a `ReflectError`. Some errors are also built-in exceptions, because the documented
interface promises them: `IngestFailedError` is a `RuntimeError`, `WaitTimeoutError` a `TimeoutError`.

    try:
        client.create_trace_and_wait(task=task, trajectory=messages, review_result="pass")
    except reflect_sdk.RateLimitError as error:
        print("try again in", error.retry_after)
    except RuntimeError as error:
        print("learning failed:", error)
"""

from __future__ import annotations

from typing import Any


class ReflectError(Exception):
    """The base of all errors of this package.

    `hint` says how to fix the problem. `request_id` identifies the request in the server's log. Both may be None.
    """

    def __init__(self, message: str, *, hint: str | None = None, request_id: str | None = None) -> None:
        self.message = message
        self.hint = hint
        self.request_id = request_id
        super().__init__(message)

    def __str__(self) -> str:
        parts = [self.message]
        if self.hint:
            parts.append(self.hint)
        if self.request_id:
            parts.append(f"(request id {self.request_id})")
        return " ".join(parts)


class ConfigurationError(ReflectError, ValueError):
    """The client's configuration is invalid, for example the API key is missing."""


class InvalidArgumentError(ReflectError, ValueError):
    """An argument is invalid, for example an empty task. Nothing was sent."""


class UnknownFieldError(InvalidArgumentError, TypeError):
    """An argument or a field of a review has an unknown name; the message has the correct one. Nothing was sent."""


class InvalidReviewResultError(InvalidArgumentError):
    """The result of a review is not one of pass, fail, success, failure."""


class RunEndedError(ReflectError, RuntimeError):
    """The run was changed or reviewed through its context after its block had ended. Use `review_trace` then."""


class MaskError(ReflectError):
    """The client's mask raised an exception, so nothing was sent. `__cause__` is that exception."""


class APIConnectionError(ReflectError):
    """The server could not be reached, or the connection broke."""


class APITimeoutError(APIConnectionError, TimeoutError):
    """The server did not answer in time."""


class APIStatusError(ReflectError):
    """The server answered with an error.

    `status_code` is the HTTP status, `code` the server's error code, `body` the response body.
    """

    def __init__(
        self,
        message: str,
        *,
        status_code: int,
        code: str | None = None,
        body: Any = None,
        retry_after: float | None = None,
        hint: str | None = None,
        request_id: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint, request_id=request_id)
        self.status_code = status_code
        self.code = code
        self.body = body
        self.retry_after = retry_after


class InvalidResponseError(ReflectError):
    """The response is not what a Reflect server sends, for example the HTML of a sign-in page.

    `status_code` is the HTTP status, `body` the beginning of the response.
    """

    def __init__(
        self, message: str, *, status_code: int, body: str, hint: str | None = None, request_id: str | None = None
    ) -> None:
        super().__init__(message, hint=hint, request_id=request_id)
        self.status_code = status_code
        self.body = body


class BadRequestError(APIStatusError):
    """400, 413, 415: the request could not be read."""


class AuthenticationError(APIStatusError):
    """401: no key, or one that is unknown, revoked or expired."""


class PermissionDeniedError(APIStatusError):
    """403: the key lacks a scope."""


class NotFoundError(APIStatusError):
    """404: the object does not exist in this project, or the key has no access to the project."""


class ConflictError(APIStatusError):
    """409: a review exists already, another trace has the same id, or the trace is not ready yet."""


class UnprocessableError(APIStatusError):
    """422: the request is well-formed but a value is invalid; the message names the field."""


class RateLimitError(APIStatusError):
    """429: too many requests; `retry_after` has the number of seconds to wait."""


class InternalServerError(APIStatusError):
    """500 and above: the server, its database or its provider has failed."""


class IngestFailedError(ReflectError, RuntimeError):
    """Learning from the review of a trace failed; the message is the server's reason."""


class WaitTimeoutError(ReflectError, TimeoutError):
    """The trace was not processed within `wait_timeout`. The server continues processing it."""


class TruncatedResultWarning(UserWarning):
    """A list was truncated at `max_items`; the server has more entries."""
