"""Generates requests from the API description, sends them as every caller, and compares the answers with it.

Runs with the interpreter that has Schemathesis. The plan comes as JSON on standard input, the report goes as
JSON to standard output. Every request follows from the seed.
"""

from __future__ import annotations

import copy
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import requests
import schemathesis
from expected import Caller, can_send, is_allowed, mismatch, needs
from hypothesis import HealthCheck, Phase, given, seed, settings
from objects import Objects
from schemathesis import GenerationMode
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.openapi.checks import JsonSchemaError
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
SECONDS = 60.0
# Of each kind of finding, this many are reported in full.
MOST_REPORTED = 20
MCP = {"Accept": "application/json, text/event-stream"}


class Report:
    """What the run has seen."""

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.findings: dict[str, dict[str, str]] = {"server_errors": {}, "undocumented": {}, "refusals": {}}
        self.operations: set[str] = set()

    def add(self, kind: str, key: str, text: str) -> None:
        """One finding. The first of several with the same key is kept."""
        self.findings[kind].setdefault(key, text)

    def json(self) -> str:
        """The report for the driver."""
        findings = {kind: list(found.values())[:MOST_REPORTED] for kind, found in self.findings.items()}
        counts = {kind: len(found) for kind, found in self.findings.items()}
        return json.dumps(
            {
                "requests": self.requests,
                "refused": self.refused,
                "findings": findings,
                "counts": counts,
                "operations": sorted(self.operations),
            }
        )


def cases(operation: Any, count: int, number: int) -> list[Any]:
    """Requests for one operation: valid ones, and ones that break the description."""
    found: list[Any] = []
    for mode, share in ((GenerationMode.POSITIVE, count - count // 2), (GenerationMode.NEGATIVE, count // 2)):
        if share == 0:
            continue
        before = len(found)

        @seed(number)
        @settings(
            max_examples=share,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def draw(case: Any) -> None:
            found.append(case)

        try:
            draw()
        except Exception as error:
            # An operation without parameters cannot be broken.
            if "negat" not in str(error).lower() and "Unsatisfiable" not in type(error).__name__:
                raise
        del found[before + share :]
    return found


def described(plan: dict[str, Any]) -> Iterator[Any]:
    """The operations of the description that this worker tests."""
    schema = schemathesis.openapi.from_dict(plan["description"])
    for number, result in enumerate(schema.get_all_operations()):
        operation = result.ok()
        name = operation.definition.raw.get("operationId")
        wanted = not plan["only"] or name in plan["only"]
        if wanted and name not in plan["excluded"] and number % plan["workers"] == plan["worker"]:
            yield operation


class Credential(requests.auth.AuthBase):
    """Puts the caller's headers into a request at last: generated requests may leave out or replace them."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        for name in ("Authorization", "Cookie"):
            request.headers.pop(name, None)
        request.headers.update(self._headers)
        return request


def send(session: requests.Session, plan: dict[str, Any], caller: Caller, case: Any) -> Any:
    """Sends one request as a caller."""
    is_project = case.path.startswith("/v1/projects/")
    base_url = plan["base_url"] + (caller.prefix if is_project else "")
    headers = {**caller.headers, **(MCP if case.path == "/mcp" else {})}
    if caller.role and "Content-Type" not in case.headers:
        # Requests of members say so even without a body: other sites cannot.
        headers["Content-Type"] = "application/json"
    session.cookies.clear()
    sent = {"auth": Credential(headers), "timeout": SECONDS, "allow_redirects": False}
    return case.call(base_url=base_url, session=session, **sent)


def examine(report: Report, caller: Caller, case: Any, answer: Any, label: str) -> None:
    """Compares one answer with the description and with the route table."""
    status, raw = answer.status_code, case.operation.definition.raw
    code = error_code(answer)
    report.requests[caller.name] += 1
    report.refused[caller.name] += status in (401, 403)
    documented = {str(known) for known in raw["responses"]}
    if status >= 500 and str(status) not in documented:
        report.add("server_errors", f"{label} {status}", told(caller, case, answer, f"{status} {code}"))
    try:
        case.validate_response(answer, checks=CHECKS)
    except FailureGroup as group:
        for failure in group.exceptions:
            report.add("undocumented", f"{label} {key_of(failure)}", told(caller, case, answer, str(failure)))
    except Failure as failure:
        report.add("undocumented", f"{label} {key_of(failure)}", told(caller, case, answer, str(failure)))
    problem = mismatch(caller, raw, status, code)
    if problem:
        report.add("refusals", f"{label} {caller.name} {status} {code}", told(caller, case, answer, problem))


def key_of(failure: BaseException) -> str:
    """The same for the same problem."""
    if isinstance(failure, JsonSchemaError):
        return f"schema {failure.validation_message[:60]}"
    return type(failure).__name__ + str(getattr(failure, "status_code", ""))


def told(caller: Caller, case: Any, answer: Any, problem: str) -> str:
    """A finding, with the request that repeats it, without its credential."""
    curl = case.as_curl_command(headers={"Authorization": "Bearer KEY"})
    body = answer.content[:400].decode("utf-8", "replace")
    where = f"{caller.name}: {case.operation.label}"
    return f"{where}: {problem}\n    {curl[:1500]}\n    {answer.status_code} {body}"


def error_code(answer: Any) -> str:
    """The code of an error response."""
    try:
        return str(answer.json()["error"]["code"])
    except (ValueError, KeyError, TypeError):
        return ""


def run(plan: dict[str, Any]) -> Report:
    """All operations, each as every caller."""
    report, session = Report(), requests.Session()
    # Proxies of the environment are not for a server on this machine.
    session.trust_env = False
    callers = [Caller(**one) for one in plan["callers"]]
    objects = Objects(plan["base_url"], plan["master"], plan["project"], plan["fixed"])
    objects.create()
    for operation in described(plan):
        raw, label = operation.definition.raw, operation.label
        report.operations.add(label)
        # Sending a request changes it, and every caller sends the same.
        drawn = [(case, parts_of(case)) for case in cases(operation, plan["count"], plan["seed"])]
        for caller in callers:
            if not can_send(caller, operation.path, raw):
                continue
            # What is refused is refused for every body.
            few = drawn if is_allowed(caller, raw) and needs(raw)[0] else drawn[:1]
            # A route without a credential is tested by the caller without one.
            if not needs(raw)[0] and caller.scopes is not None:
                continue
            for number, (case, parts) in enumerate(few):
                for name, value in copy.deepcopy(parts).items():
                    setattr(case, name, value)
                # Of four requests, one stays as it was generated.
                objects.fill(case.path_parameters, case.body, (2, 1, 2, 0)[number % 4])
                answer = send(session, plan, caller, case)
                examine(report, caller, case, answer, label)
                if operation.method.upper() != "GET" and answer.status_code < 300:
                    objects.create()
    return report


def parts_of(case: Any) -> dict[str, Any]:
    """What a request consists of."""
    names = ("path_parameters", "headers", "cookies", "query", "body")
    return {name: copy.deepcopy(getattr(case, name)) for name in names}


if __name__ == "__main__":
    print(run(json.load(sys.stdin)).json())
