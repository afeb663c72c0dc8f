"""The errors of the client as exceptions for the cases."""

from __future__ import annotations

from typing import Any


class SdkError(Exception):
    """An error of the client."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(f"{problem['kind']}: {problem['message']}")
        self.kind: str = problem["kind"]


class APIStatusError(SdkError):
    """The server answered with an error."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem)
        self.status_code: int = problem["status"]
        self.code: str | None = problem["code"]


class IngestFailedError(SdkError, RuntimeError):
    """Learning failed; the text is the server's reason."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem)
        self.args = (problem["reason"],)


class Unsayable(SdkError, ValueError):
    """The client does not accept the value, so nothing was sent."""


def error_of(problem: dict[str, Any]) -> Exception:
    """The exception for the driver's error."""
    kind = problem["kind"]
    if kind == "protocol":
        # A bug in the harness, not in the client.
        return AssertionError(f"the driver does not understand: {problem['message']}")
    kinds = {"status": APIStatusError, "ingest_failed": IngestFailedError, "unsayable": Unsayable}
    return kinds.get(kind, SdkError)(problem)
