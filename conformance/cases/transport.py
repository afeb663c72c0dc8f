"""Transport, items 1 to 8: addresses, encodings, and response formats."""

from __future__ import annotations

from reflect_sdk import ReflectClient

from cases.http_library import httpx
from cases.newer import NewerClient
from cases.registry import case
from cases.routes import ROUTES
from cases.runs import messages
from cases.setting import Setting
from cases.wire import recorded, refused

UNKNOWN_KEY = "rf_live_nobody00_0123456789abcdefghijklmnopqrstuv"


@case(1, "GET /health needs no key and answers a JSON object of strings")
def health(here: Setting) -> None:
    with recorded() as seen:
        answer = here.client(key=UNKNOWN_KEY).health()

    assert "authorization" not in seen[0].request.headers
    assert seen[0].status_code == 200, f"answered {seen[0].status_code}"
    assert isinstance(answer, dict) and answer, f"not an object with content: {answer!r}"
    assert all(isinstance(value, str) for value in answer.values()), f"not all strings: {answer!r}"


@case(2, "A missing or unknown key answers 401 on every route of a project, never 404")
def unknown_key(here: Setting) -> None:
    owner, stranger = here.client(), here.client(key=UNKNOWN_KEY)
    trace = owner.create_trace(task="t", trajectory=messages("t")).id
    key = owner.create_api_key(label="any", scopes=["trace:read"]).key.id

    for call in (
        lambda: stranger.create_trace(task="t", trajectory=messages("t")),
        lambda: stranger.list_traces(),
        lambda: stranger.get_trace(trace),
        lambda: stranger.list_api_keys(),
        lambda: stranger.create_api_key(label="any", scopes=["trace:read"]),
        lambda: stranger.revoke_api_key(key),
    ):
        status = refused(call)
        assert status == 401, f"an unknown key got {status} through the client"

    bad_headers = ({}, {"Authorization": f"Bearer {UNKNOWN_KEY}"}, {"Authorization": "Bearer nonsense"})
    for project in (here.project, here.another_project()):
        for route in ROUTES:
            url = route.url(here.base_url, project, trace=trace, key=key)
            for headers in bad_headers:
                answer = httpx.request(route.method, url, headers=headers, json=route.body)
                assert answer.status_code == 401, (
                    f"{route.method} {route.path or '/'} with {headers or 'no key'} "
                    f"answered {answer.status_code}"
                )


@case(3, "A base URL with a trailing slash and one with a path prefix both work")
def base_urls(here: Setting) -> None:
    for base_url in (here.base_url + "/", here.prefixed_url, here.prefixed_url + "/"):
        client = ReflectClient(base_url=base_url, api_key=here.master_key, project_id=here.project)
        assert client.health()
        made = client.create_trace(task=base_url, trajectory=messages("t")).id
        assert client.get_trace(made).task == base_url
        # All URLs reach the same installation.
        assert here.client().get_trace(made).task == base_url


@case(4, "The project id `a b/c`, sent as a%20b%2Fc, is one project")
def odd_project(here: Setting) -> None:
    client = here.client("a b/c")
    made = client.create_trace(task="Sort the inbox", trajectory=messages("t")).id
    client.create_api_key(label="odd", scopes=["trace:read"])

    assert [trace.id for trace in client.list_traces()] == [made]
    assert client.get_trace(made).task == "Sort the inbox"
    assert "odd" in [key.label for key in client.list_api_keys()]
    for neighbour in ("a b", "a", "c", "a%20b%2Fc"):
        assert here.client(neighbour).list_traces() == [], f"the trace shows in {neighbour!r} too"
    raw = httpx.get(
        f"{here.base_url}/v1/projects/a%20b%2Fc/traces/{made}",
        headers={"Authorization": f"Bearer {here.master_key}"},
    )
    assert raw.status_code == 200, f"a%20b%2Fc answered {raw.status_code}"


@case(5, "A client without a project id reaches the project `default`")
def default_project(here: Setting) -> None:
    named = here.client("default")

    for omitted in (None, ""):
        client = ReflectClient(base_url=here.base_url, api_key=here.master_key, project_id=omitted)
        made = client.create_trace(task=f"given {omitted!r}", trajectory=messages("t")).id
        assert named.get_trace(made).task == f"given {omitted!r}"


@case(6, "No route answers 3xx or 204, and every 2xx body is JSON")
def answers_are_json(here: Setting) -> None:
    client = here.client()
    authorization = {"Authorization": f"Bearer {here.master_key}"}
    with recorded() as seen:
        client.health()
        trace = client.create_trace(task="t", trajectory=messages("t")).id
        client.create_trace(task="t", trajectory="as text", review_result="pass")
        client.get_trace(trace)
        client.list_traces()
        client.list_traces(review_status="pending")
        client.list_traces(review_status="reviewed")
        key = client.create_api_key(label="any", scopes=["trace:read"]).key.id
        client.list_api_keys()
        client.revoke_api_key(key)
        plainly = NewerClient(here).get_trace
        assert refused(lambda: client.get_trace("unknown"), lambda: plainly("unknown")) == 404
        client.get_skill()
        for route in ROUTES:
            url = route.url(here.base_url, here.project, trace=trace, key=key)
            # An extra slash is a common cause of redirects.
            for address in (url + "/", url):
                httpx.request(route.method, address, headers=authorization, json=route.body)
        httpx.get(f"{here.base_url}/health/")
        httpx.post(f"{here.base_url}/v1/bootstrap", headers={"X-Bootstrap-Token": "wrong"}, json={})

    assert len(seen) >= 12 + 2 * len(ROUTES), f"only {len(seen)} responses were recorded"
    for response in seen:
        said = f"{response.request.method} {response.request.url.path} answered {response.status_code}"
        assert not response.is_redirect and not 300 <= response.status_code < 400, said
        assert response.status_code != 204, said
        if response.is_success:
            kind = response.headers.get("content-type", "")
            assert kind.startswith("application/json"), f"{said} with {kind or 'no content type'}"
            response.json()


@case(7, "200 fresh connections in a row succeed")
def fresh_connections(here: Setting) -> None:
    here.client().create_trace(task="t", trajectory=messages("t"))

    # The published client opens a connection per call. Our clients reuse connections, so every
    # call uses a new client.
    for number in range(200):
        assert len(here.client().list_traces()) == 1, f"call {number + 1} lost the trace"


@case(8, "Text beyond ASCII survives in task and trajectory")
def beyond_ascii(here: Setting) -> None:
    client = here.client()
    task = "Résumé für Zoë übersetzen 🚀 漢字 \u202eabc\u202c e\u0301"
    trajectory = [
        {"role": "user", "content": task},
        {"role": "assistant", "content": "Voilà 👩‍👩‍👧 — “done”\nnext line\ttab", "name": "né"},
    ]
    made = client.create_trace(task=task, trajectory=trajectory, metadata={"clé": "häß"}).id
    wrapped = client.create_trace(task=task, trajectory="naïve 🚀 text").id

    stored = client.get_trace(made)
    assert stored.task == task, f"the task came back as {stored.task!r}"
    assert stored.trajectory == trajectory, f"the trajectory came back as {stored.trajectory!r}"
    assert stored.metadata == {"clé": "häß"}, f"the metadata came back as {stored.metadata!r}"
    assert stored.final_response == trajectory[1]["content"]
    assert "naïve 🚀 text" in client.get_trace(wrapped).trajectory[0].values()
