"""The server under attack, and the callers that an attack may use."""

from __future__ import annotations

import html
import itertools
import json
import re
import secrets
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlencode, urlsplit

from attack import wire
from attack.registry import Impossible
from attack.wire import Answer
from database import ask_database
from server import Server
from surroundings import Surroundings

SCOPES = (
    *("memory:read", "memory:write", "trace:read", "trace:write"),
    *("review:write", "skill:write", "key:manage", "project:admin", "signal:write"),
    "webhook:manage",
)
AGENT_SCOPES = SCOPES[:6]
COMMAND_SECONDS = 60
# How long the preparation of an attack waits for a server that is busy with the attack before.
PATIENCE_SECONDS = 30.0


@dataclass(frozen=True)
class Caller:
    """A key and a project."""

    target: Target
    slug: str
    key: str

    @property
    def root(self) -> str:
        """The path of the project."""
        return f"/v1/projects/{quote(self.slug, safe='')}"

    @property
    def headers(self) -> dict[str, str]:
        """The headers that present the key."""
        return {"Authorization": f"Bearer {self.key}"}

    def send(
        self, method: str, rest: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request to the project."""
        return self.target.send(method, f"{self.root}{rest}", body, {**self.headers, **(headers or {})})

    def must(self, method: str, rest: str, body: Any = None) -> Any:
        """A request of the preparation, which has to succeed; repeated while the server is busy."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            answer = self.send(method, rest, body)
            if answer.ok:
                return answer.json()
            if answer.status not in (0, 429, 503) or time.monotonic() > deadline:
                what = f"{method} {rest} answered {answer.status}: {answer.text[:300]}"
                raise Impossible(what)
            time.sleep(0.5)

    def trace(self, task: str, **more: Any) -> str:
        """Records a run and returns its id."""
        body = {"task": task, "trajectory": [{"role": "assistant", "content": "done"}], **more}
        return str(self.must("POST", "/traces", body)["id"])

    def memory(self, task: str, lesson: str, **more: Any) -> str:
        """Writes a memory and returns its id."""
        return str(self.must("POST", "/memories", {"task": task, "guidance": lesson, **more})["memory"]["id"])

    def learned(self, task: str, lesson: str, **more: Any) -> str:
        """Records a run with its own lesson, and returns the id of the memory."""
        review = {"result": "pass", "reflection": {"guidance": lesson}, **more}
        stored = self.must("POST", "/traces", {"task": task, "trajectory": [], "review": review})
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not stored.get("created_memory_id"):
            if time.monotonic() > deadline:
                raise Impossible(
                    f"the lesson for {task!r} did not become a memory: {json.dumps(stored)[:300]}"
                )
            stored = self.must("GET", f"/traces/{stored['id']}?wait=5")
        return str(stored["created_memory_id"])

    def stored(self, memory: str) -> dict[str, Any]:
        """A memory as it is stored."""
        found = self.must("GET", f"/memories/{memory}")
        return dict(found.get("memory", found))


@dataclass(frozen=True)
class Visitor:
    """A browser with cookies."""

    target: Target
    cookies: Mapping[str, str]

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request of a page of this server."""
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        own = {"Cookie": cookie, "Origin": self.target.base_url, "Content-Type": "application/json"}
        return self.target.send(method, path, body, {**own, **(headers or {})})

    def must(self, method: str, path: str, body: Any = None) -> Any:
        """A request of the preparation, which has to succeed."""
        answer = self.send(method, path, body)
        if not answer.ok:
            raise Impossible(f"{method} {path} answered {answer.status}: {answer.text[:300]}")
        return answer.json()


class Target:
    """The server under attack."""

    def __init__(
        self, server: Server, found: Surroundings, environment: Mapping[str, str], folder: Path, quick: bool
    ) -> None:
        self.server = server
        self.found = found
        self.environment = dict(environment)
        self.folder = folder
        self.quick = quick
        self.base_url = server.base_url
        self.port = int(server.base_url.rpartition(":")[2])
        self.master = server.master_key()
        self._numbers = itertools.count(1)

    def count(self, whole: int) -> int:
        """The size of a flood: a quarter of it in the short form."""
        return max(1, whole // 4) if self.quick else whole

    def fresh(self, word: str = "attacked") -> str:
        """A name that was not used before."""
        return f"{word}-{next(self._numbers)}"

    def send(
        self, method: str, path: str, body: Any = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """One request."""
        return wire.send(self.port, method, path, body, headers)

    def raw(self, payload: bytes, seconds: float = 5.0) -> bytes:
        """Bytes in, bytes out."""
        return wire.exchange(self.port, payload, seconds)

    def owner(self, slug: str | None = None) -> Caller:
        """The operator in a project, which is created."""
        caller = Caller(self, slug or self.fresh(), self.master)
        caller.must("GET", "")
        return caller

    def caller(self, slug: str, *scopes: str, trust: str = "normal", **more: Any) -> Caller:
        """A new key of a project. Without scopes: those of an agent."""
        return Caller(self, slug, str(self.new_key(slug, *scopes, trust=trust, **more)["api_key"]))

    def new_key(self, slug: str, *scopes: str, trust: str = "normal", **more: Any) -> dict[str, Any]:
        """Creates a key as the operator."""
        body = {"label": "attack", "scopes": list(scopes or AGENT_SCOPES), "trust": trust, **more}
        return dict(Caller(self, slug, self.master).must("POST", "/api-keys", body))

    def command(
        self, *arguments: str, check: bool = True, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Runs the binary as the operator, against the server's database or with another environment."""
        done = subprocess.run(
            [str(self.found.binary), *arguments],
            env=dict(environment or self.environment),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if check and done.returncode != 0:
            raise Impossible(
                f"`reflect {' '.join(arguments)}` ended with {done.returncode}: {done.stderr[:500]}"
            )
        return done

    def link(self, name: str, role: str) -> str:
        """A sign-in link for a member of all projects; returns its secret."""
        said = self.command("members", "link", "--name", name, "--role", role, "--public-url", self.base_url)
        url = next((word for word in said.stdout.split() if "/login?" in word), "")
        found = parse_qs(urlsplit(url).query).get("t")
        if not found:
            raise Impossible(f"`reflect members link` printed no link: {said.stdout[:300]}")
        return found[0]

    def sign_in(self, secret: str, cookies: Mapping[str, str] | None = None) -> tuple[Answer, Visitor]:
        """Presses the button of a link; returns the answer, and the browser afterwards."""
        page = self.send("GET", f"/login?t={quote(secret)}", headers={"Accept": "text/html"})
        kept = {**(cookies or {}), **cookies_of(page)}
        token = re.search(r'name="form"\s+value="([^"]*)"', page.text) or re.search(
            r'value="([^"]*)"[^>]*name="form"', page.text
        )
        form = urlencode({"form": html.unescape(token.group(1)) if token else "", "t": secret}).encode()
        answer = self.send(
            "POST",
            "/login",
            form,
            {
                "Content-Type": "application/x-www-form-urlencoded",
                "Cookie": "; ".join(f"{name}={value}" for name, value in kept.items()),
                "Origin": self.base_url,
            },
        )
        return answer, Visitor(self, {**kept, **cookies_of(answer)})

    def member(self, role: str, name: str | None = None) -> Visitor:
        """A signed-in member of all projects."""
        answer, visitor = self.sign_in(self.link(name or self.fresh("member"), role))
        if answer.status not in (302, 303) or "reflect" not in visitor.cookies:
            raise Impossible(f"signing in answered {answer.status}: {answer.text[:300]}")
        return visitor

    def sql(self, statement: str) -> str:
        """Runs a statement as the owner of the database."""
        url = self.environment["REFLECT_DATABASE_URL"]
        return ask_database(self.found.psql, url, statement, self.found.inherited)

    def log(self) -> str:
        """The whole log of the server."""
        return self.server.log_tail(1_000_000)

    def is_alive(self) -> bool:
        """Whether the process answers."""
        return wire.send(self.port, "GET", "/health", seconds=10).status == 200

    def memory_kilobytes(self, field: str = "VmRSS") -> int:
        """The memory of the process: `VmRSS` now, `RssFile` of files, `VmHWM` at most since `forget_peak`."""
        status = Path(f"/proc/{self.server.pid}/status").read_text(encoding="utf-8")
        found = re.search(rf"{field}:\s+(\d+) kB", status)
        return int(found.group(1)) if found else 0

    def forget_peak(self) -> None:
        """Starts a new measurement of the largest memory."""
        Path(f"/proc/{self.server.pid}/clear_refs").write_text("5", encoding="utf-8")


def uuid7() -> str:
    """An id that does not exist yet, of the form that the server uses."""
    text = f"{int(time.time() * 1000):012x}7{secrets.token_hex(2)[:3]}8{secrets.token_hex(8)[:15]}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def cookies_of(answer: Answer) -> dict[str, str]:
    """The cookies that a response sets."""
    lines = answer.headers.get("set-cookie", "").split("\n")
    pairs = [line.split(";")[0].split("=", 1) for line in lines if "=" in line]
    return {name.strip(): value.strip() for name, value in pairs}
