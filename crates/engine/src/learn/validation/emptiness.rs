//! A lesson without content.

use super::text::{is_function_word, words};
use super::{advice, texts};
use crate::learn::prompt::LessonAnswer;

/// A lesson names at least a thing and what to do with it.
const LEAST_WORDS: usize = 2;
/// Chinese and Japanese have no spaces between words.
const LEAST_IDEOGRAPHS: usize = 4;

/// Whether the texts of a lesson have too few words with a meaning.
pub(super) fn is_empty(lesson: &LessonAnswer) -> bool {
    let all: Vec<&str> = advice(lesson).collect();
    // A lesson that only names the mistake is a lesson.
    let all: Vec<&str> = if all.is_empty() { texts(lesson).collect() } else { all };
    let content = all.iter().flat_map(|text| words(text)).filter(|word| {
        word.chars().any(char::is_alphabetic)
            && !is_function_word(word)
            && !matches!(word.as_str(), "n/a" | "none" | "null")
    });
    let ideographs = all.iter().flat_map(|text| text.chars()).filter(|c| is_ideograph(*c)).count();
    content.count() < LEAST_WORDS && ideographs < LEAST_IDEOGRAPHS
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}
