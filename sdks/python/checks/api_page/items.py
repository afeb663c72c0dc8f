"""Classes, functions and errors as sections of the page."""

from __future__ import annotations

import dataclasses
import inspect
import json
from collections.abc import Callable, Iterator
from typing import Any

from docstring import as_markdown

# A longer signature has one parameter per line.
WIDTH = 100


def function(name: str, item: Callable[..., Any], *, level: int, owner: str = "") -> list[str]:
    """A function or method with its signature."""
    return [f"{'#' * level} {name}", "", *_signature(name, item, owner), *as_markdown(item)]


def model(name: str, kind: type) -> list[str]:
    """A dataclass."""
    written = [f"### {name}", "", *as_markdown(kind)]
    fields = [field for field in dataclasses.fields(kind) if not field.name.startswith("_")]
    if "Attributes:" not in (inspect.getdoc(kind) or ""):
        written += [", ".join(f"`{field.name}: {field.type}`" for field in fields) + ".", ""]
    return written


def keys(name: str, kind: type) -> list[str]:
    """A dict with known keys."""
    optional = getattr(kind, "__optional_keys__", frozenset[str]())
    told = [f"`{key}: {_annotation(_forward(of))}`" + " (optional)" * (key in optional) for key, of in _hints(kind)]
    return [f"### {name}", "", *as_markdown(kind), ", ".join(told) + ".", ""]


def class_with_methods(name: str, kind: type, *, skip: Callable[[str], bool] = lambda _: False) -> list[str]:
    """A class: its constructor, properties and methods, in source order."""
    # Only classes that users instantiate have a documented constructor.
    making = kind.__init__ if kind.__init__.__doc__ and _is_ours(kind.__init__) else None
    written = [f"### {name}", "", *(_signature(name, kind, "") if making else []), *as_markdown(kind)]
    written += as_markdown(making) if making else []
    methods: list[str] = []
    for member, item in _members(kind):
        if skip(member):
            continue
        if isinstance(item, property):
            written += [f"**`{member}`**{_property_type(item)}: {' '.join(filter(None, as_markdown(item)))}", ""]
        else:
            plain = item.__func__ if isinstance(item, (classmethod, staticmethod)) else item
            methods += function(member, plain, level=4, owner=name.partition(".")[0])
    return written + methods


def error(name: str, kind: type) -> str:
    """A row of the table of errors."""
    bases = [base.__name__ for base in kind.__bases__ if base is not object]
    said = (inspect.getdoc(kind) or "").splitlines()[0]
    return f"| `{name}` | {', '.join(f'`{base}`' for base in bases)} | {said} |"


def _hints(kind: type) -> list[tuple[str, Any]]:
    parts = [part for part in reversed(kind.__mro__) if "__annotations__" in vars(part)]
    return [hint for part in parts for hint in part.__annotations__.items()]


def _forward(annotation: Any) -> Any:
    return getattr(annotation, "__forward_arg__", annotation)


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Public members of the class and of its base classes, in source order."""
    seen: set[str] = set()
    for part in kind.__mro__:
        if not part.__module__.startswith("reflect_sdk"):
            continue
        for name, item in vars(part).items():
            public = not name.startswith("_") and name not in seen
            if public and (inspect.isroutine(item) or isinstance(item, (property, classmethod, staticmethod))):
                seen.add(name)
                yield name, item


def _is_ours(item: Any) -> bool:
    return str(getattr(item, "__module__", "")).startswith("reflect_sdk")


def _property_type(item: property) -> str:
    returned = inspect.signature(item.fget).return_annotation if item.fget else inspect.Signature.empty
    return "" if returned is inspect.Signature.empty else f" (`{returned}`)"


def _signature(name: str, item: Any, owner: str) -> list[str]:
    try:
        signature = inspect.signature(item)
    except ValueError:
        return []
    prefix = "async " if inspect.iscoroutinefunction(item) else ""
    called = f"{owner}.{name}" if owner and owner != name else name
    result = signature.return_annotation
    # The constructor returns an instance of the class.
    told = isinstance(item, type) or result is inspect.Signature.empty
    ending = "" if told else f" -> {_annotation(result)}"
    arguments = _arguments(signature)
    text = f"{prefix}{called}({', '.join(arguments)}){ending}"
    if len(text) > WIDTH and arguments:
        text = "\n".join([f"{prefix}{called}(", *(f"    {argument}," for argument in arguments), f"){ending}"])
    return ["```python no-run=from-source", *text.splitlines(), "```", ""]


def _arguments(signature: inspect.Signature) -> list[str]:
    written: list[str] = []
    starred = False
    for one in signature.parameters.values():
        if one.name in ("self", "cls"):
            continue
        if one.kind is one.KEYWORD_ONLY and not starred:
            written.append("*")
        starred = starred or one.kind in (one.KEYWORD_ONLY, one.VAR_POSITIONAL)
        stars = {one.VAR_POSITIONAL: "*", one.VAR_KEYWORD: "**"}.get(one.kind, "")
        annotation = "" if one.annotation is one.empty else f": {_annotation(one.annotation)}"
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        written.append(f"{stars}{one.name}{annotation}{default}")
    return written


def _annotation(annotation: Any) -> str:
    # Annotations of our sources are strings; quoted names are forward references.
    return str(annotation).replace("'", "").replace('"', "") if isinstance(annotation, str) else repr(annotation)


def _default(value: Any) -> str:
    return json.dumps(value) if isinstance(value, str) else repr(value)
