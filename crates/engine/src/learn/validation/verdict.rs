//! A lesson that contradicts the verdict: "the answer was correct" about a run that failed.

use std::sync::LazyLock;

use reflect_types::ReviewResult;
use regex::Regex;

use super::text::{sentences, words};
use super::{Reviewed, texts};
use crate::learn::prompt::LessonAnswer;

const SUBJECT: &str = r"\b(run|agent|attempt|answer|response|output|solution|reply)\b";
/// Sentences with these words weigh, quote or demand, and state no verdict.
const HEDGES: &[&str] = &[
    "not",
    "no",
    "never",
    "but",
    "although",
    "however",
    "though",
    "yet",
    "except",
    "if",
    "whether",
    "when",
    "until",
    "unless",
    "should",
    "must",
    "would",
    "could",
    "only",
    "check",
    "verify",
    "ensure",
    "confirm",
    "that",
    "claimed",
    "said",
    "assumed",
    "believed",
    "stated",
    "thought",
    "reported",
    "first",
    "initially",
    "earlier",
    "before",
    "after",
    "partly",
    "partially",
    "almost",
    "nearly",
    "why",
    "how",
    "because",
    "once",
    "part",
    "some",
    "otherwise",
    "which",
    "where",
];

static SAYS_RIGHT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i){SUBJECT}( \w+)? (was|were|is|are) (\w+ )?(correct|right|successful|perfect|flawless)([,!]|$)|\b(run|agent|attempt) (has |had )?(passed|succeeded)\b"
    ))
    .ok()
});
static SAYS_WRONG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(&format!(
        r"(?i){SUBJECT}( \w+)? (was|were|is|are) (\w+ )?(wrong|incorrect|unsuccessful)([,!]|$)|\b(run|agent|attempt) (has |had )?failed\b"
    ))
    .ok()
});
static PRAISE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i)\b(correct|right|good|well|success\w*|perfect|fine)\b").ok());
static BLAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(wrong|incorrect|fail\w*|bad|mistake\w*|error\w*|unsuccessful)\b").ok()
});

/// Whether a sentence of the lesson states the opposite verdict. Feedback that has such words itself is not compared.
pub(super) fn contradicts(lesson: &LessonAnswer, reviewed: &Reviewed<'_>) -> bool {
    let (opposite, said) = match reviewed.result {
        ReviewResult::Fail => (&SAYS_RIGHT, &PRAISE),
        ReviewResult::Pass => (&SAYS_WRONG, &BLAME),
    };
    let (Some(opposite), Some(said)) = (opposite.as_ref(), said.as_ref()) else { return false };
    if reviewed.words.is_some_and(|words| said.is_match(words)) {
        return false;
    }
    texts(lesson).flat_map(sentences).any(|sentence| {
        let hedged =
            words(sentence).iter().any(|word| HEDGES.contains(&word.as_str()) || word.ends_with("n't"));
        !hedged && opposite.is_match(sentence)
    })
}
