"""Tells code from words that Python happens to be able to read."""

from __future__ import annotations

import ast
import re
import warnings
from enum import Enum

TRIPLE_QUOTED = re.compile(r"\s*[rR]?(\"\"\"|''')")

# Signs that a line was meant as Python, for lines that ended up in no block.
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
    """What a statement that Python can read is."""

    CODE = "code"
    # Code beside code, and nothing by itself: `main()` may also be a heading.
    PERHAPS = "perhaps"
    PROSE = "prose"


def read_as_code(text: str) -> ast.Module | None:
    """The text as Python, or nothing when it is none. Waiting outside a function is allowed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            # It also knows what may not stand outside a function.
            compile(text, "<document>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
            return tree
        except (SyntaxError, ValueError):
            return None


def sort_of(statement: ast.stmt, text: str) -> Sort:
    """Whether a statement can be taken for code."""
    if isinstance(statement, ast.Expr):
        return _sort_of_expression(statement.value, text)
    # `Note: something` has the form of a declaration, and the three words are ordinary ones.
    if isinstance(statement, ast.AnnAssign) and statement.value is None:
        return Sort.PROSE
    if isinstance(statement, (ast.Pass, ast.Break, ast.Continue)):
        return Sort.PROSE
    return Sort.CODE


def _sort_of_expression(value: ast.expr, text: str) -> Sort:
    if isinstance(value, ast.Await):
        return Sort.CODE
    if isinstance(value, ast.Call):
        # `Parameter(s)` and `client.trace()` stand in headings; a call that hands something over does not.
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
    """Whether a line that is in no block was perhaps meant to be in one."""
    return LOOKS_LIKE_CODE.match(line) is not None
