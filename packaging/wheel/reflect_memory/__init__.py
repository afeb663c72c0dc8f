"""Where the program `reflect` and its embedding model are in this environment.

The package that brings them also brings the Python client, `reflect_sdk`. It needs nothing of this module.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

__all__ = ["find_model", "find_reflect_bin", "foreign_client"]


def find_reflect_bin() -> str:
    """The path of the program `reflect`."""
    name = "reflect" + (sysconfig.get_config_var("EXE") or "")
    here = Path(__file__).resolve().parent
    folders = [
        sysconfig.get_path("scripts"),
        # Of a base environment, when this one was made with access to its packages.
        sysconfig.get_path("scripts", vars={"base": sys.base_prefix}),
        # `pip install --target` puts programs beside packages, `--prefix` where a prefix has them.
        here.parent / "bin",
        *(above / "bin" for above in here.parents[3:4]),
        sysconfig.get_path("scripts", scheme=f"{os.name}_user"),
    ]
    for folder in folders:
        path = Path(folder, name)
        if path.is_file():
            return str(path)
    raise FileNotFoundError(f"no program {name} in {', '.join(map(str, folders))}: install reflect-memory again")


def find_model() -> str:
    """The folder of the embedding model, for `REFLECT_EMBEDDER_FOLDER`."""
    return str(Path(__file__).resolve().parent / "model")


def foreign_client() -> str | None:
    """The version of a distribution `reflect-sdk` in this environment, which belongs to another project.

    Both hold a module `reflect_sdk`, and whichever was installed last is the one that is imported.
    """
    try:
        return metadata.version("reflect-sdk")
    except metadata.PackageNotFoundError:
        return None
