"""Runs the rounds of the learning loop inside a published client's virtual environment.

    <environment>/bin/python loop_worker.py --version 0.3.3

Reads the server's address as JSON from stdin; prints its progress. The exit code is 1 if a round
fails.
"""

from __future__ import annotations

import argparse
import json
import sys

import httpx

from published import NotPublished, require_published
from rounds.place import Place
from rounds.progress import Progress
from rounds.through_client import through_client
from rounds.through_http import through_http


def main() -> int:
    """Runs both rounds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    version = parser.parse_args().version
    try:
        require_published(version)
    except NotPublished as problem:
        sys.exit(str(problem))
    place, progress = Place(**json.load(sys.stdin)), Progress()
    try:
        progress.title(f"through the published client {version}")
        through_client(place, progress)
        progress.title("over plain HTTP")
        through_http(place, progress)
    except httpx.HTTPStatusError as error:
        request, response = error.request, error.response
        said = f"{request.method} {request.url.path} answered {response.status_code}: {response.text[:300]}"
    except (AssertionError, httpx.HTTPError, RuntimeError, TimeoutError) as error:
        said = str(error) or repr(error)
    else:
        return 0
    progress.broken(said)
    return 1


if __name__ == "__main__":
    sys.exit(main())
