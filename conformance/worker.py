"""Runs cases inside a client's virtual environment.

    <environment>/bin/python worker.py --version 0.3.3
    <environment>/bin/python worker.py --version rust --driver <program> [<argument>...]

Reads the items and their setting as JSON from stdin; writes one JSON line per item to stdout. It does not
interpret failures; the report does.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from cases.http_library import httpx
from cases.registry import CASES
from cases.setting import Setting
from published import NotPublished, require_driver, require_own, require_published
from surroundings import LATEST, OLDEST, OWN, RUST, TYPESCRIPT

HERE = Path(__file__).resolve().parent

THROUGH_ANY = ("transport", "keys", "query", "traces", "waiting", "review", "tracing", "newer_versions")

# The oldest client lacks names that other modules import, so each version has its own list of modules.
MODULES = {
    LATEST: (*THROUGH_ANY, "mcp_endpoint"),
    OLDEST: ("oldest_version",),
    OWN: THROUGH_ANY,
    RUST: THROUGH_ANY,
    TYPESCRIPT: THROUGH_ANY,
}


def main() -> None:
    """Runs the items from stdin."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", choices=sorted(MODULES), required=True)
    parser.add_argument("--driver", nargs="+", help="the driver of a client in another language")
    options = parser.parse_args()
    version = options.version
    try:
        if version == OWN:
            require_own()
        elif version in (RUST, TYPESCRIPT):
            require_driver()
            importlib.import_module("reflect_sdk.driver").start(options.driver)
        else:
            require_published(version)
    except NotPublished as problem:
        sys.exit(str(problem))
    for module in MODULES[version]:
        importlib.import_module(f"cases.{module}")
    order = json.load(sys.stdin)
    for item in order["items"]:
        # The output of a case must not mix with the results.
        with redirect_stdout(sys.stderr):
            result = run_case(item, order["setting"])
        print(json.dumps(result), flush=True)


def run_case(item: int, setting: dict[str, Any]) -> dict[str, Any]:
    """Runs one case and returns its result."""
    case = CASES.get(item)
    if case is None:
        return {
            "item": item,
            "sentence": "no case",
            "passed": False,
            "reason": "there is no case for this item",
        }
    result: dict[str, Any] = {"item": item, "sentence": case.sentence, "passed": True, "reason": ""}
    try:
        case.run(Setting.for_item(item, setting))
    except Exception as error:
        result |= {"passed": False, "reason": "\n".join(explain(error))}
    return result


def explain(error: BaseException) -> list[str]:
    """A short description of the failure and its location."""
    if isinstance(error, BaseExceptionGroup):
        return [line for part in error.exceptions for line in explain(part)]
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(HERE / "cases")
    ]
    if isinstance(error, httpx.HTTPStatusError):
        # The client hides the body, which contains the server's reason.
        request, response = error.request, error.response
        said = f"{request.method} {request.url.path} answered {response.status_code}"
        said += f": {response.text[:300]}"
    elif isinstance(error, AssertionError):
        # An assertion without a message is described by its source line.
        said = str(error) or f"does not hold: {frames[-1].line if frames else 'an assertion'}"
    else:
        said = f"{type(error).__name__}: {error}"
    path = dict.fromkeys(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
    return [said, f"in {' > '.join(path)}"] if path else [said]


if __name__ == "__main__":
    main()
