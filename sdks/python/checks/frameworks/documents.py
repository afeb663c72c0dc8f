"""Runs the Python code of a how-to page and of an example, in the environment of their framework.

    python documents.py FRAMEWORK EXAMPLE

The code runs as it stands, in front of a model server that calls the first tool it is offered and then answers. All
runs that it stores must have that tool call and that answer; the example must also have learned.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import secrets
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from adapters_support import anthropic_wire, gemini_wire, wire
from adapters_support.model_server import ModelServer

from reflect_sdk import ReflectClient

ROOT = Path(__file__).resolve().parents[4]
BLOCK = re.compile(r"^```python( [^\n]*)?\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
ANSWER = "I refunded 24.00."


def main() -> None:
    """Runs the page and the example."""
    name, example_name = sys.argv[1:]
    model = ModelServer()
    model.otherwise = reply
    os.environ |= {
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_BASE": model.url,
        "ANTHROPIC_BASE_URL": model.root,
        "ANTHROPIC_API_KEY": "sk-ant-loopback",
        "GOOGLE_GEMINI_BASE_URL": model.root,
    }
    checks = []
    page = ROOT / "docs" / "how-to" / f"{name}.md"
    checked(lambda: run_page(page))
    checks.append(str(page.relative_to(ROOT)))
    example = ROOT / "sdks" / "python" / "examples" / "frameworks" / f"{example_name}.py"
    checked(lambda: run_example(example))
    lessons = [request for request in model.asked if "photo of the damage" in json.dumps(request)]
    assert lessons, "the lesson of the first run is not in the prompts of the second one"
    checks.append(str(example.relative_to(ROOT)))
    model.close()
    print(json.dumps({"framework": name, "version": "", "checks": len(checks), "names": checks}))


def checked(run: Callable[[], None]) -> None:
    """Runs code in a project of its own, and checks what it has stored."""
    os.environ["REFLECT_PROJECT_ID"] = f"documents-{secrets.token_hex(4)}"
    run()
    client = ReflectClient()
    client.flush()
    traces = client.list_traces()
    assert traces, "nothing is stored"
    for trace in traces:
        roles = [message["role"] for message in trace.trajectory]
        assert "tool" in roles and ANSWER in json.dumps(trace.trajectory), trace.trajectory


def run_page(page: Path) -> None:
    """Runs the blocks of a page in one module, and compares what they print."""
    names: dict[str, Any] = {"__name__": "__main__"}
    for marks, code, shown in BLOCK.findall(page.read_text(encoding="utf-8")):
        if "no-run=" in marks and "no-run=runs-elsewhere" not in marks:
            continue
        printed = run_code(code, str(page), names)
        assert not shown or printed.strip() == shown.strip(), f"{page} prints {printed!r}, not {shown!r}"


def run_example(example: Path) -> None:
    """Runs an example as a program."""
    printed = run_code(example.read_text(encoding="utf-8"), str(example), {"__name__": "__main__"})
    assert ANSWER in printed and "memories in the prompt: ['" in printed, printed


def run_code(code: str, where: str, names: dict[str, Any]) -> str:
    """Runs code; returns what it prints."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, where, "exec"), names)
    return printed.getvalue()


def reply(path: str, asked: dict[str, Any]) -> Any:
    """A call of the first tool, and an answer after its result."""
    if "contents" in asked:
        told, tools = gemini_wire.told(asked), [one for tool in asked.get("tools", []) for one in declarations(tool)]
    elif "input" in asked:
        told, tools = wire.told_items(asked), asked.get("tools", [])
    else:
        told = (anthropic_wire if path.endswith("/messages") else wire).told(asked)
        tools = [tool.get("function", tool) for tool in asked.get("tools", [])]
    if not tools or told[-1]["role"] == "tool":
        return ANSWER
    schemas = (tools[0].get(name) for name in ("parameters", "input_schema", "parametersJsonSchema"))
    schema = next((schema for schema in schemas if schema), {})
    arguments = {name: value(field) for name, field in schema.get("properties", {}).items()}
    return {"tool_calls": [wire.call(tools[0]["name"], arguments)]}


def declarations(tool: dict[str, Any]) -> list[dict[str, Any]]:
    """The functions of a tool of Gemini's protocol."""
    return list(tool.get("functionDeclarations") or tool.get("function_declarations") or [])


def value(field: dict[str, Any]) -> Any:
    """A value of the type of an argument."""
    return 1182 if str(field.get("type", "")).lower() in ("integer", "number") else "1182"


if __name__ == "__main__":
    main()
