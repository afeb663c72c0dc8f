from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

from adapters_support.model_server import ModelServer

from reflect_sdk.capture import _guard


@pytest.fixture
def server() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture(autouse=True)
def no_hidden_fault(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Capturing is fail-open, which would hide its faults from these tests too."""
    _guard._said.clear()
    yield
    faults = [record for record in caplog.get_records("call") if "Capture failed" in record.getMessage()]
    assert not faults, faults
