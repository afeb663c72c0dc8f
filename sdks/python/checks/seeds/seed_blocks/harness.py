"""Starts what the blocks need, runs them, and stops it all again.

What starts the server, the database and the models is the conformance run's; `run.py` puts it on the path.
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

from .documents import PROJECT, Document
from .extract import Block
from .place import Outcome, Place
from .program import Project, run_program, write_program
from .stage import run_document
from .telling import Telling
from .terminal import NotAnswered

SDK = PROJECT / "sdks" / "python" / "src"
CHECKS = Path(__file__).resolve().parents[1]

# The documents name this address, and blocks run as they stand.
PORT = 8000

# How long the real model may talk, and how much of a run it reads for a lesson. The program sets no limit, and
# waits 60 s for a lesson at most; the model writes ten to thirty tokens a second. A lesson that is cut off is kept
# as far as it is complete.
ANSWER_TOKENS = 48
SHORT_LESSONS = {"REFLECT_REFLECTION_TOKENS": "80", "REFLECT_TRAJECTORY_TOKENS": "400"}

# Naming the client also imports what it is made of.
NEEDED = "import openai, reflect_sdk as r; r.ReflectClient; print(r.__version__, 'in', r.__file__)"


class Harness:
    """Everything around the blocks of one run."""

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
            # Nothing may colour or redraw what a program prints.
            "TERM": "dumb",
        }

    def sdk(self) -> str:
        """Which SDK it is that runs; says what is missing."""
        asked = subprocess.run(
            [str(self._python), "-c", NEEDED], env=self._environment, capture_output=True, text=True, check=False
        )
        if asked.returncode != 0:
            said = asked.stderr.strip().splitlines()[-1:] or [f"it ended with {asked.returncode}"]
            raise Missing(
                f"{self._python} cannot run the blocks: {said[0]}. It needs `pip install httpx2 openai`; "
                "--python names another one"
            )
        return asked.stdout.strip()

    def programs(self, document: Document, blocks: Sequence[Block], telling: Telling) -> None:
        """Runs the blocks that are whole programs, each with a database and a model of its own."""
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
            telling.add(outcome, remarks)

    def documents(self, documents: Sequence[tuple[Document, Sequence[Block]]], telling: Telling) -> None:
        """Runs all other blocks, with one server and one database, and a project per document."""
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
                    telling.add(outcome)

    def _server(self, settings: dict[str, str]) -> Server:
        with socket.socket() as probe:
            # As the server does: an address that was left a moment ago is free.
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", PORT))
            except OSError as problem:
                raise Missing(
                    f"port {PORT}, which the documents name, is taken: end the program that listens on it"
                ) from problem
        settings = {**self._found.inherited, **settings, "REFLECT_DRAIN_SECONDS": "2"}
        return Server(self._found.binary, settings, self._folder / "server.log", PORT)
