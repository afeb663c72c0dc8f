"""Whatever a proxy returns: a block does not raise, no run is lost, and a direct call raises a typed error."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from typing import Any

import pytest

import reflect_sdk
from reflect_sdk import AsyncReflectClient, ReflectClient

MESSAGES = [{"role": "assistant", "content": "done"}]
HTML = b"<!DOCTYPE html><html><body>Sign in</body></html>"


def http(status: str, body: bytes = b"", *headers: str, length: int | None = None) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body) if length is None else length}"]
    return "\r\n".join([*lines, "Connection: close", "", ""]).encode() + body


def page(status: str, *headers: str) -> bytes:
    return http(status, HTML, "Content-Type: text/html", *headers)


def data(value: object) -> bytes:
    return http("200 OK", json.dumps(value).encode(), "Content-Type: application/json")


MEMORY = {"id": "m", "task": "t", "reflection": "r"}
PROMPT = {"task": "t", "augmented_task": "t", "memories": [], "retrieval_id": "r", "degraded": False}

RESPONSES = {
    "sign-in page": page("200 OK"),
    "page without content type": http("200 OK", HTML),
    "list": data([]),
    "list of numbers": data([1, 2]),
    "null": data(None),
    "number": data(7),
    "text": data("ok"),
    "true": data(True),
    "empty object": data({}),
    "results that name no run": data({"results": [None]}),
    "prompt is a number": data({**PROMPT, "augmented_task": 7}),
    "memories are text": data({**PROMPT, "memories": "none"}),
    "memory is null": data({**PROMPT, "memories": [None]}),
    "memory without id": data({**PROMPT, "memories": [{"task": "t"}]}),
    "similarity is text": data({**PROMPT, "memories": [{**MEMORY, "similarity": "high"}]}),
    "receipt is a list": data({**PROMPT, "retrieval_id": []}),
    "no content": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "empty": http("200 OK"),
    "redirect": page("302 Found", "Location: https://login.example.org/"),
    "permanent redirect": page("308 Permanent Redirect", "Location: /elsewhere"),
    "redirect without location": page("301 Moved Permanently"),
    "400": page("400 Bad Request"),
    "401": page("401 Unauthorized", "WWW-Authenticate: Basic"),
    "403": page("403 Forbidden"),
    "404": page("404 Not Found"),
    "407": page("407 Proxy Authentication Required"),
    "413": page("413 Payload Too Large"),
    "422": page("422 Unprocessable"),
    "429": page("429 Too Many Requests", "Retry-After: soon"),
    "429 with a date without zone": page("429 Too Many Requests", "Retry-After: Wed, 21 Oct 2015 07:28:00 -0000"),
    "500": page("500 Internal Server Error"),
    "502": page("502 Bad Gateway"),
    "503": page("503 Service Unavailable"),
    "504": page("504 Gateway Timeout"),
    "error that is text": http("500 Internal Server Error", b'{"error": "no"}'),
    "error that is a list": http("403 Forbidden", b"[1]"),
    "truncated JSON": http("200 OK", b'{"augmented_task": "t", "memories": [{"id"'),
    "invalid UTF-8": http("200 OK", b'{"augmented_task": "\xff\xfe"}', "Content-Type: application/json"),
    "very deep JSON": http("200 OK", b"[" * 100_000),
    "shorter than announced": http("200 OK", b"{}", length=1000),
    "longer than announced": http("200 OK", b'{"augmented_task": "t"}', length=3),
    "wrong content encoding": http("200 OK", b"{}", "Content-Encoding: gzip"),
    "broken gzip": http("200 OK", gzip.compress(b"{}")[:-9], "Content-Encoding: gzip"),
    "closed without a response": b"",
    "not HTTP": b"SSH-2.0-OpenSSH_9.6\r\n",
}


@pytest.fixture(params=RESPONSES.values(), ids=RESPONSES.keys())
def answered(request: pytest.FixtureRequest, proxy: Any) -> None:
    proxy.response = request.param


@pytest.mark.usefixtures("answered")
def test_a_block_goes_on_and_its_run_is_kept(client: ReflectClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "reflect_sdk"), client.trace("t") as run:
        assert run.augmented_task == "t" and run.memory_block == "" and run.memories == []
        assert run.degraded is not None
        run.set_output(trajectory=MESSAGES, result="pass")
    assert "continues without memories" in caplog.text and "Traceback" not in caplog.text
    flushed = client.flush(timeout=0.5)
    assert (flushed.sent, flushed.spooled, flushed.dropped) == (0, 1, 0)


@pytest.mark.usefixtures("answered")
def test_an_awaited_block_goes_on_too(client: ReflectClient) -> None:
    async def main() -> None:
        async with client.trace_async("t") as run:
            assert run.augmented_task == "t" and run.memory_block == "" and run.degraded is not None
            run.set_output(trajectory=MESSAGES, result="pass")

    asyncio.run(main())
    flushed = client.flush(timeout=0.5)
    assert (flushed.sent, flushed.spooled, flushed.dropped) == (0, 1, 0)


@pytest.mark.usefixtures("answered")
def test_a_direct_call_raises_a_typed_error(client: ReflectClient) -> None:
    for call, name in (
        (lambda: client.get_trace("x"), "get_trace"),
        (lambda: client.create_trace(task="t", trajectory=MESSAGES), "create_trace"),
        (lambda: client.get_memory("x"), "get_memory"),
    ):
        with pytest.raises(reflect_sdk.ReflectError, match=f"^{name}: "):
            call()


@pytest.mark.usefixtures("answered")
def test_an_awaited_direct_call_does_too(client: ReflectClient) -> None:
    with pytest.raises(reflect_sdk.ReflectError, match=r"^get_trace_async: "):
        asyncio.run(client.get_trace_async("x"))
    alone = AsyncReflectClient(base_url=client.base_url, api_key="k", spool=False, max_retries=0)
    with pytest.raises(reflect_sdk.ReflectError, match=r"^get_trace: "):
        asyncio.run(alone.get_trace("x"))


def test_a_sign_in_page_is_called_one(client: ReflectClient, proxy: Any) -> None:
    proxy.response = page("200 OK")
    with pytest.raises(reflect_sdk.InvalidResponseError) as caught:
        client.get_trace("x")
    text = str(caught.value)
    assert "the server returned HTML, not JSON" in text and f"in front of {proxy.url}?" in text
    assert caught.value.status_code == 200 and "Sign in" in caught.value.body


def test_a_field_of_the_wrong_type_is_named(client: ReflectClient, proxy: Any) -> None:
    proxy.response = data([{**MEMORY, "similarity": "high"}])
    with pytest.raises(reflect_sdk.InvalidResponseError, match="`similarity` is text, not a number"):
        client.query_memories("t")


@pytest.mark.parametrize("awaited", [False, True])
def test_an_endless_response_stops_no_block(client: ReflectClient, proxy: Any, awaited: bool) -> None:
    proxy.response = http("200 OK", b"", length=1 << 40)
    proxy.endless = b" " * 1_000_000

    async def main() -> str | None:
        async with client.trace_async("t") as run:
            return run.degraded

    if awaited:
        degraded = asyncio.run(main())
    else:
        with client.trace("t") as run:
            degraded = run.degraded
    assert "longer than 16 MiB" in str(degraded) or "in time" in str(degraded)


def test_a_blocking_block_warns_and_ends(client: ReflectClient, proxy: Any, caplog: pytest.LogCaptureFixture) -> None:
    proxy.response = page("200 OK")
    with caplog.at_level(logging.WARNING, "reflect_sdk"), client.trace("t", blocking=True) as run:
        run.set_output(trajectory=MESSAGES, result="pass")
    assert "without waiting for the memory" in caplog.text
    assert client.flush(timeout=0.5).spooled == 1


def test_an_http_client_that_is_broken_stops_no_block(
    proxy: Any, tmp_path: Any, caplog: pytest.LogCaptureFixture
) -> None:
    import httpx2

    closed = httpx2.Client()
    closed.close()
    broken = ReflectClient(base_url=proxy.url, api_key="k", spool=tmp_path, http_client=closed)
    with caplog.at_level(logging.WARNING, "reflect_sdk"), broken.trace("t") as run:
        run.set_output(trajectory=MESSAGES)
    assert "Retrieval failed" in caplog.text and broken.flush(timeout=0.3).spooled == 1


def test_a_warning_of_the_server_is_logged_once(
    client: ReflectClient, proxy: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    from reflect_sdk._wire import server_warnings

    monkeypatch.setattr(server_warnings, "_logged", set())
    body = json.dumps({"id": "t", "ingest_status": "completed"}).encode()
    proxy.response = http("200 OK", body, "Reflect-Warning: unknown fields: reviw, feedback")
    with caplog.at_level(logging.WARNING, "reflect_sdk"):
        for _ in range(3):
            client.create_trace(task="t", trajectory=MESSAGES)
        proxy.response = http("200 OK", body, "Reflect-Warning: unknown fields: other")
        client.create_trace(task="t", trajectory=MESSAGES)
    # Delivery threads of earlier tests log to `reflect_sdk.delivery`.
    said = [record.getMessage() for record in caplog.records if record.name == "reflect_sdk"]
    assert len(said) == 2 and "unknown fields: reviw, feedback" in said[0] and "other" in said[1]
