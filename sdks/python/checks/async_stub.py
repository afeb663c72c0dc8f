"""Writes src/reflect_sdk/async_client.pyi: the calls of AsyncReflectClient with explicit types.

    <tools>/bin/python sdks/python/checks/async_stub.py [--check]

In the sources, its calls are aliases of ReflectClient's calls, so the two cannot differ. Type checkers interpret
such aliases differently, and editors show no signatures; the stub declares them. With `--check` nothing is written;
it fails if the stub is out of date.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1]
SOURCE = PACKAGE / "src" / "reflect_sdk" / "async_client.py"
STUB = SOURCE.with_suffix(".pyi")
CLIENT = "AsyncReflectClient"
TWIN = "_async"
OPENING = '"""The calls of the client for asynchronous code. Written by `just sdk-docs`; do not edit."""'

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Module:
    """A module of the package: its imports and its classes."""

    def __init__(self, path: Path) -> None:
        self._tree = ast.parse(path.read_text(encoding="utf-8"))
        self.imports: dict[str, str] = {}
        for node in ast.walk(self._tree):
            if isinstance(node, ast.ImportFrom) and node.module != "__future__":
                for name in node.names:
                    self.imports[name.asname or name.name] = f"from {node.module} import {name.name}"
            elif isinstance(node, ast.Import):
                self.imports.update({name.name: f"import {name.name}" for name in node.names})
        for node in self._tree.body:
            if isinstance(node, ast.ClassDef):
                where = ".".join(path.relative_to(PACKAGE / "src").with_suffix("").parts)
                self.imports[node.name] = f"from {where} import {node.name}"

    def class_named(self, name: str) -> ast.ClassDef:
        """The class of that name."""
        return next(node for node in self._tree.body if isinstance(node, ast.ClassDef) and node.name == name)


def stub() -> str:
    """The formatted text of the stub."""
    module = Module(SOURCE)
    client = module.class_named(CLIENT)
    needed = {name: module.imports[name] for base in client.bases for name in _names(base)}
    written: list[str] = []
    for node in client.body:
        if isinstance(node, Function):
            call, origin = node, module
        elif isinstance(node, ast.Assign):
            call, origin = _call_behind(node, module)
        else:
            continue
        written.append(ast.unparse(_declared(call)))
        used = {name for part in _types_of(call) for name in _names(part)}
        needed |= {name: origin.imports[name] for name in used if name in origin.imports and name != CLIENT}
    documentation = ast.get_docstring(client, clean=False)
    head = f'class {CLIENT}({", ".join(map(ast.unparse, client.bases))}):\n    """{documentation}"""\n'
    body = "\n".join("    " + line for call in written for line in call.splitlines())
    return _laid_out("\n".join([OPENING, *sorted(set(needed.values())), head, body, ""]))


def _call_behind(alias: ast.Assign, module: Module) -> tuple[Function, Module]:
    """The function of `name = Class.name_async`, with the short name, and its module."""
    target, value = alias.targets[0], alias.value
    assert isinstance(target, ast.Name) and isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)
    where = module.imports[value.value.id].split()[1]
    origin = Module(PACKAGE / "src" / Path(*where.split(".")).with_suffix(".py"))
    methods = {node.name: node for node in origin.class_named(value.value.id).body if isinstance(node, Function)}
    call = methods[value.attr]
    call.name = target.id
    # The blocking call has the full documentation; the first line is enough here.
    text = ast.get_docstring(methods[value.attr.removesuffix(TWIN)]) or call.name
    call.body[0] = ast.Expr(ast.Constant(text.splitlines()[0]))
    return call, origin


def _declared(call: Function) -> Function:
    """The function without its body."""
    arguments = call.args
    # The annotation of `self` is not part of the stub.
    (arguments.posonlyargs + arguments.args)[0].annotation = None
    arguments.defaults = [_shown(value) for value in arguments.defaults]
    arguments.kw_defaults = [None if value is None else _shown(value) for value in arguments.kw_defaults]
    has_text = ast.get_docstring(call) is not None
    streams = any(isinstance(node, ast.Yield) for node in ast.walk(call))
    body: list[ast.stmt] = [call.body[0]] if has_text else [ast.Expr(ast.Constant(...))]
    kind = ast.FunctionDef if streams or isinstance(call, ast.FunctionDef) else ast.AsyncFunctionDef
    # Decorators that only check arguments are not part of the signature.
    decorators = [one for one in call.decorator_list if ast.unparse(one) in ("classmethod", "property")]
    declared = kind(call.name, arguments, body, decorators, call.returns)
    return ast.fix_missing_locations(declared)


def _shown(default: ast.expr) -> ast.expr:
    plain = isinstance(default, (ast.Constant, ast.Tuple))
    return default if plain else ast.Constant(...)


def _types_of(call: Function) -> Iterator[ast.expr]:
    arguments = call.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    yield from (one.annotation for one in every if one is not None and one.annotation is not None)
    if call.returns is not None:
        yield call.returns


def _names(expression: ast.expr) -> set[str]:
    return {node.id for node in ast.walk(expression) if isinstance(node, ast.Name)}


def _laid_out(text: str) -> str:
    for step in (["check", "--select", "I", "--fix-only"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *step, "--quiet", "--stdin-filename", str(STUB), "-"]
        text = subprocess.run(ruff, input=text, stdout=subprocess.PIPE, text=True, check=True, cwd=PACKAGE).stdout
    return text


def main() -> int:
    """Exit code 0: the stub is written or up to date."""
    parser = argparse.ArgumentParser(description="Write the stub of the asynchronous client.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the stub is out of date")
    if not parser.parse_args().check:
        STUB.write_text(stub(), encoding="utf-8")
        print(f"wrote {STUB.relative_to(PACKAGE)}")
        return 0
    if STUB.exists() and STUB.read_text(encoding="utf-8") == stub():
        return 0
    print(f"{STUB.relative_to(PACKAGE)} is out of date: run `just sdk-docs`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
