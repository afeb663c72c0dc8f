"""The client of another product with the same import name is reported."""

from __future__ import annotations

import functools
import logging
from importlib import metadata
from pathlib import Path

import pytest

from reflect_sdk import ReflectClient, _distributions

OWN = ("reflect_sdk/__init__.py", "reflect_sdk/_distributions.py")
FOREIGN = ("reflect_sdk/__init__.py", "reflect_sdk/client.py")


@pytest.fixture(autouse=True)
def unchecked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(_distributions, "_checked", [])
    search = functools.partial(metadata.distributions, path=[str(tmp_path)])
    monkeypatch.setattr(metadata, "distributions", search)


def install(folder: Path, name: str, version: str, files: tuple[str, ...]) -> None:
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))
    for path in files:
        # Newer Pythons leave out files that do not exist.
        (folder / path).parent.mkdir(exist_ok=True)
        (folder / path).touch()


def reported(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The reports. Background threads of other tests may log at the same time."""
    messages = (record.getMessage() for record in caplog.records)
    return [message for message in messages if "is installed too" in message]


def test_the_foreign_distribution_is_reported_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    install(tmp_path, "reflect-memory", "1.0.0", OWN)
    install(tmp_path, "reflect-sdk", "0.3.3", FOREIGN)
    with caplog.at_level(logging.WARNING, "reflect_sdk"):
        _distributions.warn_about_foreign()
        _distributions.warn_about_foreign()
    (said,) = reported(caplog)
    assert said.startswith("reflect-sdk 0.3.3 is installed too.") and "pip uninstall reflect-sdk." in said
    assert "--force-reinstall reflect-memory" in said


@pytest.mark.parametrize("name", ["reflect-sdk", "reflect-memory", "reflect-memory-client"])
def test_our_own_distribution_is_not_reported_under_any_name(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    install(tmp_path, name, "1.0.0", OWN)
    assert [one.own for one in _distributions.installed()] == [True]
    _distributions.warn_about_foreign()
    assert not reported(caplog)


def test_another_package_of_a_similar_name_is_not_reported(tmp_path: Path) -> None:
    install(tmp_path, "reflect-memory", "0.1", ("reflect_memory/__init__.py",))
    assert _distributions.installed() == []


def test_broken_metadata_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "reflect_sdk-0.3.3.dist-info").mkdir()
    (tmp_path / "reflect_sdk-0.3.3.dist-info" / "RECORD").write_text("reflect_sdk/__init__.py,,\n")
    _distributions.warn_about_foreign()


def test_the_first_request_checks(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    install(tmp_path, "reflect-sdk", "0.3.3", FOREIGN)
    client = ReflectClient(base_url="http://127.0.0.1:9", api_key="k", spool=False, max_retries=0)
    assert not reported(caplog)
    client.augment_with_memories("t")
    (said,) = reported(caplog)
    assert said.startswith("reflect-sdk 0.3.3")
