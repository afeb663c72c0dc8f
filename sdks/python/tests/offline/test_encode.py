"""Whatever users hand over becomes JSON."""

from __future__ import annotations

import dataclasses
import datetime
import enum
import json
from decimal import Decimal
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from reflect_sdk._wire.encode import encode, jsonable


@dataclasses.dataclass
class Point:
    x: int
    when: datetime.date


class Dumped:
    def model_dump(self) -> dict[str, Any]:
        return {"kind": "dumped", "at": datetime.datetime(2026, 1, 2)}


class Hostile:
    def model_dump(self) -> dict[str, Any]:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("neither")


class Colour(str, enum.Enum):
    RED = "red"


def back(value: object) -> Any:
    return json.loads(encode(value))


def test_plain_data_is_kept_to_the_letter() -> None:
    message = {"role": "user", "content": "é 🎉", "n": [1, 2.5, None, True]}
    assert back(message) == message
    assert "é" in encode(message).decode()


def test_objects_are_written_as_they_describe_themselves() -> None:
    assert back(Dumped()) == {"kind": "dumped", "at": "2026-01-02T00:00:00"}
    assert back(Point(1, datetime.date(2026, 1, 2))) == {"x": 1, "when": "2026-01-02"}
    assert back({"c": Colour.RED, "d": Decimal("1.5"), "s": {1}}) == {"c": "red", "d": "Decimal('1.5')", "s": [1]}
    assert back(b"\xff") == "�"


def test_nothing_is_too_odd() -> None:
    loop: list[Any] = []
    loop.append(loop)
    deep: Any = "x"
    for _ in range(500):
        deep = [deep]
    assert back({"nan": float("nan"), "keys": {1: 2, None: 3}, "half": "\ud800"})["nan"] == "nan"
    assert back(Hostile()) == "<Hostile>"
    loop.append(loop)
    assert back({"loop": loop}) == {"loop": ["…", "…"]}
    assert back(deep) is not None
    assert back(float("inf")) == "inf"
    assert back(int) == "<class 'int'>"


@settings(deadline=None)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda c: st.lists(c) | st.dictionaries(st.text(), c),
    )
)
def test_any_tree_is_encoded_and_plain_trees_come_back(value: Any) -> None:
    assert json.loads(encode(jsonable(value))) == json.loads(encode(value))
