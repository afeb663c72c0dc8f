"""Starts the servers for the blocks, runs the blocks, and stops the servers.

The code that starts the server, the database and the models is in `conformance`; `run.py` adds it to the path.
"""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

from database import fresh_database
from provider import provider
from real_models import TEXT_MODEL, real_models
from server import Server
from surroundings import Missing, Surroundings

from .block_process import run_document
from .documents import PROJECT, Document
from .extract import Block
from .place import Outcome, Place
from .program import Project, run_program, write_program
from .report import Report
from .terminal import NotAnswered

SDK = PROJECT / "sdks" / "python" / "src"
CHECKS = Path(__file__).resolve().parents[1]

# The documents use this address, and blocks run unchanged.
PORT = 8000

# Token limits for the model's answers and for the digest of a run. The program sets no limit and waits at most 60 s
# for a lesson; the model writes ten to thirty tokens per second. The complete part of a truncated lesson is kept.
ANSWER_TOKENS = 48
SHORT_LESSONS = {"REFLECT_REFLECTION_TOKENS": "80", "REFLECT_TRAJECTORY_TOKENS": "400"}

# Accessing the client also imports its modules.
NEEDED = "import openai, reflect_sdk as r; r.ReflectClient; print(r.__version__, 'in', r.__file__)"


class Harness:
    """The environment of the blocks of one run."""

    def __init__(self, found: Surroundings, python: Path, folder: Path, installed: bool) -> None:
        self._found = found
        self._python = python
        self._folder = folder
        no_certificates = folder / "no-certificates"
        no_certificates.mkdir()
        paths = [str(CHECKS)] if installed else [str(CHECKS), str(SDK)]
        self._environment = {
            **found.client_environment(no_certificates),
            "PYTHONPATH": os.pathsep.join(paths),
            "REFLECT_SPOOL_DIR": str(folder / "spool"),
            "OPENAI_API_KEY": "any text",
            # The output of a program must have no colours and no redraws.
            "TERM": "dumb",
        }

    def sdk(self) -> str:
        """The version and location of the SDK; raises `Missing` if a package is missing."""
        asked = subprocess.run(
            [str(self._python), "-c", NEEDED], env=self._environment, capture_output=True, text=True, check=False
        )
        if asked.returncode != 0:
            said = asked.stderr.strip().splitlines()[-1:] or [f"it ended with {asked.returncode}"]
            raise Missing(
                f"{self._python} cannot run the blocks: {said[0]}. It needs `pip install httpx2 openai`; "
                "use --python to select another one"
            )
        return asked.stdout.strip()

    def programs(self, document: Document, blocks: Sequence[Block], report: Report) -> None:
        """Runs the blocks that are complete programs, each with its own database and model."""
        for block in blocks:
            with (
                fresh_database(self._found.psql, self._found.database_server, self._found.inherited) as url,
                real_models(
                    self._found.everything, self._folder / "model.log", answer_tokens=ANSWER_TOKENS
                ) as models,
                self._server({**models, **SHORT_LESSONS, "REFLECT_DATABASE_URL": url}) as server,
            ):
                project = Project(PORT, server.master_key(), f"seed-{secrets.token_hex(4)}")
                environment = {
                    **self._environment,
                    "OPENAI_BASE_URL": models["REFLECT_TEXT_URL"],
                    "REFLECT_API_KEY": project.key,
                    "REFLECT_PROJECT_ID": project.name,
                }
                program = write_program(document, block, self._folder)
                passed, reason, remarks = True, "", [f"program {program.name}, unchanged, with {TEXT_MODEL}"]
                try:
                    remarks += run_program(self._python, program, TEXT_MODEL, environment, project)
                except (AssertionError, NotAnswered) as problem:
                    passed, reason = False, f"{problem}\n--- the end of the server's log\n{server.log_tail(15)}"
                outcome = Outcome(
                    document.number, block.number, block.first, block.last, passed, checked=3, reason=reason
                )
            report.add(outcome, remarks)

    def documents(self, documents: Sequence[tuple[Document, Sequence[Block]]], report: Report) -> None:
        """Runs all other blocks with one server, one database, and one project per document."""
        with (
            fresh_database(self._found.psql, self._found.database_server, self._found.inherited) as url,
            provider(self._found.scripted_provider, self._found.inherited, self._folder / "provider.log") as scripted,
            self._server({**scripted.server_environment, "REFLECT_DATABASE_URL": url}) as server,
        ):
            key = server.master_key()
            for document, blocks in documents:
                place = Place(
                    seeds=str(document.path.parent),
                    document=document.number,
                    base_url=server.base_url,
                    api_key=key,
                    project=f"seed-{document.number}-{secrets.token_hex(4)}",
                    openai_url=scripted.server_environment["REFLECT_TEXT_URL"],
                )
                environment = {
                    **self._environment,
                    "REFLECT_API_KEY": key,
                    "REFLECT_PROJECT_ID": place.project,
                }
                for outcome in run_document(self._python, place, blocks, environment):
                    report.add(outcome)

    def _server(self, settings: dict[str, str]) -> Server:
        with socket.socket() as probe:
            # Like the server: a recently closed address can be reused.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", PORT))
            except OSError as problem:
                raise Missing(
                    f"port {PORT}, which the documents use, is in use: stop the program that listens on it"
                ) from problem
        settings = {**self._found.inherited, **settings, "REFLECT_DRAIN_SECONDS": "2"}
        return Server(self._found.binary, settings, self._folder / "server.log", PORT)
