"""The holder of `key:manage` or `project:admin` who wants more, or longer, than they have."""

from __future__ import annotations

import datetime
import socket
import threading
import time

from attack.registry import Impossible, attacks_of, got_in, took_down
from attack.target import SCOPES, Caller, Target

attack = attacks_of("admin")


def in_seconds(seconds: float) -> str:
    """A moment, as the API writes it."""
    moment = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=seconds)
    return moment.isoformat().replace("+00:00", "Z")


@attack("a short-lived key that creates a long-lived one", row=9, defence="child-keys")
def child_outlives(target: Target) -> str:
    """A key created by a key that expires tomorrow expires tomorrow too."""
    owner = target.owner()
    parent = target.caller(owner.slug, "key:manage", "memory:read", expires_at=in_seconds(86_400))
    for wish in ({}, {"expires_at": None}, {"expires_at": in_seconds(86_400 * 300)}):
        made = parent.send("POST", "/api-keys", {"label": "child", "scopes": ["memory:read"], **wish})
        if not made.ok:
            continue
        expires = made.json()["key"]["expires_at"]
        if expires is None or expires > in_seconds(86_400 + 60):
            got_in(f"a key that expires tomorrow created one that expires {expires or 'never'}")
    return "not longer than its parent"


@attack("a key that creates a stronger one", defence="child-keys")
def child_exceeds(target: Target) -> str:
    """A created key has no scope, trust or project that its creator lacks."""
    owner, other = target.owner(), target.owner()
    parent = target.caller(owner.slug, "key:manage", "memory:read")
    for wish in (
        {"scopes": ["memory:write"]},
        {"scopes": list(SCOPES)},
        {"scopes": ["memory:read"], "trust": "trusted"},
        {"scopes": ["memory:read"], "is_master": True, "master": True, "project_id": other.slug},
    ):
        made = parent.send("POST", "/api-keys", {"label": "child", **wish})
        if not made.ok:
            continue
        key = made.json()["key"]
        if (
            key["is_master"]
            or set(key["scopes"]) - {"key:manage", "memory:read"}
            or key["trust"] == "trusted"
        ):
            got_in(f"a key created a stronger one with {wish}")
        if Caller(target, other.slug, made.json()["api_key"]).send("GET", "/memories").ok:
            got_in("a key created one for another project")
    return "refused"


@attack("keys of a revoked key", row=9, defence="child-keys")
def orphans(target: Target) -> str:
    """Revoking a key that created others must not leave them working unnoticed."""
    owner = target.owner()
    parent = target.new_key(owner.slug, "key:manage", "memory:read")
    creator = Caller(target, owner.slug, parent["api_key"])
    child = creator.must("POST", "/api-keys", {"label": "child", "scopes": ["memory:read"]})
    owner.must("POST", f"/api-keys/{parent['key']['id']}/revoke", {})
    time.sleep(5.5)
    if Caller(target, owner.slug, child["api_key"]).send("GET", "/memories").ok:
        got_in("a key works although the key that created it was revoked")
    return "revoked with it"


@attack("expired and revoked keys")
def ended_keys(target: Target) -> str:
    """A key stops at its end, on every surface, also for open streams."""
    owner = target.owner()
    short = target.caller(owner.slug, "memory:read", "trace:read", expires_at=in_seconds(3))
    revoked = target.new_key(owner.slug, "memory:read")
    gone = Caller(target, owner.slug, revoked["api_key"])
    works = gone.send("GET", "/memories").ok
    owner.must("POST", f"/api-keys/{revoked['key']['id']}/revoke", {})
    if not works or gone.send("GET", "/memories").ok:
        got_in("a revoked key works in the process that revoked it")
    time.sleep(8.5)
    for path in ("/memories", "/traces"):
        if short.send("GET", path).ok:
            got_in("an expired key works 5 s after its end")
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {**short.headers, "Accept": "application/json, text/event-stream"}
    if target.send("POST", "/mcp", call, accept).ok:
        got_in("an expired key works for tools")
    return "stopped"


@attack("settings that are not settings")
def mass_assignment(target: Target) -> str:
    """Fields of a project that a caller may not set are ignored or refused."""
    owner, other = target.owner(), target.owner()
    admin = target.caller(owner.slug, "project:admin", "memory:read")
    admin.send("PATCH", "", {"project_id": other.slug, "id": 1, "slug": other.slug, "deleted_at": None})
    if owner.must("GET", "")["project_id"] != owner.slug:
        got_in("a project was renamed")
    for wrong in (
        {"holdout_rate": 2},
        {"retention": {"traces_days": 0}},
        {"retention": {"traces_days": -1}},
        {"daily_tokens": -5},
        {"redaction": {"pii": "x"}},
        {"judge": {"rubric": "x" * 200_000}},
        {"judge": {"sample_rate": -1}},
    ):
        answer = admin.send("PATCH", "", wrong)
        if answer.ok or answer.status >= 500:
            got_in(f"{str(wrong)[:60]} answered {answer.status}")
    return "refused"


