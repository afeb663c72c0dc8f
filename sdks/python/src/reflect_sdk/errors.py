"""What can go wrong, as types.

Every error of the package is a `ReflectError`. Where the documented interface promises a built-in
exception, the error is that one too: `IngestFailedError` is a `RuntimeError`, `WaitTimeoutError` a
`TimeoutError`.

    try:
        client.create_trace_and_wait(task=task, trajectory=messages, review_result="pass")
    except reflect_sdk.RateLimitError as error:
        print("try again in", error.retry_after)
    except RuntimeError as error:
        print("nothing was learned:", error)
"""

from __future__ import annotations

from typing import Any


class ReflectError(Exception):
    """The base of all errors of this package.

    `hint` says what to do about it. `request_id` finds the request in the server's log; both may be None.
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
    """The client was set up in a way that cannot work, such as without a key."""


class InvalidReviewResultError(ReflectError, ValueError):
    """A review's result is none of pass, fail, success, failure."""


class MaskError(ReflectError):
    """The client's mask raised an exception, so nothing was sent; that exception is the cause."""


class APIConnectionError(ReflectError):
    """The server could not be reached, or the connection broke."""


class APITimeoutError(APIConnectionError, TimeoutError):
    """The server did not answer in time."""


class APIStatusError(ReflectError):
    """The server answered with an error.

    `status_code` is that of HTTP, `code` the server's own word for it, `body` what it sent.
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


class BadRequestError(APIStatusError):
    """400, 413, 415: the request could not be read."""


class AuthenticationError(APIStatusError):
    """401: no key, or one that is unknown, revoked or expired."""


class PermissionDeniedError(APIStatusError):
    """403: the key lacks a scope."""


class NotFoundError(APIStatusError):
    """404: no such thing in this project, or no such project for this key."""


class ConflictError(APIStatusError):
    """409: another review, another trace under the same id, or not ready yet."""


class UnprocessableError(APIStatusError):
    """422: well-formed, and not acceptable; the message names the field."""


class RateLimitError(APIStatusError):
    """429: too many requests; `retry_after` says when to come back."""


class InternalServerError(APIStatusError):
    """500 and above: the server, its database or its provider is in trouble."""


class IngestFailedError(ReflectError, RuntimeError):
    """The review of a trace could not be learned from; the message is the server's reason."""


class WaitTimeoutError(ReflectError, TimeoutError):
    """The trace was not processed before `wait_timeout` was over. It goes on being processed."""


class TruncatedResultWarning(UserWarning):
    """A list was cut at `max_items`; there is more on the server."""
