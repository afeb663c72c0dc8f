"""The real models of the learning loop: a small language model, and a small embedder.

Both are what `cargo xtask setup` installed. The language model runs behind a server that is not ours,
the embedder inside ours.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from announced import announced
from surroundings import ROOT, Missing

# How the server calls itself. Memories carry the name.
TEXT_MODEL = "SmolLM2-135M-Instruct"
REFLECTION_TOKENS = 200
# The model's context holds 4096 tokens, and rules, task and answer need their share.
TRAJECTORY_TOKENS = 1200

# The model itself needs seconds; `cargo` may have to wait for another build.
START_SECONDS = 300.0


@contextmanager
def real_models(
    environment: Mapping[str, str], log: Path, *, answer_tokens: int | None = None
) -> Iterator[dict[str, str]]:
    """Runs the language model; the variables tell our server about both models.

    Answers of the language model end at `answer_tokens` where a request sets no limit of its own.
    """
    embedder = minilm(environment)
    with language_model(environment, log, answer_tokens=answer_tokens) as url:
        yield {
            "REFLECT_TEXT_PROVIDER": "openai",
            "REFLECT_TEXT_URL": url,
            "REFLECT_TEXT_MODEL": TEXT_MODEL,
            # On a busy machine one lesson takes minutes, and half a lesson is of no use.
            "REFLECT_TEXT_SECONDS": "300",
            "REFLECT_REFLECTION_TOKENS": str(REFLECTION_TOKENS),
            "REFLECT_TRAJECTORY_TOKENS": str(TRAJECTORY_TOKENS),
            **embedder,
        }


def minilm(environment: Mapping[str, str]) -> dict[str, str]:
    """The embedder alone, inside our server."""
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
    """Runs the language model alone; the address at which it speaks OpenAI's protocol."""
    command = ["cargo", "xtask", "llm", "--port", "0"]
    command += [] if answer_tokens is None else ["--answer-tokens", str(answer_tokens)]
    with announced(command, environment, log=log, says="ready: ", seconds=START_SECONDS) as url:
        yield url


def local_embedder(environment: Mapping[str, str]) -> dict[str, str]:
    """The embedder twice: once for tasks, and as the next one for reflections."""
    embedder, runtime = folder_of("minilm", environment), folder_of("onnxruntime", environment)
    return {
        "REFLECT_EMBEDDER_FOLDER": str(embedder),
        "REFLECT_NEXT_EMBEDDER_FOLDER": str(embedder),
        "REFLECT_NEXT_EMBEDDER_KEY_TEXT": "reflection",
        "REFLECT_ONNXRUNTIME": str(runtime / "libonnxruntime.so"),
    }


def folder_of(part: str, environment: Mapping[str, str]) -> Path:
    """Where `cargo xtask setup` put a part."""
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
