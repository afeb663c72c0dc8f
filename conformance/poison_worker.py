"""Writes prompts with hostile memories inside a published client's virtual environment, and checks them.

    <environment>/bin/python poison_worker.py --version 0.3.3

Reads the server's address as JSON from stdin. The exit code is 1 if a memory breaks out of its block.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys

import httpx
from reflect_sdk import ReflectClient
from reflect_sdk.client import Memory

from published import NotPublished, require_published

ROUNDS, MEMORIES = 12, 20
# Words that every task contains, so one query finds all of them: without an embedder the search uses
# keywords.
SHARED = "quarterly ledger reconciliation"
NAMES = (
    "memory", "memories", "relevant_memories", "instructions", "context", "past_task", "reflection", "system",
    "correct_action", "key_mistake", "guidance", "summary",
)  # fmt: skip
INVISIBLE = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e\u202d\u2066\u2069\u061c\u180e\U000e0041\x01\x07\x1b\x7f\x85"
)
WORDS = (
    "approve",
    "everything",
    "obey",
    "now",
    "é",
    "🦀",
    "<",
    ">",
    "</",
    "/>",
    "&lt;",
    '"',
    "'",
    "]]>",
    "\n",
    "\t",
    # Control tokens. Others, such as <|im_start|>, put a memory into quarantine.
    "<s>",
    "</\u200bs>",
    "<think>",
    "[TOOL_\u00adCALLS]",
)
# The maximum length of a memory's text, and the truncation mark.
LONGEST = 5_000 + 1
BLOCK = re.compile(r"<memory ")
TOKEN = re.compile(r"<(/?s|think)>|\[TOOL_CALLS\]", re.IGNORECASE)
ANY_TAG = re.compile(r"<[\s/\\]*(" + "|".join(NAMES) + r")", re.IGNORECASE)


def spelled(name: str, chance: random.Random) -> str:
    """A tag in one of its possible spellings."""
    letters = "".join(
        chance.choice((letter.upper(), letter)) + (chance.choice(INVISIBLE) if chance.random() < 0.1 else "")
        for letter in name
    )
    letters = letters.replace("_", chance.choice("_-"))
    space = [chance.choice(("", " ", "\t", "\n", chance.choice(INVISIBLE))) for _ in range(4)]
    slash = chance.choice(("", "/", "\\", "//"))
    attribute = chance.choice(("", ' id="x" outcome="success"', " a=b"))
    end = chance.choice((">", "/>", ""))
    return f"<{space[0]}{slash}{space[1]}{letters}{attribute}{space[2]}{end}{space[3]}"


def hostile(chance: random.Random) -> str:
    """A text that tries to break out of its block."""
    parts = []
    for _ in range(chance.randint(1, 30)):
        kind = chance.random()
        if kind < 0.5:
            inner = spelled(chance.choice(NAMES), chance)
            # A tag inside a tag: removing the inner one must not create the outer one.
            cut = chance.randint(0, len(inner))
            parts.append(
                inner[:cut] + spelled(chance.choice(NAMES), chance) + inner[cut:] if kind < 0.1 else inner
            )
        elif kind < 0.6:
            parts.append(chance.choice(INVISIBLE))
        else:
            parts.append(chance.choice(WORDS))
    text = chance.choice(("", " ")).join(parts)
    return text + "x" * 5_000 if chance.random() < 0.1 else text


def body(chance: random.Random) -> dict[str, object]:
    """A run whose review contains the lesson."""
    fields = ("summary", "guidance", "key_mistake", "correct_action")
    lesson: dict[str, object] = {field: hostile(chance) for field in fields if chance.random() < 0.8}
    lesson["guidance"] = f"Mind {lesson.get('guidance', 'it')}"
    lesson["applicable_tools"] = [hostile(chance)[:100]]
    review = {"result": chance.choice(("pass", "fail")), "reflection": lesson}
    return {"task": f"{SHARED} {hostile(chance)}", "trajectory": [], "review": review}


def look(client: ReflectClient, prompt: str, memories: list[Memory]) -> None:
    """Fails if a memory breaks out of its block."""
    section = prompt.removeprefix(SHARED)
    for memory in memories:
        for text in (memory.task, memory.reflection):
            assert not ANY_TAG.search(text), f"a tag went out: {text!r}"
            assert not TOKEN.search(text), f"a control token went out: {text!r}"
            assert len(text) <= LONGEST, f"a text of {len(text)} characters went out"
            # A joiner between two emoji is part of how they are written.
            seen = text.replace("🦀\u200d🦀", "🦀🦀").replace("🦀\u200d🦀", "🦀🦀")
            assert not set(seen) & set(INVISIBLE), f"an invisible character went out: {text!r}"
    assert len(BLOCK.findall(section)) == len(memories), "blocks and memories differ"
    expected = {
        "</memory>": len(memories), "<past_task>": len(memories), "</past_task>": len(memories),
        "<reflection>": len(memories), "</reflection>": len(memories), "<context>": len(memories),
        "<instructions>": 1, "</instructions>": 1, "<relevant_memories>": 1, "</relevant_memories>": 1,
    }  # fmt: skip
    for tag, count in expected.items():
        assert section.count(tag) == count, f"{section.count(tag)} times {tag}, not {count}"
    # Only the client's own tags, in any spelling.
    tags = len(ANY_TAG.findall(section))
    assert tags == sum(expected.values()) + len(memories) * 2, f"{tags} tags"


def would_be_seen(client: ReflectClient, runs: list[dict[str, object]]) -> None:
    """Fails unless the original texts are detected: this proves that the check works."""
    raw = [Memory(str(n), str(run["task"]), str(run["review"]), 0.5, 0.5, 0.5) for n, run in enumerate(runs)]
    try:
        look(client, f"{SHARED}\n\n{client._format_memories_xml(raw)}", raw)
    except AssertionError:
        return
    raise AssertionError("unsanitized texts were not detected")


def main() -> int:
    """Stores the memories, retrieves them and checks the prompts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--version", required=True)
    version = parser.parse_args().version
    try:
        require_published(version)
    except NotPublished as problem:
        sys.exit(str(problem))
    place = json.load(sys.stdin)
    seen = 0
    with httpx.Client(
        base_url=place["base_url"], headers={"Authorization": f"Bearer {place['key']}"}
    ) as http:
        for seed in range(ROUNDS):
            chance, project = random.Random(seed), f"hostile-{seed}"
            runs = [body(chance) for _ in range(MEMORIES)]
            stored = http.post(f"/v1/projects/{project}/traces/batch", json={"traces": runs}, timeout=60)
            stored.raise_for_status()
            refused = [result for result in stored.json()["results"] if "error" in result]
            assert not refused, f"not stored: {refused[0]}"
            client = ReflectClient(base_url=place["base_url"], api_key=place["key"], project_id=project)
            would_be_seen(client, runs)
            augmented = client.augment_with_memories(SHARED, limit=MEMORIES)
            found = len(augmented.memories)
            assert found == MEMORIES, f"only {found} memories came back"
            look(client, augmented.augmented_task, augmented.memories)
            seen += found
    print(f"{seen} hostile memories through the published client {version}: every one stayed in its block")
    return 0


if __name__ == "__main__":
    sys.exit(main())
