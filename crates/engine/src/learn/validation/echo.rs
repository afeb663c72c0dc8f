//! A lesson that repeats the prompt instead of following it: our rules, the schema, or a placeholder.

use std::collections::HashSet;
use std::sync::LazyLock;

use regex::Regex;

use super::text::{normalised, sentences, words};
use super::{Reviewed, texts};
use crate::learn::prompt::{LessonAnswer, instructions};

/// This many words in a row from the instructions are no coincidence.
const LONGEST_COMMON: usize = 7;
/// The names of fields that no lesson mentions, unless its run was about them.
const FIELDS: [&str; 4] = ["used_memory_ids", "key_mistake", "correct_action", "applicable_tools"];
/// Texts of the frame around the data.
const FRAME: [&str; 5] = [
    "verdict of the reviewer:",
    "[feedback of the reviewer]",
    "[memories the run was shown]",
    "<data-",
    "</data-",
];
/// Whole texts that stand for a text.
const PLACEHOLDERS: [&str; 16] = [
    "string",
    "text",
    "lesson",
    "summary",
    "guidance",
    "placeholder",
    "example",
    "todo",
    "tbd",
    "lorem ipsum",
    "answer",
    "your answer",
    "the lesson",
    "json",
    "insert text",
    "one sentence",
];

static SHINGLES: LazyLock<HashSet<String>> =
    LazyLock::new(|| instructions().iter().flat_map(|text| shingles(text)).collect());
static DESCRIPTIONS: LazyLock<HashSet<String>> =
    LazyLock::new(|| instructions().iter().flat_map(|text| sentences(text)).map(normalised).collect());
/// "Your answer is here.", "Write the lesson here", "Your lesson goes here".
static HERE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let thing = "(answer|response|lesson|summary|text|guidance|content|advice|output|json|mistake|action)";
    Regex::new(&format!(
        r"^(\w+ ){{0,3}}{thing}( \w+){{0,3}} here$|^(insert|fill in|put|enter) (\w+ ){{0,3}}{thing}$"
    ))
    .ok()
});

/// Whether a lesson is an echo.
pub(super) fn is_echo(lesson: &LessonAnswer, reviewed: &Reviewed<'_>) -> bool {
    let given = format!("{}\n{}", reviewed.task, reviewed.words.unwrap_or_default()).to_lowercase();
    texts(lesson).any(|text| is_placeholder(text) || repeats_instructions(text, &given))
        || repeats_task(lesson, reviewed.task)
}

/// Whether a text is only a stand-in: "Your answer is here.", "<summary>", "...".
fn is_placeholder(text: &str) -> bool {
    let bare = text.trim().trim_matches('"');
    let bracketed = [('<', '>'), ('[', ']'), ('{', '}')].iter().any(|(open, close)| {
        bare.starts_with(*open) && bare.ends_with(*close) && bare.split_whitespace().count() <= 4
    });
    let all_here = |text: &str| {
        let mut parts = sentences(text).into_iter().map(normalised).peekable();
        parts.peek().is_some() && parts.all(|part| HERE.as_ref().is_some_and(|here| here.is_match(&part)))
    };
    let plain = normalised(bare);
    bracketed || plain.is_empty() || PLACEHOLDERS.contains(&plain.as_str()) || all_here(bare)
}

/// Whether a text has a part of our rules, of the schema or of the frame around the data. `given` is the task with the
/// feedback: a lesson may use its words.
fn repeats_instructions(text: &str, given: &str) -> bool {
    let lower = text.to_lowercase();
    let named = |part: &&str| lower.contains(*part) && !given.contains(*part);
    FIELDS.iter().chain(&FRAME).any(named)
        || DESCRIPTIONS.contains(&normalised(text))
        || shingles(text).any(|shingle| SHINGLES.contains(&shingle))
}

/// Whether every text of the lesson is the task.
fn repeats_task(lesson: &LessonAnswer, task: &str) -> bool {
    let task = normalised(task);
    texts(lesson).all(|text| normalised(text) == task)
}

fn shingles(text: &str) -> impl Iterator<Item = String> + use<> {
    let words = words(text);
    let last = words.len().saturating_sub(LONGEST_COMMON - 1);
    (0..last).map(move |at| words[at..at + LONGEST_COMMON].join(" "))
}
