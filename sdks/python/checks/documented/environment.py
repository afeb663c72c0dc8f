"""The environment of the documented code: a server on a fresh database, and a language model for the agents.

The server has the small embedder, so memories are found by embedding. It has no language model: its lessons are built
from task, result and feedback, fast and deterministically. The code that starts everything is in `conformance`;
`examples.py` adds it to the path.
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

# Long enough for a sentence. The model writes about ten tokens per second.
ANSWER_TOKENS = 24

# Accessing the client also imports its modules.
NEEDED = "import langchain_openai, langgraph.graph, openai, reflect_sdk as r; r.ReflectClient; print(r.__file__)"


@dataclass(frozen=True)
class Project:
    """The project of one program, for the program and for checks."""

    base_url: str
    key: str
    name: str

    def environment(self) -> dict[str, str]:
        """The variables that a user would export."""
        return {
            "REFLECT_BASE_URL": self.base_url,
            "REFLECT_API_KEY": self.key,
            "REFLECT_PROJECT_ID": self.name,
        }

    def get(self, path: str) -> Any:
        """Reads a path below the project without the SDK."""
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
class Environment:
    """A running environment."""

    python: Path
    # For every program; the variables of the project are added.
    variables: Mapping[str, str]
    model: str
    server: Server
    key: str

    def project(self, name: str) -> Project:
        """A new project."""
        return Project(self.server.base_url, self.key, f"{name}-{secrets.token_hex(4)}")


@contextmanager
def started_environment(found: Surroundings, python: Path, folder: Path) -> Generator[Environment, None, None]:
    """Starts everything, and stops it at the end."""
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
            # On a busy machine an embedding may be slow, and the server would fall back to keyword search.
            "REFLECT_QUESTION_MS": "4000",
            # Without this, the end of the log after a failure would contain only requests.
            "REFLECT_LOG": "info,reflect_server::http::observe=warn",
        }
        with Server(found.binary, settings, folder / "server.log") as server:
            asking = {"OPENAI_BASE_URL": models["REFLECT_TEXT_URL"], "OPENAI_API_KEY": "any text"}
            yield Environment(python, {**environment, **asking}, TEXT_MODEL, server, server.master_key())


def require(python: Path, environment: Mapping[str, str]) -> None:
    """Raises `Missing` if a package is missing, before anything is started."""
    asked = subprocess.run(
        [str(python), "-c", NEEDED], env=dict(environment), capture_output=True, text=True, check=False
    )
    if asked.returncode != 0:
        said = asked.stderr.strip().splitlines()[-1:] or [f"it ended with {asked.returncode}"]
        raise Missing(
            f"{python} cannot run the examples: {said[0]}. It needs `pip install httpx2 openai langgraph "
            "langchain-openai`; use --python to select another one"
        )


def _program_environment(found: Surroundings, folder: Path) -> dict[str, str]:
    no_certificates = folder / "no-certificates"
    no_certificates.mkdir()
    checks = Path(__file__).resolve().parents[1]
    return {
        **found.own_client_environment(no_certificates, folder / "spool"),
        # The README worker is in this folder; the SDK is from this checkout.
        "PYTHONPATH": os.pathsep.join([str(OWN_SOURCES), str(checks)]),
    }
