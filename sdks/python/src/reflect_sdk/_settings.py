"""How a client is set up: what the caller says, else the environment, else defaults. Nothing is sent."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reflect_sdk._transport.address import Address, TimeoutInput, whole_timeout
from reflect_sdk._wire.exchange import Manners
from reflect_sdk._wire.mask import Mask
from reflect_sdk._wire.place import Place
from reflect_sdk.errors import ConfigurationError

DEFAULT_BASE_URL = "http://localhost:8000"
DEFAULT_PROJECT = "default"


@dataclass(frozen=True, slots=True)
class Settings:
    """All that a client knows."""

    address: Address
    place: Place
    timeout: TimeoutInput
    # Seconds after which a run goes on without memories.
    retrieval_timeout: float
    # How many tokens of memories go into a prompt; the server's own choice when None.
    memory_tokens: int | None
    spool: bool
    spool_dir: Path | None

    @property
    def recall_place(self) -> Place:
        """The place with the little patience of a retrieval."""
        manners = self.place.manners.within(self.retrieval_timeout, max_retries=1)
        return Place(self.place.project_id, manners, self.place.mask)


def settle(
    *,
    base_url: str | None,
    api_key: str | None,
    project_id: str | None,
    timeout: TimeoutInput,
    max_retries: int,
    retrieval_timeout: float,
    memory_tokens: int | None,
    mask: Mask | None,
    spool: bool | str | os.PathLike[str] | None,
    environ: Mapping[str, str] = os.environ,
) -> Settings:
    """The settings, or a `ConfigurationError` that says what is missing."""
    url = checked_base_url(base_url or environ.get("REFLECT_BASE_URL") or environ.get("REFLECT_API_URL"))
    key = (api_key or environ.get("REFLECT_API_KEY") or "").strip()
    if not key:
        raise ConfigurationError("There is no API key.", hint="Set REFLECT_API_KEY, or pass api_key to the client.")
    if not key.isascii() or any(character.isspace() for character in key):
        raise ConfigurationError("The API key holds characters that no key has.", hint="Copy it again.")
    project = project_id or environ.get("REFLECT_PROJECT_ID") or DEFAULT_PROJECT
    manners = Manners(url, whole_timeout(timeout), max_retries)
    if spool is None:
        spool = environ.get("REFLECT_SPOOL", "").lower() not in ("off", "0", "no", "false")
    folder = None if isinstance(spool, bool) else Path(spool)
    return Settings(
        address=Address(url, key),
        place=Place(project, manners, mask),
        timeout=timeout,
        retrieval_timeout=retrieval_timeout,
        memory_tokens=memory_tokens,
        spool=spool is not False,
        spool_dir=folder,
    )


def checked_base_url(given: str | None) -> str:
    """The address of a server, or a `ConfigurationError` that says what one looks like."""
    url = (given or DEFAULT_BASE_URL).strip().rstrip("/")
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https") or not rest or any(c.isspace() for c in url):
        raise ConfigurationError(
            f"{given!r} is no address of a server.", hint="base_url looks like http://localhost:8000."
        )
    return f"{scheme.lower()}://{rest}"


def serverless(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the process is frozen as soon as a request is answered, so that nothing can be sent later."""
    return any(environ.get(name) for name in ("AWS_LAMBDA_FUNCTION_NAME", "K_SERVICE", "FUNCTIONS_WORKER_RUNTIME"))
