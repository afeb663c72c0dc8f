"""People at an identity provider who may not sign in, and tokens that the provider did not issue."""

from __future__ import annotations

import base64
import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attack.registry import Impossible, attacks_of, got_in
from attack.target import Target, cookies_of
from attack.wire import Answer, send
from server import Server

attack = attacks_of("identity provider")

CLIENT, SECRET, DOMAIN = "reflect", "a-shared-secret-of-the-client", "example.com"


def encoded(value: object) -> str:
    """A part of a token."""
    raw = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def openssl(*arguments: str, given: bytes = b"") -> bytes:
    """Runs openssl, because the standard library cannot sign."""
    return subprocess.run(["openssl", *arguments], input=given, capture_output=True, check=True).stdout


class IdentityProvider:
    """A provider on loopback that issues whatever token the attack wants, once for each code."""

    def __init__(self, folder: Path) -> None:
        self.keys = {name: folder / f"{name}.pem" for name in ("own", "foreign")}
        for path in self.keys.values():
            if not path.exists():
                openssl("genrsa", "-out", str(path), "2048")
        modulus = openssl("rsa", "-in", str(self.keys["own"]), "-noout", "-modulus").decode().strip()
        self.modulus = encoded(bytes.fromhex(modulus.partition("=")[2]))
        self.token = ""
        self.used_codes: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://127.0.0.1:{self._server.server_port}"
        # Another person for each provider: only a few new members can have the same name and address.
        self.person = f"ana-{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        """Stops listening."""
        self._server.shutdown()
        self._server.server_close()

    def claims(self, nonce: str, /, **more: Any) -> dict[str, Any]:
        """The claims of a person who may sign in, with changes."""
        now = int(time.time())
        usual = {
            "iss": self.issuer,
            "sub": self.person,
            "aud": CLIENT,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
        }
        person = {"email": f"{self.person}@{DOMAIN}", "email_verified": True, "name": self.person}
        return {**usual, **person, "groups": ["team"], **more}

    def signed(self, claims: dict[str, Any], key: str = "own", algorithm: str = "RS256") -> str:
        """A token, signed with one of the keys, with the shared secret, or not at all."""
        text = f"{encoded({'alg': algorithm, 'typ': 'JWT', 'kid': 'own'})}.{encoded(claims)}"
        if algorithm == "none":
            return f"{text}."
        if algorithm == "HS256":
            signature = openssl("dgst", "-sha256", "-hmac", SECRET, "-binary", given=text.encode())
        else:
            signature = openssl("dgst", "-sha256", "-sign", str(self.keys[key]), given=text.encode())
        return f"{text}.{encoded(signature)}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer(
                    {
                        "keys": [
                            {
                                "kty": "RSA",
                                "use": "sig",
                                "alg": "RS256",
                                "kid": "own",
                                "n": provider.modulus,
                                "e": "AQAB",
                            }
                        ]
                    }
                    if self.path == "/keys"
                    else {
                        "issuer": provider.issuer,
                        "authorization_endpoint": f"{provider.issuer}/authorize",
                        "token_endpoint": f"{provider.issuer}/token",
                        "jwks_uri": f"{provider.issuer}/keys",
                        "response_types_supported": ["code"],
                        "subject_types_supported": ["public"],
                        "id_token_signing_alg_values_supported": ["RS256"],
                    }
                )

            def do_POST(self) -> None:
                form = parse_qs(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
                code = form["code"][0]
                if code in provider.used_codes:
                    self.answer({"error": "invalid_grant"}, 400)
                    return
                provider.used_codes.add(code)
                token = {
                    "access_token": "x",
                    "token_type": "Bearer",
                    "expires_in": 60,
                    "id_token": provider.token,
                }
                self.answer(token)

            def answer(self, value: object, status: int = 200) -> None:
                text = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: object) -> None:
                """Prints nothing."""

        return Handler


class SignIn:
    """A server that uses the provider, and a browser."""

    def __init__(self, port: int, provider: IdentityProvider) -> None:
        self.port = port
        self.provider = provider

    def started(self) -> tuple[str, str, dict[str, str]]:
        """State and nonce of a new sign-in, and the browser's cookies."""
        page = send(self.port, "GET", "/login/corp")
        query = parse_qs(urlsplit(page.headers.get("location", "")).query)
        if "state" not in query or "nonce" not in query:
            raise Impossible(f"the sign-in did not start: {page.status} {page.text[:300]}")
        return query["state"][0], query["nonce"][0], cookies_of(page)

    def finished(self, state: str, cookies: dict[str, str]) -> Answer:
        """The browser comes back from the provider."""
        cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
        callback = f"/login/corp/callback?code=code-of-{state}&state={state}"
        return send(self.port, "GET", callback, None, {"Cookie": cookie})

    def signs_in(self, key: str = "own", algorithm: str = "RS256", **claims: Any) -> bool:
        """Whether a token with these changes signs a person in."""
        state, nonce, cookies = self.started()
        self.provider.token = self.provider.signed(self.provider.claims(nonce, **claims), key, algorithm)
        return "reflect" in cookies_of(self.finished(state, cookies))


