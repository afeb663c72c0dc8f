"""The figures of a build. `just release --sizes` measures them."""

from __future__ import annotations

import os
from pathlib import Path

import measure


def test_builds_are_shown_side_by_side() -> None:
    figures = measure.Figures(
        45_600_000, 78_500_000, 103_500_000, 297_700_000, 0.009, 1.62, 0.5, 133_300_000, 53_800_000
    )

    lines = measure.table({"dist": figures, "debug": figures}).splitlines()

    assert lines[0].split() == ["dist", "debug"]
    assert lines[1].split() == ["wheel", "45.6", "MB", "45.6", "MB"]
    assert lines[5].split()[-4:] == ["9", "ms", "9", "ms"]
    assert len({len(line) for line in lines}) == 1


def test_links_count_as_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("folder/file")

    assert measure.size(tmp_path) == 5


def test_memory_is_read_from_the_process() -> None:
    assert measure.status_bytes(os.getpid(), "VmRSS") > 1_000_000
    assert measure.proportional_bytes(os.getpid()) > 1_000_000
    assert os.getpid() in measure.descendants(os.getppid())


def test_a_server_that_has_printed_no_address_is_not_ready() -> None:
    assert not measure.is_ready("starting Postgres")
    assert not measure.is_ready("export REFLECT_BASE_URL=http://127.0.0.1:9\n")
