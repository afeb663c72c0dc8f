"""Attackers without a key who guess: keys, tokens, links, sessions."""

from __future__ import annotations

import secrets
import statistics
import string
import time
import zlib

from attack import wire
from attack.registry import attacks_of, got_in
from attack.target import Caller, Target

attack = attacks_of("no key")

LETTERS = string.digits + string.ascii_uppercase + string.ascii_lowercase
LAST_USED_SECONDS = 3.0


def checksum(body: str) -> str:
    """The last six characters of a key."""
    rest, text = zlib.crc32(body.encode()), ""
    for _ in range(6):
        rest, digit = divmod(rest, 62)
        text = LETTERS[digit] + text
    return text


def forged(public_id: str, secret: str | None = None) -> str:
    """A key with a valid checksum and a wrong secret."""
    secret = secret or "".join(secrets.choice(LETTERS) for _ in range(43))
    body = f"rf_live_{public_id}_{secret}"
    return body + checksum(body)


def public_id(key: str) -> str:
    """The public id of a key."""
    return key.split("_")[2]


@attack("guessed keys")
def guessed_keys(target: Target) -> str:
    """Wrong checksums, unknown ids, wrong secrets and other schemes are all refused alike."""
    owner = target.owner()
    key = target.caller(owner.slug).key
    body, sum_ = key[:-6], key[-6:]
    wrong = [
        body + ("0" if sum_[0] != "0" else "1") + sum_[1:],
        key[:-1],
        key + "0",
        key.upper(),
        key.replace("rf_live_", "rf_test_"),
        forged(public_id(key)),
        forged("AAAAAAAA"),
        key + "\x00",
        f" {key[:20]}",
        "null",
        "",
        "undefined",
        "rf_live_" + "A" * 100_000,
    ]
    for guess in wrong:
        answer = Caller(target, owner.slug, guess).send("GET", "/traces")
        if answer.status not in (0, 400, 401, 431):
            got_in(f"a wrong key got {answer.status}")
    for header in (f"Basic {key}", f"Token {key}", key, f"Bearer  {key}x", f"Bearer {key} {key}"):
        if target.send("GET", f"{owner.root}/traces", headers={"Authorization": header}).ok:
            got_in(f"accepted an authorisation that starts with {header[:10]!r}")
    for place in (f"?api_key={key}", f"?key={key}", f"?access_token={key}"):
        if target.send("GET", f"{owner.root}/traces{place}").ok:
            got_in("accepted a key in the address, where logs would keep it")
    return f"{len(wrong)} guesses refused"


@attack("a wrong secret that marks a key as used", row=13, defence="last-used")
def last_used(target: Target) -> str:
    """A wrong secret with a valid checksum changes nothing about the key that it names."""
    owner = target.owner()
    key = target.new_key(owner.slug)["api_key"]
    for _ in range(3):
        Caller(target, owner.slug, forged(public_id(key))).send("GET", "/traces")
    # Uses are written in batches.
    deadline = time.monotonic() + LAST_USED_SECONDS
    while time.monotonic() < deadline:
        listed = owner.must("GET", "/api-keys")
        used = next(one["last_used_at"] for one in listed if one["public_id"] == public_id(key))
        if used is not None:
            got_in("a wrong secret updated when the key was last used")
        time.sleep(0.5)
    return "not marked"


@attack("the time that a lookup of a key takes")
def key_timing(target: Target) -> str:
    """The time to refuse a secret does not depend on how much of it is right."""
    owner = target.owner()
    key = target.caller(owner.slug).key
    secret = key.split("_")[3][:43]
    other = "A" if secret[0] != "A" else "B"
    nearly = forged(public_id(key), secret[:42] + ("A" if secret[42] != "A" else "B"))
    wrong = forged(public_id(key), other + secret[1:])
    times: dict[str, list[float]] = {nearly: [], wrong: []}
    for _ in range(target.count(400)):
        for guess, taken in times.items():
            began = time.perf_counter()
            Caller(target, owner.slug, guess).send("GET", "/traces")
            taken.append(time.perf_counter() - began)
    near, far = (statistics.median(taken) for taken in times.values())
    spread = statistics.median(abs(one - near) for one in times[nearly])
    if abs(near - far) > max(0.002, 3 * spread):
        got_in(f"a secret with 42 right characters takes {near * 1e3:.2f} ms, with none {far * 1e3:.2f} ms")
    return f"{abs(near - far) * 1e6:.0f} µs between medians"


@attack("guessed bootstrap tokens")
def bootstrap(target: Target) -> str:
    """The first key is created once, with the right token only."""
    body = {"user_id": "u", "project_id": target.fresh()}
    for token in ("", "x", "a" * 16, "a" * 100_000, "\x00"):
        answer = target.send("POST", "/v1/bootstrap", body, {"X-Bootstrap-Token": token})
        if answer.ok:
            got_in("a guessed token created a master key")
    answers = wire.together(target.count(200), lambda n: target.send("POST", "/v1/bootstrap", body))
    if any(answer.ok for answer in answers):
        got_in("a request without a token created a master key")
    return "refused"


@attack("guessed and changed feedback tokens")
def feedback_tokens(target: Target) -> str:
    """A token that this server did not issue, or another spelling of one that it did, votes on no run."""
    owner = target.owner()
    trace = owner.trace("Answer the customer")
    token = owner.must("POST", f"/traces/{trace}/feedback-token", {})["token"]
    half = len(token) // 2
    changed = "0" if token[half] != "0" else "1"
    guesses = [
        *("", "rff_", token[:-2], token + "00", token.upper(), f"rff_{token[4:].upper()}", owner.key),
        token[:half] + changed + token[half + 1 :],
        f"rff_{secrets.token_hex(half - 2)}",
        "rff_" + "0" * 10_000,
    ]
    for guess in guesses:
        answer = target.send("POST", "/v1/feedback", {"token": guess, "outcome": "fail"})
        if answer.status not in (401, 413, 422, 429):
            got_in(f"the token {guess[:12]!r} got {answer.status}")
    if Caller(target, owner.slug, token).send("GET", "/traces").ok:
        got_in("a feedback token was accepted as a key")
    if owner.must("GET", f"/traces/{trace}/signals")["signals"]:
        got_in("a guessed token voted")
    return f"{len(guesses)} guesses refused"


@attack("guessed links and sessions")
def guessed_links(target: Target) -> str:
    """Random links and sessions, and SQL instead of them, open nothing."""
    for guess in (secrets.token_urlsafe(32), "' or '1'='1", "%", "", "null", "0" * 50_000, "\u0661"):
        answer, visitor = target.sign_in(guess)
        if answer.status in (302, 303) and "reflect" in visitor.cookies:
            got_in(f"the link {guess[:30]!r} signed in")
        session = {"Cookie": f"reflect={guess}".encode("ascii", "ignore").decode()}
        if target.send("GET", "/console/api/session", headers=session).ok:
            got_in(f"the session {guess[:30]!r} was accepted")
    return "refused"


@attack("links for setup after the setup", row=8)
def setup_after_setup(target: Target) -> str:
    """After the first member exists, no link of the log creates another admin."""
    target.member("admin")
    words = target.log().replace('"', " ").replace("\\", " ").split()
    links = {word.partition("/setup?t=")[2] for word in words if "/setup?t=" in word}
    for secret in [*links, "", "x"]:
        page = target.send("GET", f"/setup?t={secret}")
        if page.ok and b'name="name"' in page.body:
            got_in("the setup form is open although a member exists")
    return f"{len(links)} links of the log, none opens"
