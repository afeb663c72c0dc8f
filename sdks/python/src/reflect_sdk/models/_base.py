"""Converts JSON responses to objects. Missing fields get defaults; unknown fields are kept.

Compatibility with newer servers: unknown fields are kept in `extra`. Compatibility with older servers: fields
that are absent or null get their defaults. A field with another type than the declared one is an error, because the
response is then not from a Reflect server.
"""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, TypeVar

from reflect_sdk._type_guards import is_list

M = TypeVar("M", bound="Model")

# Converts the value of a field; the text is the position in the response, for messages.
Reader: TypeAlias = Callable[[Any, str], Any]


class InvalidData(ValueError):
    """JSON that is not what the API returns. The message says where and why."""


class Model:
    """The base class of all response objects."""

    __slots__ = ()

    @classmethod
    def from_dict(cls: type[M], data: Mapping[str, Any]) -> M:
        """Creates the object from a JSON object; raises `ValueError` if a field is missing or has a wrong type."""
        return built(cls, data, "")

    def to_dict(self) -> dict[str, Any]:
        """Converts to a JSON object, including unknown fields."""
        plain: dict[str, Any] = {}
        for name in _fields(type(self)):
            value = getattr(self, name)
            if name == "extra":
                plain.update(value)
            else:
                plain[name] = _plain(value)
        return plain

    def model_dump(self) -> dict[str, Any]:
        """The same as `to_dict`, with the name that Pydantic uses."""
        return self.to_dict()


def built(cls: type[M], data: object, where: str) -> M:
    """The object of a class from decoded JSON."""
    known = _fields(cls)
    values: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for name, value in expect_object(data, where).items():
        if name not in known or name == "extra":
            unknown[name] = value
        elif value is not None:
            values[name] = known[name](value, f"{where}.{name}" if where else name)
    for name in _required(cls):
        if name not in values:
            raise InvalidData(f"the field `{f'{where}.{name}' if where else name}` is missing")
    if unknown and "extra" in known:
        values["extra"] = unknown
    return cls(**values)


def expect_object(value: object, where: str = "") -> Mapping[str, Any]:
    """The value, if it is a JSON object."""
    if isinstance(value, Mapping):
        return typing.cast("Mapping[str, Any]", value)
    raise _mismatch("an object", value, where)


def expect_list(value: object, where: str = "") -> list[Any]:
    """The value, if it is a JSON array."""
    if is_list(value):
        return value
    raise _mismatch("a list", value, where)


def expect_text(value: object, where: str = "") -> str:
    """The value, if it is a string."""
    if isinstance(value, str):
        return value
    raise _mismatch("text", value, where)


_readers: dict[type[Any], dict[str, Reader]] = {}
_needed: dict[type[Any], tuple[str, ...]] = {}


def _fields(cls: type[Any]) -> dict[str, Reader]:
    """The fields, each with the function that checks and converts its value."""
    found = _readers.get(cls)
    if found is None:
        hints = typing.get_type_hints(cls)
        found = {field.name: _reader(hints[field.name]) for field in dataclasses.fields(cls)}
        _readers[cls] = found
    return found


def _required(cls: type[Any]) -> tuple[str, ...]:
    found = _needed.get(cls)
    if found is None:
        missing = dataclasses.MISSING
        every = dataclasses.fields(cls)
        found = tuple(f.name for f in every if f.default is missing and f.default_factory is missing)
        _needed[cls] = found
    return found


def _reader(hint: Any) -> Reader:
    """The reader of a declared type. `None` is handled before: a null gets the default."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        (hint,) = [one for one in arguments if one is not type(None)]
        return _reader(hint)
    if origin is list:
        return _list_reader(_reader(arguments[0]))
    if origin is dict:
        return expect_object
    if isinstance(hint, type) and issubclass(hint, Model):
        model = hint
        return lambda value, where: built(model, value, where)
    return _SCALARS.get(hint, _anything)


def _list_reader(entry: Reader) -> Reader:
    def read(value: Any, where: str) -> list[Any]:
        return [entry(one, f"{where}[{index}]") for index, one in enumerate(expect_list(value, where))]

    return read


def _anything(value: Any, _where: str) -> Any:
    return value


def _number(value: Any, where: str) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    raise _mismatch("a number", value, where)


def _whole(value: Any, where: str) -> Any:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    raise _mismatch("a whole number", value, where)


def _truth(value: Any, where: str) -> Any:
    if isinstance(value, bool):
        return value
    raise _mismatch("true or false", value, where)


_SCALARS: dict[Any, Reader] = {str: expect_text, float: _number, int: _whole, bool: _truth}

_JSON_NAMES: dict[type[Any], str] = {
    dict: "an object",
    list: "a list",
    str: "text",
    bool: "true or false",
    type(None): "null",
}


def _mismatch(expected: str, value: object, where: str) -> InvalidData:
    found = _JSON_NAMES.get(type(value), "a number")
    return InvalidData(f"{f'`{where}`' if where else 'the body'} is {found}, not {expected}")


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        return value.to_dict()
    if is_list(value):
        return [_plain(entry) for entry in value]
    return value


def extra() -> Any:
    """The field for values that this version does not know."""
    return dataclasses.field(default_factory=dict[str, Any], repr=False, compare=False)
