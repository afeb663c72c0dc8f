"""Reads token counts of any provider.

`input_tokens` contains all tokens of the request, also those that the provider read from its cache.
"""

from __future__ import annotations

from typing import Any

from reflect_sdk.converters._plain import read

_INPUT = ("input_tokens", "prompt_tokens", "prompt_token_count")
_OUTPUT = ("output_tokens", "completion_tokens", "candidates_token_count")
_CACHED = ("cache_read_tokens", "cached_content_token_count", "cached_prompt_tokens")
_DETAILS = ("input_tokens_details", "prompt_tokens_details", "input_token_details")
_CACHED_DETAILS = ("cached_tokens", "cache_read")
# Anthropic counts these separately from `input_tokens`.
_SEPARATE = ("cache_read_input_tokens", "cache_creation_input_tokens")


def usage_of(given: object) -> dict[str, int] | None:
    """The token counts of one model call; None if there are none."""
    if given is None:
        return None
    incoming, outgoing = _count(given, _INPUT), _count(given, _OUTPUT)
    cached = _count(given, _CACHED)
    for name in _DETAILS:
        cached = cached or _count(read(given, name), _CACHED_DETAILS)
    # Gemini counts thoughts separately from the answer.
    outgoing += _count(given, ("thoughts_token_count",))
    # With LiteLLM, the names of both providers are present and the input is complete.
    if not any(isinstance(read(given, name), int) for name in _INPUT[1:]):
        incoming += sum(_count(given, (name,)) for name in _SEPARATE)
        cached = cached or _count(given, _SEPARATE[:1])
    if not incoming and not outgoing:
        return None
    found = {"input_tokens": incoming, "output_tokens": outgoing}
    if cached:
        found["cached_tokens"] = cached
    return found


def with_usage(messages: list[dict[str, Any]], result: object) -> list[dict[str, Any]]:
    """The messages of an answer, the last one with the token counts of the call."""
    usage = usage_of(read(result, "usage"))
    if messages and usage is not None:
        messages[-1]["usage"] = usage
    return messages


def _count(given: object, names: tuple[str, ...]) -> int:
    for name in names:
        count = read(given, name)
        if isinstance(count, int) and not isinstance(count, bool):
            return count
    return 0
