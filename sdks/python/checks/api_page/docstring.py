"""Converts a docstring to Markdown: paragraphs unchanged, sections as lists and code."""

from __future__ import annotations

import inspect
import re
import textwrap

LISTS = ("Args:", "Attributes:", "Raises:", "Returns:", "Yields:")
CODE = ("Example:", "Examples:")

# A list entry: a name, an optional type in parentheses, and a description.
ENTRY = re.compile(r"^(\*{0,2}[A-Za-z_][\w.]*)(?: \([^)]*\))?: (.*)$")


def as_markdown(item: object) -> list[str]:
    """The lines of an item's documentation."""
    text = inspect.getdoc(item) or ""
    written: list[str] = []
    for block in _blocks(text):
        title = block[0].strip()
        if title in LISTS and len(block) > 1:
            written += _list(title, block[1:])
        elif title in CODE and len(block) > 1:
            written += _code(block[1:])
        elif block[0].startswith("    "):
            written += _code(block)
        else:
            written += [*block, ""]
    return written


def _blocks(text: str) -> list[list[str]]:
    """Paragraphs; an indented code paragraph continues over empty lines."""
    blocks: list[list[str]] = []
    apart = True
    for line in text.splitlines():
        if not line.strip():
            apart = True
            continue
        opens = line.strip() in LISTS or line.strip() in CODE
        indented = line.startswith("    ")
        within = bool(blocks) and indented and (blocks[-1][0].startswith("    ") or _is_section(blocks[-1]))
        if opens or (apart and not within) or not blocks:
            blocks.append([line])
        else:
            blocks[-1] += [""] * (apart and indented) + [line]
        apart = False
    return blocks


def _is_section(block: list[str]) -> bool:
    return block[0].strip() in LISTS or block[0].strip() in CODE


def _list(title: str, lines: list[str]) -> list[str]:
    written: list[str] = []
    for line in textwrap.dedent("\n".join(lines)).splitlines():
        entry = ENTRY.match(line)
        if entry:
            written.append(f"- `{entry[1]}`: {entry[2]}")
        elif line.startswith(" ") and written:
            written[-1] += f" {line.strip()}"
        elif line.strip():
            written.append(line)
    if title in ("Args:", "Attributes:"):
        return [*written, ""]
    if title == "Raises:":
        return [title, "", *written, ""]
    return (
        [f"{title.rstrip(':')}: {written[0]}", *written[1:], ""] if len(written) == 1 else [title, "", *written, ""]
    )


def _code(lines: list[str]) -> list[str]:
    return ["```python no-run=from-source", *textwrap.dedent("\n".join(lines)).splitlines(), "```", ""]
