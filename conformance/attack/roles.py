"""Signed-in members who want more than their role gives them, and keys beyond their conditions."""

from __future__ import annotations

import time

from attack.registry import Impossible, attacks_of, got_in
from attack.target import Caller, Target, Visitor
from attack.tenants import body_of, fill, fingerprint, routes, victim

attack = attacks_of("reviewer")

CONSOLE = "/console/api"
READS = ("/memory/query", "/memory/augment")
# What a reviewer may change.
REVIEWS = ("review", "retry", "defer", "leases", "next", "batch", "bulk")


def limited(target: Target, admin: Visitor, role: str, projects: list[str]) -> Visitor:
    """A member of some projects."""
    body = {"name": target.fresh("limited"), "role": role, "projects": projects}
    made = admin.must("POST", f"{CONSOLE}/members", body)
    secret = made["link"]["path"].partition("t=")[2]
    answer, visitor = target.sign_in(secret)
    if answer.status not in (302, 303):
        raise Impossible(f"signing in answered {answer.status}")
    return visitor


@attack("a viewer on every route that changes something")
def viewer_writes(target: Target) -> str:
    """A viewer changes nothing on any route of a project."""
    found = victim(target)
    visitor = target.member("viewer")
    before = fingerprint(found)
    tried = 0
    for method, rest in routes(target):
        if method == "GET" or rest in READS:
            continue
        path = f"{CONSOLE}{found.owner.root}{fill(rest, found.ids)}"
        answer = visitor.send(method, path, body_of(method, found.ids))
        tried += 1
        if answer.ok:
            got_in(f"{method} {rest} accepted a viewer")
    if fingerprint(found) != before:
        got_in("a viewer changed something")
    return f"{tried} routes"


@attack("a reviewer who manages keys, memories and members")
def reviewer_escalates(target: Target) -> str:
    """A reviewer reviews; keys, memories, settings and members are refused."""
    found = victim(target)
    visitor = target.member("reviewer")
    own = visitor.must("GET", f"{CONSOLE}/session")["member"]["id"]
    root = f"{CONSOLE}{found.owner.root}"
    attempts = [
        ("POST", f"{root}/api-keys", {"label": "mine", "scopes": ["memory:read"]}),
        ("POST", f"{root}/memories/{found.ids['memory_id']}/pin", {}),
        ("DELETE", f"{root}/memories/{found.ids['memory_id']}", None),
        ("PATCH", root, {"holdout_rate": 0.5}),
        ("DELETE", root, None),
        ("POST", f"{root}/traces/delete", {"trace_ids": [found.ids["trace_id"]]}),
        ("POST", f"{root}/erasures", {"trace_id": found.ids["trace_id"]}),
        ("POST", f"{CONSOLE}/members", {"name": target.fresh("mallory"), "role": "admin"}),
        ("POST", f"{CONSOLE}/members/{own}/link", {"role": "admin"}),
        ("PUT", f"{CONSOLE}/members/{own}/role", {"role": "admin"}),
        ("PUT", f"{root}/members/{own}", {"role": "admin"}),
        ("POST", f"{CONSOLE}/projects", {"project_id": target.fresh("mine")}),
        ("GET", f"{CONSOLE}/members", None),
        ("GET", f"{CONSOLE}/sessions?all=true", None),
    ]
    for method, path, body in attempts:
        if visitor.send(method, path, body).ok:
            got_in(f"{method} {path.replace(found.owner.root, '…')} accepted a reviewer")
    return f"{len(attempts)} attempts refused"


@attack("a member in a project of others", defence="project-roles")
def foreign_project(target: Target) -> str:
    """A member of one project gets 404 for another one, with every method."""
    found, own = victim(target), target.owner()
    visitor = limited(target, target.member("admin"), "maintainer", [own.slug])
    if not visitor.send("GET", f"{CONSOLE}{own.root}/traces").ok:
        raise Impossible("the member cannot use their own project")
    for method, rest in routes(target):
        if method not in ("GET", "POST") or rest.endswith("/events"):
            continue
        path = f"{CONSOLE}{found.owner.root}{fill(rest, found.ids)}"
        answer = visitor.send(method, path, body_of(method, found.ids))
        if answer.status not in (403, 404):
            got_in(f"{method} {rest} answered {answer.status} to a member of another project")
    listed = visitor.must("GET", f"{CONSOLE}/projects")
    if found.owner.slug in str(listed):
        got_in("the list of projects names a project of others")
    return "404 everywhere"


@attack("keys of a disabled member", row=9, defence="member-keys")
def keys_of_a_leaver(target: Target) -> str:
    """When a member is disabled, the keys that they created stop working."""
    owner, admin = target.owner(), target.member("admin")
    name = target.fresh("leaver")
    leaver = target.member("admin", name)
    made = leaver.must(
        "POST", f"{CONSOLE}{owner.root}/api-keys", {"label": "kept", "scopes": ["memory:read"]}
    )
    key = Caller(target, owner.slug, made["api_key"])
    if not key.send("GET", "/memories").ok:
        raise Impossible("the new key does not work")
    members = admin.must("GET", f"{CONSOLE}/members")
    identity = next(one["id"] for one in members if one["name"] == name)
    admin.must("POST", f"{CONSOLE}/members/{identity}/disable", {})
    time.sleep(5.5)
    if key.send("GET", "/memories").ok:
        got_in("a key of a disabled member still works after 5 s")
    return "stopped"


@attack("a key from another address", defence="key-addresses")
def key_addresses(target: Target) -> str:
    """A key with address ranges works from these only, and a header does not change the address."""
    owner = target.owner()
    key = target.caller(owner.slug, "memory:read", address_ranges=["203.0.113.0/24"])
    for headers in (
        {},
        {"X-Forwarded-For": "203.0.113.7"},
        {"X-Forwarded-For": "203.0.113.7, 127.0.0.1"},
        {"X-Real-IP": "203.0.113.7"},
        {"Forwarded": "for=203.0.113.7"},
        {"CF-Connecting-IP": "203.0.113.7", "True-Client-IP": "203.0.113.7"},
    ):
        if key.send("GET", "/memories", headers=headers).ok:
            got_in(f"a key for other addresses works from here with {headers}")
    return "refused"
