"""The real models of the learning loop: a small language model, and a small embedder.

`cargo xtask setup` installs both. The language model runs in a third-party server, the embedder inside
the Reflect server.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from announced import announced
from surroundings import ROOT, Missing

# The model name that the server reports. Memories contain it.
TEXT_MODEL = "SmolLM2-135M-Instruct"
REFLECTION_TOKENS = 200
# The model's context has 4096 tokens, shared by rules, task and answer.
TRAJECTORY_TOKENS = 1200
# The settings for a model this small and slow.
SMALL_MODEL = {
    # On a busy machine one lesson takes minutes, and an incomplete lesson is useless.
    "REFLECT_TEXT_SECONDS": "300",
    # The model often does not end its answer, so every answer has this length.
    "REFLECT_REFLECTION_TOKENS": str(REFLECTION_TOKENS),
    "REFLECT_TRAJECTORY_TOKENS": str(TRAJECTORY_TOKENS),
}

# The model needs seconds, but `cargo` may wait for another build.
START_SECONDS = 300.0


@contextmanager
def real_models(
    environment: Mapping[str, str], log: Path, *, answer_tokens: int | None = None
) -> Iterator[dict[str, str]]:
    """Runs the language model; yields the variables for both models.

    The language model stops at `answer_tokens` if a request has no limit.
    """
    embedder = minilm(environment)
    with language_model(environment, log, answer_tokens=answer_tokens) as url:
        yield {
            "REFLECT_TEXT_PROVIDER": "openai",
            "REFLECT_TEXT_URL": url,
            "REFLECT_TEXT_MODEL": TEXT_MODEL,
            **SMALL_MODEL,
            **embedder,
        }


def minilm(environment: Mapping[str, str]) -> dict[str, str]:
    """The variables for the embedder only."""
    embedder, runtime = folder_of("minilm", environment), folder_of("onnxruntime", environment)
    return {
        "REFLECT_EMBEDDER": "local",
        "REFLECT_EMBEDDER_FOLDER": str(embedder),
        "REFLECT_ONNXRUNTIME": str(runtime / "libonnxruntime.so"),
    }


@contextmanager
def language_model(
    environment: Mapping[str, str], log: Path, *, answer_tokens: int | None = None
) -> Iterator[str]:
    """Runs the language model only; yields its OpenAI-compatible URL."""
    command = ["cargo", "xtask", "llm", "--port", "0"]
    command += [] if answer_tokens is None else ["--answer-tokens", str(answer_tokens)]
    with announced(command, environment, log=log, says="ready: ", seconds=START_SECONDS) as url:
        yield url


def local_embedder(environment: Mapping[str, str]) -> dict[str, str]:
    """The embedder twice: for tasks, and as the next space for reflections."""
    embedder, runtime = folder_of("minilm", environment), folder_of("onnxruntime", environment)
    return {
        "REFLECT_EMBEDDER_FOLDER": str(embedder),
        "REFLECT_NEXT_EMBEDDER_FOLDER": str(embedder),
        "REFLECT_NEXT_EMBEDDER_KEY_TEXT": "reflection",
        "REFLECT_ONNXRUNTIME": str(runtime / "libonnxruntime.so"),
    }


def folder_of(part: str, environment: Mapping[str, str]) -> Path:
    """The folder of a part that `cargo xtask setup` installed."""
    asked = subprocess.run(
        ["cargo", "xtask", "cache", part],
        env=dict(environment),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if asked.returncode != 0:
        raise Missing(asked.stderr.strip() or f"`cargo xtask cache {part}` ended with {asked.returncode}")
    return Path(asked.stdout.strip())
