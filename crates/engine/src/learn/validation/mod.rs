//! Checks of a lesson that a model wrote. Pure functions: the lesson, the review, and a decision.
//!
//! A false rejection costs a second call and perhaps the lesson, so each check rejects only what is clearly unusable.
//! The reviewer's words are kept in either case.

mod echo;
mod emptiness;
mod language;
mod polarity;
mod repetition;
#[cfg(test)]
mod tests;
mod text;
mod verdict;

use reflect_types::ReviewResult;

use super::prompt::LessonAnswer;

/// What a lesson is checked against.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reviewed<'a> {
    pub(super) task: &'a str,
    pub(super) result: ReviewResult,
    /// The reviewer's words, if they add something to the verdict.
    pub(super) words: Option<&'a str>,
}

/// Why a lesson cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Rejection {
    /// It repeats the prompt, or a placeholder.
    PromptEcho,
    /// It says the same over and over.
    Repetition,
    /// It has no content.
    Empty,
    /// It contradicts the reviewer.
    Contradiction,
    /// It is in another language than the feedback, or than the task if there is no feedback.
    Language { lesson: &'static str, expected: &'static str },
}

impl Rejection {
    /// The label of the metric. A closed set.
    pub(super) const fn label(&self) -> &'static str {
        match self {
            Self::PromptEcho => "prompt_echo",
            Self::Repetition => "repetition",
            Self::Empty => "empty",
            Self::Contradiction => "contradiction",
            Self::Language { .. } => "language",
        }
    }

    /// The reason, for the model and for the operator. It quotes neither the lesson nor the feedback.
    pub(super) fn describe(&self) -> String {
        match self {
            Self::PromptEcho => "it repeats the instructions or a placeholder".to_owned(),
            Self::Repetition => "it says the same over and over".to_owned(),
            Self::Empty => "it has no content".to_owned(),
            Self::Contradiction => "it contradicts the reviewer".to_owned(),
            Self::Language { lesson, expected } => format!("it is in {lesson} and not in {expected}"),
        }
    }
}

/// Accepts a lesson or says why it cannot be used.
pub(super) fn validate(lesson: &LessonAnswer, reviewed: &Reviewed<'_>) -> Result<(), Rejection> {
    if emptiness::is_empty(lesson) {
        return Err(Rejection::Empty);
    }
    if echo::is_echo(lesson, reviewed) {
        return Err(Rejection::PromptEcho);
    }
    if repetition::is_repetitive(lesson) {
        return Err(Rejection::Repetition);
    }
    if polarity::contradicts(lesson, reviewed) || verdict::contradicts(lesson, reviewed) {
        return Err(Rejection::Contradiction);
    }
    match language::wrong_language(lesson, reviewed) {
        Some((lesson, expected)) => Err(Rejection::Language { lesson, expected }),
        None => Ok(()),
    }
}

/// All texts of a lesson that are not blank.
fn texts(lesson: &LessonAnswer) -> impl Iterator<Item = &str> {
    let texts = [&lesson.summary, &lesson.guidance, &lesson.key_mistake, &lesson.correct_action];
    texts.into_iter().map(|text| text.trim()).filter(|text| !text.is_empty())
}

/// The texts that tell an agent what to do. `key_mistake` tells what was done.
fn advice(lesson: &LessonAnswer) -> impl Iterator<Item = &str> {
    let texts = [&lesson.summary, &lesson.guidance, &lesson.correct_action];
    texts.into_iter().map(|text| text.trim()).filter(|text| !text.is_empty())
}
