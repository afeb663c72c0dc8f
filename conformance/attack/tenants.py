"""The holder of all scopes of one project who wants the data of another. Routes come from `/openapi.json`."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any

from attack.registry import Impossible, attacks_of, got_in
from attack.target import SCOPES, Caller, Target

attack = attacks_of("another project")

SECRET = "the plan of the victim"
ROOT = "/v1/projects/{project_id}"
# Routes whose response does not come at once.
STREAMS = ("/events",)


@dataclass(frozen=True)
class Victim:
    """A project with one of everything."""

    owner: Caller
    ids: dict[str, str]


def routes(target: Target) -> list[tuple[str, str]]:
    """Method and path of every route of a project."""
    paths = target.send("GET", "/openapi.json").json()["paths"]
    found = [
        (method.upper(), path.removeprefix(ROOT))
        for path, methods in paths.items()
        for method in methods
        if path.startswith(ROOT) and method in ("get", "post", "patch", "put", "delete")
    ]
    if len(found) < 50:
        raise Impossible(f"the description names only {len(found)} routes of a project")
    return found


def body_of(method: str, ids: dict[str, str]) -> dict[str, Any] | None:
    """A body that every route can read."""
    if method not in ("POST", "PATCH", "PUT"):
        return None
    said = {"source": "ci", "trace_id": ids["trace_id"], "outcome": "fail"}
    return {
        "task": SECRET.split()[1],
        "trajectory": [],
        "traces": [],
        "trace_ids": [ids["trace_id"]],
        "trace_id": ids["trace_id"],
        "reviews": [{"trace_id": ids["trace_id"], "result": "fail"}],
        "label": "l",
        "scopes": ["trace:read"],
        "result": "pass",
        "client": "c",
        "seconds": 60,
        "summary": "s",
        "role": "viewer",
        "name": "n",
        "memory_id": ids["memory_id"],
        "survivor_id": ids["memory_id"],
        "memory_ids": [ids["other_memory_id"]],
        "filter": {"ids": [ids["memory_id"]]},
        "action": "disable",
        "reflection": {"summary": "s"},
        "grace_seconds": 1,
        "source": "ci",
        "outcome": "fail",
        # Settings of a project have the same name.
        **({"signals": [said]} if method == "POST" else {}),
    }


def fill(path: str, ids: dict[str, str]) -> str:
    """A path with ids. A parameter without an id gets a name that does not exist."""
    for name, value in ids.items():
        path = path.replace("{" + name + "}", value)
    return path.replace("{", "").replace("}", "")


def victim(target: Target) -> Victim:
    """Fills a project."""
    owner = target.owner(target.fresh("victim"))
    memory = owner.must("POST", "/memories", {"task": SECRET, "guidance": SECRET})
    asked = owner.send("POST", "/memory/query", {"task": SECRET})
    ids = {
        "trace_id": owner.trace(SECRET, trajectory=[{"role": "user", "content": SECRET}]),
        "memory_id": memory["memory"]["id"],
        "other_memory_id": owner.memory(SECRET, SECRET),
        "action_id": memory["action_id"],
        "retrieval_id": asked.headers.get("x-retrieval-id", ""),
        "key_id": target.new_key(owner.slug, "memory:read")["key"]["id"],
        "erasure_id": owner.must("POST", "/erasures", {"subject": "no one", "memories": "keep"})["id"],
        "part": "0",
    }
    return Victim(owner, ids)


def fingerprint(found: Victim) -> str:
    """What must not change."""
    owner, ids = found.owner, found.ids
    seen = [owner.must("GET", f"/memories/{ids[name]}") for name in ("memory_id", "other_memory_id")]
    keys = owner.must("GET", "/api-keys")
    trace = owner.must("GET", f"/traces/{ids['trace_id']}")
    said = owner.must("GET", f"/traces/{ids['trace_id']}/signals")
    for one in keys:
        one.pop("last_used_at", None)
    return json.dumps([seen, keys, trace, said, owner.must("GET", "")], sort_keys=True)


@attack("ids of another project on every route")
def foreign_ids(target: Target) -> str:
    """A foreign id in a path or a body is unknown, and changes nothing."""
    found = victim(target)
    before = fingerprint(found)
    own = target.caller(target.owner().slug, *SCOPES)
    tried = 0
    for method, rest in routes(target):
        # The last route would remove the attacker's own project.
        if (method, rest) == ("DELETE", "") or rest.endswith(STREAMS):
            continue
        answer = own.send(method, fill(rest, found.ids), body_of(method, found.ids))
        tried += 1
        if SECRET in answer.text:
            got_in(f"{method} {rest} returned data of another project")
        if answer.status == 500:
            got_in(f"{method} {rest} answered 500: {answer.text[:200]}")
    if fingerprint(found) != before:
        got_in("a route changed another project")
    return f"{tried} routes"


@attack("keys of another project on every route")
def foreign_key(target: Target) -> str:
    """A key of another project gets 404 on every route, as for a project that does not exist."""
    found = victim(target)
    own = target.caller(target.owner().slug, *SCOPES)
    tried = 0
    for method, rest in routes(target):
        path = f"{found.owner.root}{fill(rest, found.ids)}"
        answer = target.send(method, path, body_of(method, found.ids), own.headers)
        tried += 1
        if answer.status != 404:
            got_in(f"{method} {rest} answered {answer.status} to a key of another project")
    return f"{tried} routes"


@attack("write routes with a key that may only read")
def beyond_scope(target: Target) -> str:
    """A key with `memory:read` and `trace:read` changes nothing on any route."""
    found = victim(target)
    reader = target.caller(found.owner.slug, "memory:read", "trace:read")
    before = fingerprint(found)
    reads = ("/memory/query", "/memory/augment")
    for method, rest in routes(target):
        if method == "GET" or rest in reads:
            continue
        answer = reader.send(method, fill(rest, found.ids), body_of(method, found.ids))
        if answer.ok:
            got_in(f"{method} {rest} accepted a key that may only read")
    if fingerprint(found) != before:
        got_in("a key that may only read changed something")
    return "refused"


@attack("tools beyond the scope of a key")
def tool_scopes(target: Target) -> str:
    """MCP tools need the scopes of their routes, and stay in the project of the key."""
    found = victim(target)
    reader = target.caller(target.owner().slug, "memory:read")
    accept = {"Accept": "application/json, text/event-stream"}
    for tool, arguments in (
        ("create_memory", {"task": "t", "passed": True, "lesson": "l", "result": "pass"}),
        ("record_run", {"task": "t", "trajectory": "x"}),
        ("review_run", {"trace_id": found.ids["trace_id"], "result": "fail"}),
    ):
        params = {"name": tool, "arguments": arguments}
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = target.send("POST", "/mcp", call, {**reader.headers, **accept}).json() or {}
        result = answer.get("result")
        if isinstance(result, dict) and not result.get("isError"):
            got_in(f"the tool {tool} accepted a key that may only read")
    headers = {**reader.headers, **accept, "X-Project-Id": found.owner.slug}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    if target.send("POST", "/mcp", call, headers).ok:
        got_in("a header opened another project")
    return "refused"


@attack("names that look like another project")
def look_alikes(target: Target) -> str:
    """Other spellings of a slug are other projects, never the same one."""
    found = victim(target)
    slug = found.owner.slug
    spellings = [
        slug.upper(),
        slug + "\u200b",
        slug + "%20",
        slug + ".",
        slug.replace("i", "\u0456"),
        unicodedata.normalize("NFKD", "\ufb01") + slug,
        "".join(chr(ord(letter) + 0xFEE0) if letter.isalpha() else letter for letter in slug),
        f"{slug}/../{slug}",
        f"other/../{slug}",
    ]
    own = target.caller(target.owner().slug, *SCOPES)
    for spelling in spellings:
        for key in (own, found.owner):
            answer = Caller(target, spelling, key.key).send("GET", "/memories")
            if SECRET in answer.text:
                got_in(f"the name {spelling!r} opened {slug}")
    for path in (
        f"/v1/projects/{own.slug}/../{slug}/memories",
        f"/v1/projects/{own.slug}%2f..%2f{slug}/memories",
    ):
        if SECRET in target.send("GET", path, headers=own.headers).text:
            got_in(f"{path} opened another project")
    return f"{len(spellings)} spellings"
