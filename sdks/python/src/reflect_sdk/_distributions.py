"""Finds another distribution that also contains a package `reflect_sdk`.

On the public package index, `reflect-sdk` is the client of a hosted product. If it is installed together with this
package, both write their files to the same folder, and runs may be sent to that product.
"""

from __future__ import annotations

import logging
from importlib import metadata
from typing import NamedTuple

_log = logging.getLogger("reflect_sdk")

# The names under which a `reflect_sdk` is published, by this project or by others.
_NAMES = ("reflect-sdk", "reflect-memory", "reflect-memory-client")
_PACKAGE = "reflect_sdk/__init__.py"
# A distribution of this project contains this file.
_OWN = "reflect_sdk/_distributions.py"

_checked: list[bool] = []


class Installed(NamedTuple):
    """An installed distribution that contains `reflect_sdk`."""

    name: str
    version: str
    own: bool


def installed() -> list[Installed]:
    """The distributions of this environment that contain a package `reflect_sdk`."""
    found: dict[tuple[str, str, bool], Installed] = {}
    for name in _NAMES:
        for distribution in metadata.distributions(name=name):
            files = {str(path).replace("\\", "/") for path in distribution.files or ()}
            if _PACKAGE in files:
                one = Installed(distribution.metadata["Name"], distribution.version, _OWN in files)
                found[one] = one
    return list(found.values())


def foreign() -> list[Installed]:
    """The distributions among them that are not of this project."""
    return [one for one in installed() if not one.own]


def warn_about_foreign() -> None:
    """Logs a warning once per process if a foreign distribution is installed. Never raises."""
    if _checked:
        return
    _checked.append(True)
    try:
        others, own = foreign(), [one for one in installed() if one.own]
    except Exception:
        # Broken metadata of some package in the environment must not stop the program.
        return
    for other in others:
        again = f" Then install this package again: pip install --force-reinstall {own[0].name}." if own else ""
        _log.warning(
            "%s %s is installed too. It is the client of another product and has the same import name, reflect_sdk: "
            "its files and the files of this package replace each other. Run: pip uninstall %s.%s",
            other.name,
            other.version,
            other.name,
            again,
        )
