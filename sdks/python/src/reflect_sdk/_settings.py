"""The client's settings: arguments, else environment variables, else defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from reflect_sdk._transport.address import Address, TimeoutInput, whole_timeout
from reflect_sdk._wire.exchange import RequestPolicy
from reflect_sdk._wire.mask import Mask
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk.errors import ConfigurationError

DEFAULT_BASE_URL = "http://localhost:8000"
DEFAULT_PROJECT = "default"


@dataclass(frozen=True, slots=True)
class Settings:
    """The resolved settings of a client."""

    address: Address
    api: ProjectApi
    timeout: TimeoutInput
    # Seconds after which a run continues without memories.
    retrieval_timeout: float
    # The token budget for memories in a prompt; the server's default when None.
    memory_tokens: int | None
    spool: bool
    spool_dir: Path | None

    @property
    def retrieval_api(self) -> ProjectApi:
        """The API with the timeout and retries of a retrieval."""
        policy = self.api.policy.within(self.retrieval_timeout, max_retries=1)
        return ProjectApi(self.api.project_id, policy, self.api.mask)


def resolve_settings(
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
    """Resolves the settings; raises `ConfigurationError` if one is missing or invalid."""
    url = checked_base_url(base_url or environ.get("REFLECT_BASE_URL") or environ.get("REFLECT_API_URL"))
    key = (api_key or environ.get("REFLECT_API_KEY") or "").strip()
    if not key:
        raise ConfigurationError(
            "The API key is missing.", hint="Set REFLECT_API_KEY, or pass api_key to the client."
        )
    if not key.isascii() or any(character.isspace() for character in key):
        raise ConfigurationError("The API key contains whitespace or non-ASCII characters.", hint="Copy it again.")
    project = project_id or environ.get("REFLECT_PROJECT_ID") or DEFAULT_PROJECT
    policy = RequestPolicy(url, whole_timeout(timeout), max_retries)
    if spool is None:
        spool = environ.get("REFLECT_SPOOL", "").lower() not in ("off", "0", "no", "false")
    folder = None if isinstance(spool, bool) else Path(spool)
    return Settings(
        address=Address(url, key),
        api=ProjectApi(project, policy, mask),
        timeout=timeout,
        retrieval_timeout=retrieval_timeout,
        memory_tokens=memory_tokens,
        spool=spool is not False,
        spool_dir=folder,
    )


def checked_base_url(given: str | None) -> str:
    """Returns the normalized URL of a server; raises `ConfigurationError` if it is invalid."""
    url = (given or DEFAULT_BASE_URL).strip().rstrip("/")
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.lower() not in ("http", "https") or not rest or any(c.isspace() for c in url):
        raise ConfigurationError(
            f"{given!r} is not a valid server URL.", hint="Use a URL such as http://localhost:8000."
        )
    return f"{scheme.lower()}://{rest}"


def serverless(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether the platform freezes the process after each request, which prevents sending in the background."""
    return any(environ.get(name) for name in ("AWS_LAMBDA_FUNCTION_NAME", "K_SERVICE", "FUNCTIONS_WORKER_RUNTIME"))
