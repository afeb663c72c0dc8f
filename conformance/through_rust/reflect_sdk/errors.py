"""The errors of the Rust SDK, each as an exception that the cases know how to take."""

from __future__ import annotations

from typing import Any


class RustError(Exception):
    """An error of the Rust SDK."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(f"{problem['kind']}: {problem['message']}")
        self.kind: str = problem["kind"]


class APIStatusError(RustError):
    """`Error::Status`: the server answered with an error."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem)
        self.status_code: int = problem["status"]
        self.code: str | None = problem["code"]


class IngestFailedError(RustError, RuntimeError):
    """`Error::IngestFailed`: nothing could be learned; the text is its `reason`, which is the server's."""

    def __init__(self, problem: dict[str, Any]) -> None:
        super().__init__(problem)
        self.args = (problem["reason"],)


class Unsayable(RustError, ValueError):
    """A type of the SDK does not take the value, so that nothing was sent."""


def error_of(problem: dict[str, Any]) -> Exception:
    """The exception for what the program answered."""
    kind = problem["kind"]
    if kind == "protocol":
        # Our own mistake, which no case may take for the client's.
        return AssertionError(f"the driver does not understand: {problem['message']}")
    kinds = {"status": APIStatusError, "ingest_failed": IngestFailedError, "unsayable": Unsayable}
    return kinds.get(kind, RustError)(problem)
