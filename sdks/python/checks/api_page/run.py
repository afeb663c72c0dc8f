"""Writes docs/PYTHON.md, the API reference of the Python SDK, from its signatures and docstrings.

    <tools>/bin/python sdks/python/checks/api_page/run.py [--check]

With `--check` nothing is written; it fails if the page is out of date. It is one Markdown page, because that can be
read and searched in the repository, and compared in a review.
"""

from __future__ import annotations

import argparse
import dataclasses
import difflib
import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
PAGE = ROOT / "docs" / "PYTHON.md"
sys.path.insert(0, str(ROOT / "sdks" / "python" / "src"))

from docstring import as_markdown  # noqa: E402
from items import class_with_methods, error, function, keys, model  # noqa: E402
from stand_ins import install  # noqa: E402

import reflect_sdk  # noqa: E402

# Calls that exist in a blocking and an asynchronous form are described once.
TWIN = "_async"
RUNS = ("TraceContext", "TraceResult", "reflect_trace", "current_trace", "copy_context")
CLIENTS = ("ReflectClient", "AsyncReflectClient")
CONVERTERS = ("from_openai_agents", "from_deepagents")
FRAMEWORKS = (
    "anthropic",
    "claude_agent_sdk",
    "crewai",
    "google_adk",
    "langchain",
    "litellm",
    "openai_agents",
    "pydantic_ai",
)
CAPTURING = ("reflect_sdk.capture", *(f"reflect_sdk.capture.{name}" for name in FRAMEWORKS))

OPENING = """\
# Python SDK

<!-- Generated from the docstrings by `just sdk-docs`; do not edit. -->

The API of `reflect-memory-client` {version}, generated from its docstrings. [Its README](../sdks/python/README.md)
has the installation and a first example; [VOCABULARY.md](VOCABULARY.md) explains the terms.
"""

ASYNC_NOTE = """\
Every call has an asynchronous form with the same parameters. On `ReflectClient` it has the suffix `_async`
(`await client.get_trace_async(trace_id)`); on `AsyncReflectClient` it has no suffix.
"""

# The common methods are described once.
OF_MODELS = ("from_dict", "to_dict", "model_dump")
MODELS_NOTE = """\
Fields that the server omits have their defaults. Unknown fields are kept in `extra`. `to_dict()`, also available as
`model_dump()`, returns all fields as a dict.
"""


def page() -> str:
    """The page."""
    names = [name for name in reflect_sdk.__all__ if not name.startswith("__")]
    aliases = {name: kind for name in names if (kind := _class(name)) and kind.__name__ != name}
    lines = [*OPENING.format(version=reflect_sdk.__version__).splitlines(), ""]
    lines += ["## Clients", "", *ASYNC_NOTE.splitlines(), ""]
    lines += class_with_methods("ReflectClient", reflect_sdk.ReflectClient, skip=lambda name: name.endswith(TWIN))
    lines += ["### AsyncReflectClient", "", *as_markdown(reflect_sdk.AsyncReflectClient)]
    lines += ["## Runs", ""]
    for name in RUNS:
        lines += _section(name)
    lines += ["## What calls return", "", *MODELS_NOTE.splitlines(), ""]
    shown = {*RUNS, *CLIENTS, *CONVERTERS, *aliases}
    errors = [name for name in names if name.endswith(("Error", "Warning"))]
    for name in names:
        if name not in shown and name not in errors:
            lines += _section(name)
    lines += ["## Errors", "", *as_markdown(importlib.import_module("reflect_sdk.errors"))]
    lines += ["| Error | Is also a | When |", "|---|---|---|"]
    lines += [*(error(name, getattr(reflect_sdk, name)) for name in errors), ""]
    lines += ["## Trajectories of frameworks", ""]
    for name in CONVERTERS:
        lines += _section(name)
    lines += ["## Capturing", ""]
    install()
    for module in CAPTURING:
        lines += _module(module)
    lines += [
        "## Other names",
        "",
        "Other names of the same classes, for compatibility with other versions of the client:",
        "",
    ]
    lines += [f"- `{name}` is `{kind.__name__}`" for name, kind in aliases.items()]
    return "\n".join(lines).rstrip() + "\n"


def _class(name: str) -> type | None:
    item = getattr(reflect_sdk, name)
    return item if isinstance(item, type) else None


def _section(name: str, item: object = None) -> list[str]:
    item = item or getattr(reflect_sdk, name)
    if isinstance(item, type):
        if dataclasses.is_dataclass(item):
            return model(name, item)
        if issubclass(item, dict):
            return keys(name, item)
        return class_with_methods(name, item, skip=lambda member: member in OF_MODELS)
    assert callable(item)
    return function(name, item, level=3)


def _module(name: str) -> list[str]:
    module = importlib.import_module(name)
    lines = [f"### {name}", "", *as_markdown(module)]
    for inside in module.__all__:
        if not callable(getattr(module, inside)):
            # A ready-made object, which the text of the module describes.
            continue
        lines += [
            line.replace("### ", "#### ", 1) if line.startswith("### ") else line for line in _of(module, inside)
        ]
    return lines


def _of(module: object, name: str) -> list[str]:
    item = getattr(module, name)
    if isinstance(item, type):
        # The methods of a handler are called by its framework, not by users.
        return [f"### {name}", "", *as_markdown(item)]
    return _section(name, item)


def main() -> int:
    """Exit code 0: the page is written or up to date."""
    parser = argparse.ArgumentParser(description="Write the page of the SDK's interface.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page is out of date")
    options = parser.parse_args()
    wanted = page()
    if not options.check:
        PAGE.write_text(wanted, encoding="utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")
        return 0
    there = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if there == wanted:
        return 0
    lines = list(difflib.unified_diff(there.splitlines(), wanted.splitlines(), "as it is", "up to date", lineterm=""))
    print("\n".join(lines[:40]))
    print(f"{PAGE.relative_to(ROOT)} is out of date: run `just sdk-docs`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