@attack("addresses in requests")
def ssrf(target: Target) -> str:
    """No field of a request makes the server connect to an address. Webhooks have an attack of their own."""
    calls: list[object] = []
    with socket.socket() as canary:
        canary.bind(("127.0.0.1", 0))
        canary.listen()
        canary.settimeout(0.2)
        stop = threading.Event()
        watcher = threading.Thread(target=_count, args=(canary, stop, calls))
        watcher.start()
        url = f"http://127.0.0.1:{canary.getsockname()[1]}/x"
        owner = target.owner()
        picture = {"type": "image_url", "image_url": {"url": url}}
        owner.send("POST", "/traces", {"task": url, "trajectory": [{"role": "user", "content": [picture]}]})
        review = {"result": "fail", "feedback_text": url, "callback_url": url}
        owner.send("POST", "/traces", {"task": url, "trajectory": url, "review": review, "webhook": url})
        owner.send("PATCH", "", {"judge": {"url": url, "model": url, "rubric": url, "enabled": False}})
        owner.send("PATCH", "", {"text_url": url, "embedder_url": url, "webhook_url": url, "provider": url})
        owner.send("POST", "/embedding-change", {"url": url, "embedder_url": url})
        owner.send("POST", "/judge/try", {"task": url, "trajectory": url, "rubric": url, "url": url})
        owner.send(
            "POST", "/memory/query", {"task": url}, {"Referer": url, "X-Forwarded-Host": url, "Origin": url}
        )
        target.send("GET", f"/login?t={url}&redirect={url}&issuer={url}&iss={url}")
        time.sleep(1.5)
        stop.set()
        watcher.join()
    if calls:
        got_in(f"the server connected to an address of a request: {len(calls)} times")
    return "no connection"


@attack("webhooks to internal addresses")
def internal_webhooks(target: Target) -> str:
    """A webhook reaches only the public internet, whether its host is a number or a name."""
    calls: list[object] = []
    with socket.socket() as canary:
        # On all addresses of this machine: its own name can mean any of them.
        canary.bind(("", 0))
        canary.listen()
        canary.settimeout(0.2)
        stop = threading.Event()
        watcher = threading.Thread(target=_count, args=(canary, stop, calls))
        watcher.start()
        try:
            error = _send_inside(target.owner(), canary.getsockname()[1])
        finally:
            stop.set()
            watcher.join()
    if calls:
        got_in(f"a webhook connected to this machine: {len(calls)} times")
    if "not on the public internet" not in error:
        raise Impossible(f"the name of this machine was not refused: {error}")
    return "refused, and no connection"


def _send_inside(owner: Caller, port: int) -> str:
    """The error of the attempt to reach this machine by its name."""
    hosts = ("127.0.0.1", "0x7f.1", "2130706433", "0.0.0.0", "localhost", "[::1]", "[::ffff:127.0.0.1]")
    for address in [f"{scheme}://{host}:{port}/" for scheme in ("http", "https") for host in hosts]:
        if owner.send("POST", "/webhooks", {"url": address, "events": ["memory.created"]}).ok:
            got_in(f"a webhook to {address} was accepted")
    # A name is checked when it is resolved.
    wish = {"url": f"https://{socket.gethostname()}:{port}/", "events": ["memory.created"]}
    made = owner.must("POST", "/webhooks", wish)["webhook"]["id"]
    queued = owner.must("POST", f"/webhooks/{made}/test", {})["delivery_id"]
    path, deadline = f"/webhooks/{made}/deliveries/{queued}", time.monotonic() + 30
    while not (attempts := owner.must("GET", path)["delivery"]["attempts"]):
        if time.monotonic() > deadline:
            raise Impossible("the webhook to the name of this machine was not tried")
        time.sleep(0.2)
    return str(attempts[0]["error"])


def _count(canary: socket.socket, stop: threading.Event, calls: list[object]) -> None:
    while not stop.is_set():
        try:
            connection, address = canary.accept()
        except TimeoutError:
            continue
        calls.append(address)
        connection.close()


@attack("large bulk actions")
def large_bulk(target: Target) -> str:
    """One action over thousands of memories does not stop others; the watch decides."""
    owner = target.owner()
    for part in range(target.count(16)):
        owner.must(
            "POST",
            "/traces/batch",
            {
                "traces": [
                    {
                        "task": f"Water plant {part}-{number}",
                        "trajectory": [],
                        "review": {"result": "pass", "reflection": {"guidance": f"Use can {part}-{number}."}},
                    }
                    for number in range(50)
                ]
            },
        )
    for action in ("disable", "enable", "quarantine", "release"):
        answer = owner.send("POST", "/memories/bulk", {"filter": {}, "all": True, "action": action})
        if not answer.ok and answer.status not in (429, 503, 504):
            took_down(f"{action} of all memories answered {answer.status}")
    return "done"
