"""Stand-ins for frameworks that are not installed here, so that their adapters can be imported and described.

They come from the stubs that types are checked with: one empty class for each name.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

STUBS = Path(__file__).resolve().parents[1] / "stubs"


class _StandIn:
    def __class_getitem__(cls, of: object) -> Any:
        return cls


def install() -> None:
    """Adds a module for every stub whose package is missing."""
    for path in sorted(STUBS.rglob("*.pyi")):
        name = ".".join(path.relative_to(STUBS).with_suffix("").parts).removesuffix(".__init__")
        if name in sys.modules or _is_installed(name):
            continue
        module = sys.modules[name] = ModuleType(name)
        module.__path__ = []
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef):
                setattr(module, node.name, type(node.name, (_StandIn,), {}))
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                setattr(module, node.target.id, None)


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False
