"""A real server on a fresh database for all tests of this folder, and a project of its own for each."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[4]
# The harness that starts the binary, its database and its provider is the conformance run's.
sys.path.insert(0, str(ROOT / "conformance"))

from database import fresh_database  # noqa: E402
from provider import provider  # noqa: E402
from server import Server  # noqa: E402
from surroundings import find_surroundings  # noqa: E402

from reflect_sdk import AsyncReflectClient, ReflectClient  # noqa: E402


@dataclass(frozen=True)
class Live:
    """A server that runs, and a key to it."""

    base_url: str
    key: str
    failing_task: str


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    found = find_surroundings()
    folder = tmp_path_factory.mktemp("server")
    with (
        fresh_database(found.psql, found.database_server, found.inherited) as database_url,
        provider(found.scripted_provider, found.inherited, folder / "provider.log") as scripted,
    ):
        environment = {**found.inherited, **scripted.server_environment, "REFLECT_DATABASE_URL": database_url}
        with Server(found.binary, environment, folder / "server.log") as server:
            yield Live(server.base_url, server.master_key(), scripted.failing_task)


@pytest.fixture
def settings(live: Live, tmp_path: Path) -> dict[str, Any]:
    """Arguments of a client on a project that no other test touches."""
    return {
        "base_url": live.base_url,
        "api_key": live.key,
        "project_id": f"test {secrets.token_hex(4)}",
        "spool": tmp_path / "spool",
    }


@pytest.fixture
def client(settings: dict[str, Any]) -> ReflectClient:
    return ReflectClient(**settings)


@pytest.fixture
def async_client(settings: dict[str, Any]) -> AsyncReflectClient:
    return AsyncReflectClient(**settings)


@pytest.fixture
def lesson(client: ReflectClient) -> Callable[..., str]:
    """Stores a lesson and gives the id of its memory."""

    def store(task: str, **fields: Any) -> str:
        made = client.create_memory(task=task, result="fail", **{"guidance": "Look twice.", **fields})
        trace = client.wait_for_trace(made.id, require_reviewed=True)
        assert trace.created_memory_id is not None
        return trace.created_memory_id

    return store
