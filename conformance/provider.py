"""The scripted provider that writes lessons and computes vectors for the server under test.

It is deterministic: lessons are filled in from the schema in the request, and texts that share words
have similar vectors.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from announced import announced

# The provider rejects a task that contains these words with a permanent error.
FAILING_TASK = "with the cursed abacus"
REFUSAL = {"status": {"code": 401, "message": "this key is not known here"}}
SCRIPT = {"chat": {"rules": [{"words": [FAILING_TASK], "behaviour": REFUSAL}]}}

START_SECONDS = 10.0


@dataclass(frozen=True)
class Provider:
    """The provider's settings for the server and the cases."""

    # Variables for the server's process.
    server_environment: Mapping[str, str]
    # A task that contains these words makes the provider fail.
    failing_task: str


@contextmanager
def provider(program: Path, environment: Mapping[str, str], log: Path) -> Iterator[Provider]:
    """Runs a provider."""
    command = [str(program), "--port", "0", "--script", json.dumps(SCRIPT)]
    with announced(command, environment, log=log, says="listening on ", seconds=START_SECONDS) as url:
        yield Provider(
            server_environment={
                "REFLECT_TEXT_PROVIDER": "openai",
                "REFLECT_TEXT_URL": f"{url}/v1",
                "REFLECT_TEXT_MODEL": "scripted",
                "REFLECT_EMBEDDER": "openai",
                "REFLECT_EMBEDDER_URL": f"{url}/v1",
                "REFLECT_EMBEDDER_MODEL": "scripted-words",
            },
            failing_task=FAILING_TASK,
        )
