"""Bootstrap and keys, items 9 to 15."""

from __future__ import annotations

from functools import cache

from reflect_sdk import ApiKeyInfo, BootstrapInfo, ReflectClient

from cases.http_library import httpx
from cases.registry import case
from cases.runs import messages
from cases.setting import ALL_SCOPES, Setting
from cases.wire import REFUSALS, eventually, recorded, refused, status_of

PROJECT = "first-project"

# A server may cache verified keys; a revoked key must be rejected within this time.
REVOCATION_SECONDS = 5.0


@cache
def bootstrap(base_url: str, token: str) -> BootstrapInfo:
    """Bootstraps with the client; cached, because a token works only once."""
    return ReflectClient.bootstrap(
        base_url=base_url, bootstrap_token=token, user_id="first-user", project_id=PROJECT
    )


def own_keys(client: ReflectClient) -> list[ApiKeyInfo]:
    """The keys of the client's project; the list may also contain master keys."""
    return [key for key in client.list_api_keys() if not key.is_master]


@case(9, "Bootstrap takes the right token and answers user, project and key; a wrong one is refused")
def bootstrap_token(here: Setting) -> None:
    for wrong in ("wrong", here.bootstrap_token[:-1], here.bootstrap_token + "x"):
        status = refused(lambda token=wrong: bootstrap(here.base_url, token))
        assert 400 <= status < 500, f"a wrong token was refused with {status}"
    without = httpx.post(f"{here.base_url}/v1/bootstrap", json={"user_id": "u", "project_id": PROJECT})
    assert 400 <= without.status_code < 500, f"no token was refused with {without.status_code}"

    first = bootstrap(here.base_url, here.bootstrap_token)

    assert isinstance(first.user_id, str) and first.user_id, f"user_id is {first.user_id!r}"
    assert first.project_id == PROJECT, f"project_id is {first.project_id!r}"
    assert isinstance(first.api_key, str) and first.api_key, "api_key is empty"


@case(10, "The bootstrap key starts with rf_live_ and works at once")
def bootstrap_key(here: Setting) -> None:
    first = bootstrap(here.base_url, here.bootstrap_token)
    client = here.client(first.project_id, key=first.api_key)

    # The client asks for the environment `live` unless told otherwise.
    assert first.api_key.startswith("rf_live_"), f"the key starts with {first.api_key[:8]!r}"
    made = client.create_trace(task="Sort the inbox", trajectory=messages("t")).id
    assert client.get_trace(made).task == "Sort the inbox"


@case(11, "create_api_key returns the plaintext key and what may be shown of it")
def create_key(here: Setting) -> None:
    client = here.client()
    scopes = ["memory:read", "trace:write"]
    for environment in ("live", "test"):
        with recorded() as seen:
            made = client.create_api_key(label="agent", scopes=scopes, environment=environment)

        # Check the raw response: the client would fill absent fields with defaults.
        shown = seen[0].json()["key"]
        for name in ("id", "public_id", "label", "scopes", "environment", "status"):
            assert name in shown, f"key has no {name}"
        assert made.api_key.startswith(f"rf_{environment}_"), f"starts with {made.api_key[:8]!r}"
        assert made.key.id and made.key.public_id
        assert made.key.label == "agent"
        assert sorted(made.key.scopes) == scopes, f"scopes are {made.key.scopes}"
        assert made.key.environment == environment
        assert made.key.status == "active"
        assert made.key.is_master is False


@case(12, "list_api_keys returns a bare array without any plaintext, scopes never null")
def list_keys(here: Setting) -> None:
    client = here.client()
    made = [client.create_api_key(label=f"key {n}", scopes=["trace:read"]) for n in range(2)]
    client.revoke_api_key(made[1].key.id)
    with recorded() as seen:
        listed = client.list_api_keys()

    raw = seen[0].json()
    assert isinstance(raw, list), f"not an array: {raw!r}"
    assert {key.id for key in listed if not key.is_master} == {one.key.id for one in made}
    assert all(isinstance(key.get("scopes"), list) for key in raw), f"scopes missing or null: {raw!r}"
    for one in made:
        secret = one.api_key.rsplit("_", 1)[-1]
        assert one.api_key not in seen[0].text and secret not in seen[0].text, "a secret is listed"


@case(13, "A revoked key comes back as revoked and then fails")
def revoke_key(here: Setting) -> None:
    owner = here.client()
    made = owner.create_api_key(label="short-lived", scopes=["trace:read"])
    holder = here.client(key=made.api_key)
    assert holder.list_traces() == []

    with recorded() as seen:
        revoked = owner.revoke_api_key(made.key.id)

    assert seen[0].request.content == b"{}"
    assert revoked.id == made.key.id
    assert revoked.status == "revoked", f"the status is {revoked.status!r}"

    def is_out() -> bool:
        try:
            holder.list_traces()
        except REFUSALS as error:
            assert status_of(error) == 401, f"refused with {status_of(error)}"
            return True
        return False

    eventually(is_out, REVOCATION_SECONDS, "the revoked key is refused")
    assert [key.status for key in own_keys(owner)] == ["revoked"]


@case(14, "A key limited to memory:read can query and cannot create traces")
def reading_key(here: Setting) -> None:
    reader = here.client(key=here.key("memory:read"))

    status = refused(lambda: reader.create_trace(task="t", trajectory=messages("t")))
    assert status == 403, f"creating a trace was refused with {status}"
    assert here.client().list_traces() == [], "the refused trace was stored"
    assert reader.query_memories("Sort the inbox") == []


@case(15, "A master key creates an unknown project on first use; another key cannot")
def unknown_projects(here: Setting) -> None:
    written, read = here.another_project(), here.another_project()
    made = here.client(written).create_trace(task="t", trajectory=messages("t")).id
    assert here.client(written).get_trace(made).id == made
    assert here.client(read).list_traces() == []

    limited, unknown = here.key(*ALL_SCOPES), here.another_project()
    stranger = here.client(unknown, key=limited)
    for call in (
        lambda: stranger.create_trace(task="t", trajectory=messages("t")),
        lambda: stranger.list_traces(),
        lambda: stranger.create_api_key(label="own", scopes=["trace:read"]),
        # A project that exists but belongs to others looks the same as one that does not.
        lambda: here.client(written, key=limited).get_trace(made),
    ):
        status = refused(call)
        assert status == 404, f"a key of another project was refused with {status}"
    assert here.client(key=limited).list_traces() == [], "the key does not work in its own project"
    assert here.client(unknown).list_traces() == [], "the refused trace was stored"
    assert own_keys(here.client(unknown)) == [], "the refused key was stored"
