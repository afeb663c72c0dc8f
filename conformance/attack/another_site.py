"""A page of another site that a signed-in person visits, and a person who finds old links and cookies."""

from __future__ import annotations

import json
import time

from attack.guesses import forged
from attack.registry import Impossible, attacks_of, got_in
from attack.target import Target, Visitor

attack = attacks_of("another site")

# What a browser can send from another site without asking first, and what it says about it.
CROSS_SITE = (
    {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "", "Sec-Fetch-Site": "same-site"},
    {"Origin": "", "Sec-Fetch-Site": "none"},
    {"Origin": "", "Referer": "https://evil.example/"},
    {"Origin": "http://127.0.0.1"},
    {"Origin": "http://127.0.0.1.evil.example"},
)


@attack("cross-site requests with the session", defence="same-site")
def cross_site_requests(target: Target) -> str:
    """A page of another site cannot change anything with the visitor's cookie."""
    admin = target.member("admin")
    for number, said in enumerate(CROSS_SITE):
        slug = target.fresh(f"forged-{number}")
        kinds = ("application/json", "text/plain", "application/x-www-form-urlencoded")
        for kind in kinds:
            answer = admin.send(
                "POST",
                "/console/api/projects",
                json.dumps({"project_id": slug}).encode(),
                {**said, "Content-Type": kind},
            )
            if answer.ok:
                got_in(f"created a project with {said} and {kind}")
        if admin.send("DELETE", f"/console/api/v1/projects/{slug}", headers=said).ok:
            got_in(f"deleted a project with {said}")
    return f"{len(CROSS_SITE)} origins refused"


@attack("signing in with a foreign form", defence="same-site")
def foreign_form(target: Target) -> str:
    """A page of another site cannot sign the visitor in as another member, or out."""
    secret = target.link(target.fresh("mallory"), "viewer")
    form = f"form=&t={secret}".encode()
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    for headers in (
        {"Cookie": "reflect-form="},
        {"Cookie": "reflect-form=x"},
        {},
        {"Cookie": "reflect-form=abc", "Sec-Fetch-Site": "cross-site"},
    ):
        body = form if "abc" not in str(headers) else f"form=abc&t={secret}".encode()
        answer = target.send("POST", "/login", body, {**kind, **headers})
        if answer.status in (302, 303):
            got_in(f"signed in with a form of another site: {headers}")
    admin = target.member("admin")
    cookie = f"reflect={admin.cookies['reflect']}"
    target.send("POST", "/logout", b"form=", {**kind, "Cookie": cookie, "Origin": "https://evil.example"})
    if not admin.send("GET", "/console/api/session").ok:
        got_in("a form of another site signed the visitor out")
    return "refused"


@attack("replayed sign-in links", defence="link-once")
def replayed_links(target: Target) -> str:
    """A link works once, also if two browsers use it at the same time."""
    secret = target.link(target.fresh("member"), "viewer")
    first, _ = target.sign_in(secret)
    if first.status not in (302, 303):
        raise Impossible(f"a new link answered {first.status}")
    for _ in range(3):
        answer, visitor = target.sign_in(secret)
        if "reflect" in visitor.cookies and answer.status in (302, 303):
            got_in("a link signed in twice")
    return "worked once"


@attack("a session that was chosen by the attacker")
def session_fixation(target: Target) -> str:
    """Signing in creates a session; a cookie that was there before does not become one."""
    chosen = forged("AAAAAAAA")
    _, visitor = target.sign_in(target.link(target.fresh("member"), "viewer"), {"reflect": chosen})
    if visitor.cookies.get("reflect") == chosen:
        got_in("signing in kept the session of the cookie")
    if Visitor(target, {"reflect": chosen}).send("GET", "/console/api/session").ok:
        got_in("a chosen session was accepted")
    return "a new session"


@attack("cookies of disabled members and ended sessions")
def disabled_members(target: Target) -> str:
    """A disabled member's cookie stops within 5 seconds, and an ended session at once."""
    admin = target.member("admin")
    name = target.fresh("leaver")
    leaver = target.member("maintainer", name)
    members = admin.must("GET", "/console/api/members")
    identity = next(one["id"] for one in members if one["name"] == name)
    admin.must("POST", f"/console/api/members/{identity}/disable", {})
    time.sleep(5.5)
    if leaver.send("GET", "/console/api/session").ok:
        got_in("the cookie of a disabled member still works after 5 s")
    guest = target.member("viewer")
    guest.send("POST", "/console/api/logout", {})
    if guest.send("GET", "/console/api/session").ok:
        got_in("a session works after it was ended")
    return "both ended"


@attack("cookies for keys, and keys for cookies")
def two_surfaces(target: Target) -> str:
    """`/v1` takes no cookie, `/console/api` takes no key."""
    admin, owner = target.member("admin"), target.owner()
    for path in (f"{owner.root}/traces", f"{owner.root}/api-keys"):
        if admin.send("GET", path).ok:
            got_in(f"{path} accepted a cookie")
        if target.send("GET", f"/console/api{path}", headers=owner.headers).ok:
            got_in(f"/console/api{path} accepted a key")
    for path in ("/console/api/members", "/console/api/projects", "/console/api/session"):
        if target.send("GET", path, headers=owner.headers).ok:
            got_in(f"{path} accepted a key")
    if admin.send("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).ok:
        got_in("/mcp accepted a cookie")
    return "separate"


@attack("feedback from a page of another site")
def foreign_feedback(target: Target) -> str:
    """A browser is not told that a page of an origin that is not configured may send feedback."""
    said = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    for method, path in (("OPTIONS", "/v1/feedback"), ("POST", "/v1/feedback"), ("OPTIONS", "/v1/bootstrap")):
        answer = target.send(method, path, {} if method == "POST" else None, said)
        allowed = [name for name in answer.headers if name.startswith("access-control-")]
        if allowed:
            got_in(f"{method} {path} answered with {', '.join(allowed)}")
    return "refused"


@attack("pages in frames, and scripts in pages")
def frames_and_scripts(target: Target) -> str:
    """Pages refuse frames and scripts, and show what is in their address as text."""
    script = "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"
    for path in (f"/login?t={script}", f"/setup?t={script}", f"/docs?{script}", f"/{script}", "/"):
        page = target.send("GET", path, headers={"Accept": "text/html"})
        if b"<script>alert(1)" in page.body:
            got_in(f"{path} contains a script of its address")
        if "text/html" not in page.headers.get("content-type", ""):
            continue
        policy = page.headers.get("content-security-policy", "")
        if (
            "frame-ancestors 'none'" not in policy
            and page.headers.get("x-frame-options", "").lower() != "deny"
        ):
            got_in(f"{path} may be shown in a frame of another site")
        if "script-src" not in policy and "default-src" not in policy:
            got_in(f"{path} has no policy for scripts")
    if target.send("GET", "/health").headers.get("x-content-type-options") != "nosniff":
        got_in("responses may be read as another type")
    return "refused by the policy"


@attack("MCP from a page of another site", defence="mcp-origin")
def mcp_rebinding(target: Target) -> str:
    """Neither a foreign origin nor a foreign host name with this server's address reaches the tools."""
    key = target.caller(target.owner().slug)
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {**key.headers, "Accept": "application/json, text/event-stream"}
    if not target.send("POST", "/mcp", call, accept).ok:
        raise Impossible("tools/list does not work")
    for said in (
        {"Host": "evil.example"},
        {"Host": f"evil.example:{target.port}"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "localhost@evil.example"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
    ):
        if target.send("POST", "/mcp", call, {**accept, **said}).ok:
            got_in(f"/mcp answered to {said}")
    return "refused"
