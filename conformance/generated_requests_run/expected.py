"""What the route table says about a caller, as the API description repeats it. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# What a caller with a credential may be refused for on a route that it may use: the trust of its key, or the
# project that it names.
OTHER_REASONS = frozenset({"forbidden", "cross_site", "unknown_host"})


@dataclass(frozen=True)
class Caller:
    """Who sends the requests."""

    name: str
    headers: Mapping[str, str]
    # The scopes in the project. None: no credential.
    scopes: Sequence[str] | None
    # Members use the project routes below `/console/api`, and have a role.
    role: str | None = None
    is_master: bool = False

    @property
    def prefix(self) -> str:
        """What comes before the path of a project route."""
        return "/console/api" if self.role else ""


def needs(operation: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The credential that an operation needs, `api_key`, `session` or none, and its scopes or roles."""
    for requirement in operation.get("security") or []:
        for scheme, scopes in requirement.items():
            return scheme, list(scopes)
    return "", []


def can_send(caller: Caller, path: str, operation: Mapping[str, Any]) -> bool:
    """Whether the operation exists for this kind of caller. Without a credential, all of them do."""
    scheme, _ = needs(operation)
    if caller.scopes is None or not scheme:
        return True
    is_project = path.startswith("/v1/projects/")
    return (scheme == "session" or is_project) if caller.role else scheme == "api_key"


def is_allowed(caller: Caller, operation: Mapping[str, Any]) -> bool:
    """Whether the route table lets the caller in."""
    scheme, scopes = needs(operation)
    if not scheme:
        return True
    if caller.scopes is None:
        return False
    if scheme == "session":
        return not scopes or caller.role in scopes
    return all(scope in caller.scopes for scope in scopes)


def mismatch(caller: Caller, operation: Mapping[str, Any], status: int, code: str) -> str:
    """How an answer differs from the route table; empty if it does not."""
    scheme, _ = needs(operation)
    if not scheme or code == "route_not_found":
        return ""
    if is_allowed(caller, operation):
        refused = status == 401 or (status == 403 and code not in OTHER_REASONS)
        return f"{caller.name} may use the route, and got {status} {code}" if refused else ""
    wanted = 401 if caller.scopes is None else 403
    return "" if status == wanted else f"{caller.name} may not use the route, and got {status} {code}"
