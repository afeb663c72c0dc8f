"""The world in which documented code runs: a server on a fresh database, and a language model for the agents.

The server has the small embedder, so memories are found by meaning, and no language model: its lessons are put
together from task, outcome and feedback, in milliseconds and always alike. What starts it all is the conformance
run's; `examples.py` puts that on the path.
"""

from __future__ import annotations

import http.client
import json
import os
import secrets
import subprocess
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from database import fresh_database
from real_models import TEXT_MODEL, real_models
from server import Server
from surroundings import OWN_SOURCES, Missing, Surroundings

# Long enough for a sentence. The model writes some ten tokens a second.
ANSWER_TOKENS = 24

# Naming the client also imports what it is made of.
NEEDED = "import langchain_openai, langgraph.graph, openai, reflect_sdk as r; r.ReflectClient; print(r.__file__)"


@dataclass(frozen=True)
class Project:
    """A project of its own for one program, as a program and as a reader sees it."""

    base_url: str
    key: str
    name: str

    def environment(self) -> dict[str, str]:
        """What a user would export."""
        return {
            "REFLECT_BASE_URL": self.base_url,
            "REFLECT_API_KEY": self.key,
            "REFLECT_PROJECT_ID": self.name,
        }

    def get(self, path: str) -> Any:
        """What the server has, not asked through the SDK: a path below the project."""
        connection = http.client.HTTPConnection(urlsplit(self.base_url).netloc, timeout=30)
        try:
            path = f"/v1/projects/{self.name}/{path}"
            connection.request("GET", path, headers={"Authorization": f"Bearer {self.key}"})
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status == 200, f"GET {path} answered {answer.status}: {body[:300]!r}"
            return json.loads(body)
        finally:
            connection.close()


@dataclass(frozen=True)
class Stage:
    """A running world."""

    python: Path
    # For every program; the project's own variables come on top.
    environment: Mapping[str, str]
    model: str
    server: Server
    key: str

    def project(self, name: str) -> Project:
        """A new project."""
        return Project(self.server.base_url, self.key, f"{name}-{secrets.token_hex(4)}")


@contextmanager
def stage(found: Surroundings, python: Path, folder: Path) -> Generator[Stage, None, None]:
    """Starts everything, and stops it again."""
    environment = _program_environment(found, folder)
    require(python, environment)
    with (
        fresh_database(found.psql, found.database_server, found.inherited) as database,
        real_models(found.everything, folder / "model.log", answer_tokens=ANSWER_TOKENS) as models,
    ):
        embedder = {
            name: value
            for name, value in models.items()
            if name.startswith(("REFLECT_EMBEDDER", "REFLECT_ONNXRUNTIME"))
        }
        settings = {
            **found.inherited,
            **embedder,
            "REFLECT_DATABASE_URL": database,
            "REFLECT_DRAIN_SECONDS": "2",
            # On a busy machine a vector may be late, and memories would be searched by their words.
            "REFLECT_QUESTION_MS": "4000",
            # What is shown of the log when an example fails must not be a list of requests.
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
        }
        with Server(found.binary, settings, folder / "server.log") as server:
            asking = {"OPENAI_BASE_URL": models["REFLECT_TEXT_URL"], "OPENAI_API_KEY": "any text"}
            yield Stage(python, {**environment, **asking}, TEXT_MODEL, server, server.master_key())


def require(python: Path, environment: Mapping[str, str]) -> None:
    """Says what is missing, before anything is started."""
    asked = subprocess.run(
        [str(python), "-c", NEEDED], env=dict(environment), capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        said = asked.stderr.strip().splitlines()[-1:] or [f"it ended with {asked.returncode}"]
        raise Missing(
            f"{python} cannot run the examples: {said[0]}. It needs `pip install httpx2 openai langgraph "
            "langchain-openai`; --python names another one"
        )


def _program_environment(found: Surroundings, folder: Path) -> dict[str, str]:
    no_certificates = folder / "no-certificates"
    no_certificates.mkdir()
    checks = Path(__file__).resolve().parents[1]
    return {
        **found.own_client_environment(no_certificates, folder / "spool"),
        # The worker that runs the README is ours, the SDK is the one of this checkout.
        "PYTHONPATH": os.pathsep.join([str(OWN_SOURCES), str(checks)]),
    }
