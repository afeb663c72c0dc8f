"""Writes docs/PYTHON.md, the page of the Python SDK's interface, from its signatures and docstrings.

    <tools>/bin/python sdks/python/checks/api_page/run.py [--check]

With `--check` nothing is written; it fails when the page is not what it would write. One page of Markdown, because
it can be read where the repository is read, searched, and compared in a review.
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

import reflect_sdk  # noqa: E402

# What the clients have twice, once to block and once to be awaited, is described once.
TWIN = "_async"
RUNS = ("TraceContext", "TraceResult", "reflect_trace", "current_trace", "copy_context")
CLIENTS = ("ReflectClient", "AsyncReflectClient")
CONVERTERS = ("from_openai_agents", "from_deepagents")
CAPTURING = ("reflect_sdk.capture", "reflect_sdk.capture.openai_agents", "reflect_sdk.capture.langchain")

OPENING = """\
# Python SDK

<!-- Generated from the docstrings by `just sdk-docs`; do not edit. -->

The interface of `reflect-sdk` {version}, from its own docstrings. How to install it, and a first example, is in
[its README](../sdks/python/README.md); what the words mean is in [VOCABULARY.md](VOCABULARY.md).
"""

ASYNC_NOTE = """\
Every call has a twin that is awaited. On `ReflectClient` it has the ending `_async`, with the same parameters
(`await client.get_trace_async(trace_id)`); `AsyncReflectClient` has the names without the ending.
"""

# What all of them can do is said once.
OF_MODELS = ("from_dict", "to_dict", "model_dump")
MODELS_NOTE = """\
Fields that the server leaves out have their defaults, and fields that this version does not know are kept in `extra`.
`to_dict()`, also called `model_dump()`, gives everything as a dict.
"""


def page() -> str:
    """The whole page."""
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
    for module in CAPTURING:
        lines += _module(module)
    lines += [
        "## Other names",
        "",
        "The same classes under the names that other versions of the client gave them:",
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
        lines += [
            line.replace("### ", "#### ", 1) if line.startswith("### ") else line for line in _of(module, inside)
        ]
    return lines


def _of(module: object, name: str) -> list[str]:
    item = getattr(module, name)
    if isinstance(item, type):
        # The methods of a handler are its framework's business.
        return [f"### {name}", "", *as_markdown(item)]
    return _section(name, item)


def main() -> int:
    """0 when the page is written, or is what it should be."""
    parser = argparse.ArgumentParser(description="Write the page of the SDK's interface.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when the page is stale")
    options = parser.parse_args()
    wanted = page()
    if not options.check:
        PAGE.write_text(wanted, encoding="utf-8")
        print(f"wrote {PAGE.relative_to(ROOT)}")
        return 0
    there = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if there == wanted:
        return 0
    lines = list(
        difflib.unified_diff(there.splitlines(), wanted.splitlines(), "as it is", "as it should be", lineterm="")
    )
    print("\n".join(lines[:40]))
    print(f"{PAGE.relative_to(ROOT)} is stale: run `just sdk-docs`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
