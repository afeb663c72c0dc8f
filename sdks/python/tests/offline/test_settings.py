"""Setting a client up: from arguments, from the environment, and never over the network."""

from __future__ import annotations

import socket
from types import SimpleNamespace
from typing import Any

import pytest

from reflect_sdk import AsyncReflectClient, ConfigurationError, ReflectClient


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REFLECT_API_KEY", "REFLECT_BASE_URL", "REFLECT_API_URL", "REFLECT_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)


def test_the_environment_fills_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLECT_API_KEY", "rf_live_x")
    assert ReflectClient().base_url == "http://localhost:8000" and ReflectClient().project_id == "default"
    monkeypatch.setenv("REFLECT_API_URL", "https://a.test/pre/")
    monkeypatch.setenv("REFLECT_PROJECT_ID", "p")
    assert ReflectClient().base_url == "https://a.test/pre" and AsyncReflectClient().project_id == "p"
    monkeypatch.setenv("REFLECT_BASE_URL", "https://b.test")
    assert ReflectClient().base_url == "https://b.test"
    assert ReflectClient(base_url="http://c.test:1/", project_id="q").base_url == "http://c.test:1"


def test_a_missing_key_says_where_to_put_it() -> None:
    with pytest.raises(ConfigurationError, match="REFLECT_API_KEY"):
        ReflectClient()
    with pytest.raises(ValueError, match="Copy it again"):
        ReflectClient(api_key="rf live")


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://x", "http://", "http://a b"])
def test_a_bad_address_is_refused_at_once(url: str) -> None:
    with pytest.raises(ConfigurationError, match="not a valid server URL"):
        ReflectClient(api_key="k", base_url=url)


def test_the_constructor_sends_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket, "create_connection", forbidden)
    monkeypatch.setattr(socket.socket, "connect", forbidden)
    ReflectClient(api_key="k")
    AsyncReflectClient(api_key="k")


def test_the_environment_can_forbid_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ReflectClient(api_key="k")._settings.spool
    monkeypatch.setenv("REFLECT_SPOOL", "off")
    assert not ReflectClient(api_key="k")._settings.spool
    assert ReflectClient(api_key="k", spool=True)._settings.spool


def test_the_key_is_not_shown() -> None:
    client = ReflectClient(api_key="rf_live_secret")
    assert "secret" not in repr(client) and "secret" not in repr(client._settings)


def test_a_timeout_may_have_parts() -> None:
    parts = SimpleNamespace(connect=1.0, read=30.0, write=None, pool=2.0)
    assert ReflectClient(api_key="k", timeout=parts)._settings.api.policy.timeout == 30.0
