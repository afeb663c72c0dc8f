"""The four failures that were once recorded in served lessons. Independent of the server's own checks."""

from __future__ import annotations

import re

from lessons_run.runs import FAILS, PASSES, ReviewedRun
from surroundings import ROOT

# The line before what a model added to the reviewer's words.
ADDED_BY_MODEL = "Added by a model:"
PROMPT = ROOT / "crates" / "engine" / "src" / "learn" / "prompt.rs"
# Shorter sentences of the prompt may be a coincidence.
FEWEST_WORDS = 6

PRAISE = re.compile(
    r"what a reviewer (dis)?liked about|^a run of .* (passed|failed)\b", re.IGNORECASE | re.MULTILINE
)
PLACEHOLDER = re.compile(
    r"\b(answer|lesson|response|summary|text|guidance)( \w+){0,2} here\b|write the lesson as json|<data-",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\b(never|not|no|nor|avoid\w*|without|instead|rather|stop|refrain|cannot|unless|forbid\w*|mistake)\b|n't\b",
    re.IGNORECASE,
)
SUBJECT = r"\bthe (run|answer|agent|response|output)"
SAYS_RIGHT = re.compile(
    rf"{SUBJECT} (was|is) (correct|right|successful)\b|{SUBJECT} (passed|succeeded)\b", re.IGNORECASE
)
SAYS_WRONG = re.compile(rf"{SUBJECT} (was|is) (wrong|incorrect)\b|{SUBJECT} failed\b", re.IGNORECASE)


def faults(run: ReviewedRun, lesson: str) -> list[str]:
    """What is wrong with a lesson; empty if nothing is."""
    found = []
    reviewer, _, model = lesson.partition(ADDED_BY_MODEL)
    if PRAISE.search(lesson) or repeats_verdict(run, reviewer):
        found.append("the verdict served as a lesson")
    if PLACEHOLDER.search(model) or repeats_prompt(model):
        found.append("an echo of the prompt")
    if run.has_words and run.feedback not in lesson:
        found.append("feedback that is not whole")
    if inverts(run, model):
        found.append("the reviewer's words inverted")
    return found


def repeats_verdict(run: ReviewedRun, reviewer: str) -> bool:
    """Whether feedback such as "ok" is a line of the lesson, or the end of one."""
    said = (run.feedback or "").strip()
    if run.has_words or not said:
        return False
    return any(line.strip() == said or line.endswith(f": {said}") for line in reviewer.splitlines())


def repeats_prompt(model: str) -> bool:
    """Whether a sentence of the prompt is in the text of the model."""
    text = " ".join(model.lower().split())
    return any(sentence in text for sentence in prompt_sentences())


def prompt_sentences() -> list[str]:
    """The sentences of the rules that the server sends to the model."""
    rules = re.search(r'const RULES: &str = "(.*?)";', PROMPT.read_text(encoding="utf-8"), re.DOTALL)
    assert rules is not None, f"no RULES in {PROMPT}"
    text = re.sub(r"\\\n\s*", "", rules.group(1)).lower()
    sentences = (" ".join(sentence.lstrip("- ").split()) for sentence in re.split(r"[.\n]", text))
    return [sentence for sentence in sentences if len(sentence.split()) >= FEWEST_WORDS]


def inverts(run: ReviewedRun, model: str) -> bool:
    """Whether the model advises what the reviewer forbids, or forbids what is demanded.

    The opposite verdict is an inversion too.
    """
    opposite = SAYS_RIGHT if run.result == "fail" else SAYS_WRONG
    for sentence in re.split(r"(?<=[.!?])\s+|\n", model):
        negation = NEGATION.search(sentence)
        if negation is None and opposite.search(sentence):
            return True
        if run.forbids and re.search(run.forbids, sentence, re.IGNORECASE) and not negation:
            return True
        denied = rf"(\bnever|\bnot|n't|\bavoid)\s+(\w+\s+){{0,2}}({run.demands})"
        if run.demands and re.search(denied, sentence, re.IGNORECASE):
            return True
    return False


def undetected() -> list[str]:
    """The recorded failures that `faults` does not find, and good lessons in which it finds one.

    Must be empty, or a run without faults proves nothing.
    """
    force, refund, invoice = FAILS[0], PASSES[0], FAILS[2]
    words = invoice.feedback or ""
    recorded = (
        (refund, f"What a reviewer liked about a run of {refund.task}: ok"),
        (refund, "ok"),
        (force, f"{force.feedback}\n\n{ADDED_BY_MODEL}\nYour answer is here."),
        (force, f"{force.feedback}\n\n{ADDED_BY_MODEL}\n{prompt_sentences()[0]}."),
        (invoice, " ".join(words[:300].split())),
        (force, f"{force.feedback}\n\n{ADDED_BY_MODEL}\nAlways use --force to push the branch."),
        (FAILS[1], f"{FAILS[1].feedback}\n\n{ADDED_BY_MODEL}\nDo not look the price up."),
        (force, f"{force.feedback}\n\n{ADDED_BY_MODEL}\nThe run was successful."),
    )
    good = (
        (force, f"{force.feedback}\n\n{ADDED_BY_MODEL}\nDo not use --force. Push with --force-with-lease."),
        (refund, "Approach: called find_order, then pay_refund. It was judged right."),
        (invoice, words),
    )
    missed = [lesson for run, lesson in recorded if len(faults(run, lesson)) != 1]
    return missed + [lesson for run, lesson in good if faults(run, lesson)]
