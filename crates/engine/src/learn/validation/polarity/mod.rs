//! A lesson that turns the reviewer's words around: "always use --force" after "never use --force".
//!
//! Both texts are split into clauses. A clause that tells what to do, or what not to do, is a directive: its verb, its
//! content words, and whether it forbids. A lesson contradicts the feedback if a directive of one forbids what a directive
//! of the other demands. Descriptions ("you did not check the date") are no directives, and clauses with conditions are
//! compared only with care, because a wrong rejection costs a good lesson.

mod clauses;
mod directive;

use super::text::{sentences, words};
use super::{Reviewed, advice};
use crate::learn::prompt::LessonAnswer;
use directive::{Condition, Directive, directives};

/// Verbs that only say that a thing is used: "avoid --force" forbids "add --force".
const USES: [&str; 9] = ["us", "add", "pass", "set", "run", "includ", "apply", "try", "prefer"];

const BLAME: [&str; 10] = [
    "wrong",
    "bad",
    "mistake",
    "error",
    "incorrect",
    "dangerous",
    "failed",
    "unnecessary",
    "useless",
    "falsch",
];

/// Whether the lesson forbids what the feedback demands, or demands what it forbids.
pub(super) fn contradicts(lesson: &LessonAnswer, reviewed: &Reviewed<'_>) -> bool {
    let Some(feedback) = reviewed.words else { return false };
    let said: Vec<Directive> = sentences(feedback).into_iter().flat_map(said).collect();
    let written: Vec<Directive> = advice(lesson).flat_map(sentences).flat_map(directives).collect();
    let inverted = |word: &Directive, text: &Directive| {
        // A reviewer or a lesson that has both sides draws a distinction.
        let both = |all: &[Directive], one: &Directive| {
            all.iter().any(|other| {
                other.forbids != one.forbids && other.verb == one.verb && other.words == one.words
            })
        };
        word.forbids != text.forbids && opposes(word, text) && !both(&said, word) && !both(&written, text)
    };
    said.iter().any(|word| written.iter().any(|text| inverted(word, text)))
}

/// The directives of the reviewer. "Put the total in the wrong field" is no demand.
fn said(sentence: &str) -> Vec<Directive> {
    let blames = words(sentence).iter().any(|word| BLAME.contains(&word.as_str()));
    directives(sentence).into_iter().filter(|one| one.forbids || one.is_explicit || !blames).collect()
}

/// Whether two directives of opposite polarity are about the same.
fn opposes(feedback: &Directive, lesson: &Directive) -> bool {
    let (forbids, demands) = if feedback.forbids { (feedback, lesson) } else { (lesson, feedback) };
    let same_verb = match &forbids.verb {
        Some(verb) => demands.verb.as_ref() == Some(verb),
        None => demands.verb.as_ref().is_some_and(|verb| USES.contains(&verb.as_str())),
    };
    if !same_verb {
        return false;
    }
    let equal = forbids.words == demands.words;
    // "Never guess" and "always guess".
    if forbids.words.len() == 1 && forbids.verb.is_some() {
        let unconditional = (feedback.condition, lesson.condition) == (Condition::None, Condition::None);
        return equal && unconditional && forbids.is_explicit && demands.is_explicit;
    }
    match (applies(feedback), applies(lesson)) {
        (Condition::None, Condition::None) => forbids.words.is_subset(&demands.words),
        // "never use --force" and "use --force when the push is rejected"
        (Condition::None, Condition::Context) => feedback.forbids && forbids.words.is_subset(&demands.words),
        // "do not use the cache when the data is old" and "use the cache"
        (Condition::Context, Condition::None) => equal,
        // "use the cache when the data is new" is compatible
        _ => false,
    }
}

/// "Use it before you answer" demands to use it. "Never answer before you used it" does not forbid to answer.
fn applies(directive: &Directive) -> Condition {
    match directive.condition {
        Condition::Order if directive.forbids => Condition::Strict,
        Condition::Order => Condition::Context,
        other => other,
    }
}
