"""The check of install commands finds names of other owners, in every form that a command has."""

from __future__ import annotations

import pytest

import install_lines
from install_lines import CRATES, NPM, PYPI, Package

OURS = [
    Package(PYPI, "reflect-memory", "built"),
    Package(PYPI, "reflect-memory-client", "built"),
    Package(CRATES, "reflect-memory-client", "checked"),
    Package(NPM, "reflect-memory", "reserved"),
]


def names(text: str) -> list[tuple[str, str]]:
    """Registry and name of every package that the text installs."""
    return [(one.registry, one.name) for one in install_lines.packages_in(text)]


@pytest.mark.parametrize(
    "text",
    [
        "pip install reflect-sdk\n",
        "$ pip install --upgrade 'reflect-sdk[langchain]' langgraph\n",
        "hint = f\"needs it: pip install 'reflect-sdk[{extra}]'.\"\n",
        'const INSTALL = { pip: "uv pip install reflect-sdk" };\n',
        'raise Missing("run `pip install httpx2 "\n              "reflect-sdk` first")\n',
        "/// Run `pip install\n/// reflect-sdk` first.\n",
        "RUN pip install --no-cache-dir \\\n    reflect_sdk==0.3.3 \\\n    && true\n",
        "python3 -m pip --python venv/bin/python install --quiet reflect-sdk\n",
        "pip download --dest wheels Reflect_SDK\n",
        "uv add reflect-sdk>=1\n",
        "uvx --from reflect-sdk reflect dev\n",
        "uvx reflect-sdk --version\n",
        "pipx install reflect-sdk\n",
        "pipx run --spec=reflect-sdk reflect\n",
        "poetry add reflect-sdk\n",
        "npm install --save reflect-sdk@1.2\n",
        "npx -y reflect-sdk init\n",
        "cargo add reflect-sdk --features reflexion-loop\n",
        "cargo install --locked --version 1.0.0 reflect-sdk\n",
    ],
)
def test_the_package_of_another_owner_is_found(text: str) -> None:
    found = install_lines.problems({"docs/a.md": text}, OURS)

    assert len(found) == 1 and "`reflect-sdk` is no package of" in found[0], found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pip install reflect-memory && reflect dev", [(PYPI, "reflect-memory")]),
        ("pip install dist/reflect_memory-*.whl ./client $package {wheel} -r needs.txt", []),
        ("pip install --no-index --find-links wheels reflect-memory", [(PYPI, "reflect-memory")]),
        ("the layout of `pip install`, with links", []),
        ("(`pip install mcp`, version 2)", [(PYPI, "mcp")]),
        ("pip install a-b  # or: pip download c.d", [(PYPI, "a-b"), (PYPI, "c.d")]),
        ("pip uninstall reflect-sdk", []),
        ("apt-get install -y strace", []),
        ("npm install --no-save --no-progress", []),
        ("npm i @scope/name@2 other", [(NPM, "@scope/name"), (NPM, "other")]),
        ("cargo install --path crates/cli", []),
        ("uvx ruff check .", [(PYPI, "ruff")]),
    ],
)
def test_names_are_read_without_options_paths_and_versions(text: str, expected: list[tuple[str, str]]) -> None:
    assert names(text) == expected


def test_a_reserved_name_cannot_be_installed_yet() -> None:
    found = install_lines.problems({"docs/a.md": "\nnpm install reflect-memory\n"}, OURS)

    assert len(found) == 1 and found[0].startswith("docs/a.md:2: `reflect-memory` is no package of npm")


def test_the_table_is_compared_with_the_manifests() -> None:
    text = "| Registry | Package | Import name | Contains | Status |\n| PyPI | `reflect-a` | `a` | it | built |\n"

    found = install_lines.table_problems(install_lines.table(text), {(CRATES, "reflect-b")})

    assert found == [
        "docs/PACKAGES.md: crates.io package `reflect-b` is not in the table",
        "docs/PACKAGES.md: no manifest declares the PyPI package `reflect-a`",
    ]


def test_the_list_of_other_projects_has_no_unused_name() -> None:
    files = install_lines.repository_files().values()
    used = {(one.registry, one.name) for text in files for one in install_lines.packages_in(text)}
    listed = {(registry, name) for registry, known in install_lines.THIRD_PARTY.items() for name in known}

    assert listed - used == set()
