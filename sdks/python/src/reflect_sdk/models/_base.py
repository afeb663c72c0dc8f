"""How answers become objects: tolerant of what is missing, and keeping what is not known.

A client must survive a newer server: fields that it does not know are kept in `extra`. It must survive an
older one too: fields that are absent or null get their defaults.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, TypeVar

from reflect_sdk._shapes import is_list

M = TypeVar("M", bound="Model")


class Model:
    """Something that the server answered with."""

    __slots__ = ()

    @classmethod
    def from_dict(cls: type[M], data: Mapping[str, Any]) -> M:
        """The object of a JSON object."""
        known = _fields(cls)
        values: dict[str, Any] = {}
        extra: dict[str, Any] = {}
        for name, value in data.items():
            if name not in known:
                extra[name] = value
            elif value is not None:
                values[name] = _built(known[name], value)
        if extra and "extra" in known:
            values["extra"] = extra
        return cls(**values)

    def to_dict(self) -> dict[str, Any]:
        """The JSON object of this object, unknown fields included."""
        plain: dict[str, Any] = {}
        for name in _fields(type(self)):
            value = getattr(self, name)
            if name == "extra":
                plain.update(value)
            else:
                plain[name] = _plain(value)
        return plain

    def model_dump(self) -> dict[str, Any]:
        """The same as `to_dict`, under the name that users of Pydantic know."""
        return self.to_dict()


_known: dict[type[Any], dict[str, type[Model] | None]] = {}


def _fields(cls: type[Any]) -> dict[str, type[Model] | None]:
    """Each field with the model of its value, where it is an object of its own."""
    found = _known.get(cls)
    if found is None:
        found = {field.name: field.metadata.get("model") for field in dataclasses.fields(cls)}
        _known[cls] = found
    return found


def _built(model: type[Model] | None, value: Any) -> Any:
    if model is None:
        return value
    if is_list(value):
        return [model.from_dict(entry) for entry in value]
    return model.from_dict(value)


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        return value.to_dict()
    if is_list(value):
        return [_plain(entry) for entry in value]
    return value


def extra() -> Any:
    """The field for what a newer server sends."""
    return dataclasses.field(default_factory=dict[str, Any], repr=False, compare=False)


def nested(model: type[Model]) -> Any:
    """A field that holds another model, or nothing."""
    return dataclasses.field(default=None, metadata={"model": model})


def several(model: type[Model]) -> Any:
    """A field that holds a list of another model."""
    return dataclasses.field(default_factory=list[Any], metadata={"model": model})
