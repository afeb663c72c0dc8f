"""Distinguishes code from prose that parses as Python."""

from __future__ import annotations

import ast
import re
import warnings
from enum import Enum

TRIPLE_QUOTED = re.compile(r"\s*[rR]?(\"\"\"|''')")

# Signs that a line outside all blocks was meant as Python.
LOOKS_LIKE_CODE = re.compile(
    r"""^\s*(
        @\w[\w.]*(\(|$)                         # a decorator
        | (async\s+)?(def|class)\s+\w+.*:\s*$   # the heads of bodies
        | (async\s+)?with\s.*(\)|\sas\s\w+):\s*$
        | (async\s+)?for\s.*\sin\s.*:\s*$
        | (from\s\S+\s)?import\s[\w.]+(\s*,\s*\w+|\sas\s\w+)*\s*$
        | [\w.]+\s=\s\S.*$                       # an assignment
        | \w[\w.]*\(\S*\w=\S.*$                  # a call with a named argument
        | .*[(\[{]\s*$                           # something that is still open
        | [)\]}]+[,:]?\s*$                       # something that closes
    )""",
    re.VERBOSE,
)


class Sort(Enum):
    """The kind of a statement that parses."""

    CODE = "code"
    # Code only next to other code: `main()` may also be a heading.
    PERHAPS = "perhaps"
    PROSE = "prose"


def read_as_code(text: str) -> ast.Module | None:
    """Parses the text; None if it is not Python. `await` outside a function is allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            # `compile` also rejects statements that are not allowed outside a function.
            compile(text, "<document>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            return tree
        except (SyntaxError, ValueError):
            return None


def sort_of(statement: ast.stmt, text: str) -> Sort:
    """Whether a statement is code."""
    if isinstance(statement, ast.Expr):
        return _sort_of_expression(statement.value, text)
    # `Note: something` has the form of an annotation, but is prose.
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return Sort.PROSE
    if isinstance(statement, (ast.Pass, ast.Break, ast.Continue)):
        return Sort.PROSE
    return Sort.CODE


def _sort_of_expression(value: ast.expr, text: str) -> Sort:
    if isinstance(value, ast.Await):
        return Sort.CODE
    if isinstance(value, ast.Call):
        # `Parameter(s)` and `client.trace()` occur in headings; a call with arguments does not.
        plain = all(isinstance(argument, ast.Name) for argument in value.args) and not value.keywords
        return Sort.PERHAPS if plain else Sort.CODE
    if isinstance(value, ast.Constant):
        docstring = isinstance(value.value, str) and TRIPLE_QUOTED.match(_without_comments(text))
        return Sort.PERHAPS if docstring or value.value is ... else Sort.PROSE
    return Sort.PROSE


def _without_comments(text: str) -> str:
    lines = text.split("\n")
    return "\n".join(line for line in lines if not line.lstrip().startswith("#"))


def looks_like_code(line: str) -> bool:
    """Whether a line outside all blocks may be code."""
    return LOOKS_LIKE_CODE.match(line) is not None