@contextmanager
def configured(target: Target) -> Iterator[SignIn]:
    """A process of the installation that members sign in to with a provider."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    provider = IdentityProvider(target.folder)
    settings = target.folder / f"{target.fresh('oidc')}.toml"
    settings.write_text(
        f'[[provider]]\nname = "corp"\nissuer = "{provider.issuer}"\nclient_id = "{CLIENT}"\n'
        f'client_secret = "{SECRET}"\nallowed_domains = ["{DOMAIN}"]\n[provider.groups]\nteam = "viewer"\n',
        encoding="utf-8",
    )
    settings.chmod(0o600)
    public = {"REFLECT_OIDC_FILE": str(settings), "REFLECT_PUBLIC_URL": f"http://127.0.0.1:{port}"}
    log = target.folder / f"{target.fresh('oidc')}.log"
    try:
        with Server(target.found.binary, {**target.environment, **public}, log, port=port):
            sign_in = SignIn(port, provider)
            if not sign_in.signs_in():
                raise Impossible("a right token does not sign in")
            yield sign_in
    finally:
        provider.stop()


@attack("forged ID tokens", defence="id-token", watched=False)
def forged_tokens(target: Target) -> str:
    """Only a token of this provider, for this client, for this sign-in, that is still valid, signs in."""
    now = int(time.time())
    with configured(target) as sign_in:
        wrong: dict[str, dict[str, Any]] = {
            "without a signature": {"algorithm": "none"},
            "signed with the client's secret": {"algorithm": "HS256"},
            "signed with another key": {"key": "foreign"},
            "for another client": {"aud": "another"},
            "of another issuer": {"iss": "https://evil.example"},
            "of another sign-in": {"nonce": "another"},
            "that has expired": {"iat": now - 7200, "exp": now - 3600},
        }
        for name, changes in wrong.items():
            if sign_in.signs_in(**changes):
                got_in(f"a token {name} signed in")
    return f"{len(wrong)} tokens refused"


@attack("people of other domains and groups", defence="sign-in-domain", watched=False)
def foreign_people(target: Target) -> str:
    """Only a verified address of an allowed domain, with a group that gives a role, signs in."""
    with configured(target) as sign_in:
        wrong: dict[str, dict[str, Any]] = {
            "of another domain": {"email": "ana@evil.example"},
            "of a longer domain": {"email": f"ana@{DOMAIN}.evil.example"},
            "of a subdomain": {"email": f"ana@x.{DOMAIN}"},
            "with two addresses in one": {"email": f"ana@{DOMAIN}@evil.example"},
            "with an address that is not verified": {"email_verified": False},
            "without an address": {"email": None},
            "without a group": {"groups": []},
            "with a group of another name": {"groups": ["Team", "team "]},
        }
        for number, (name, changes) in enumerate(wrong.items()):
            if sign_in.signs_in(sub=f"person-{number}", **changes):
                got_in(f"a person {name} signed in")
    return f"{len(wrong)} people refused"


@attack("sign-ins that another browser started", watched=False)
def foreign_state(target: Target) -> str:
    """A callback counts only in the browser that started it, once."""
    with configured(target) as sign_in:
        state, nonce, cookies = sign_in.started()
        other_state, _, other_cookies = sign_in.started()
        sign_in.provider.token = sign_in.provider.signed(sign_in.provider.claims(nonce))
        for name, attempt in {
            "without the cookie": (state, {}),
            "with the cookie of another sign-in": (state, other_cookies),
            "with the state of another sign-in": (other_state, cookies),
            "with a chosen state": ("x", cookies),
        }.items():
            if "reflect" in cookies_of(sign_in.finished(*attempt)):
                got_in(f"a callback {name} signed in")
        sign_in.finished(state, cookies)
        if "reflect" in cookies_of(sign_in.finished(state, cookies)):
            got_in("a callback signed in twice")
    return "refused"
