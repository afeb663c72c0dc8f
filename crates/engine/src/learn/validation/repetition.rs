//! A lesson that says the same over and over, as small models do when they loop.

use std::collections::{HashMap, HashSet};

use super::text::{normalised, sentences, words};
use super::texts;
use crate::learn::prompt::LessonAnswer;

/// A sentence this often is a loop. Twice can be right: "Run the tests. Fix them. Run the tests."
const MOST_EQUAL: usize = 3;
/// A sentence this often, apart from its numbers, is a loop: "Your 5th is not possible. Your 6th is not possible."
const MOST_NUMBERED: usize = 4;
/// A sequence of words this often in a row is a loop.
const MOST_IN_A_ROW: usize = 4;
const LONGEST_SEQUENCE: usize = 12;
/// A sentence of this many words that directly follows itself is a loop.
const LONG_SENTENCE: usize = 4;
/// A sequence of this many words that occurs this often, and is at least two fifths of the text, is a loop.
const SEQUENCE: usize = 4;
const MOST_SEQUENCES: usize = 4;
/// In this many words in a row, at least a quarter differ. In ordinary prose, more than half do.
const WINDOW: usize = 60;
/// A sequence of letters and digits without spaces that repeats for this long.
const LONGEST_RUN: usize = 40;
const LONGEST_PERIOD: usize = 12;

/// Whether a lesson repeats itself.
pub(super) fn is_repetitive(lesson: &LessonAnswer) -> bool {
    let mut seen: HashMap<String, usize> = HashMap::new();
    let mut numbered: HashMap<String, usize> = HashMap::new();
    for text in texts(lesson) {
        let own: Vec<String> =
            sentences(text).into_iter().map(normalised).filter(|one| !one.is_empty()).collect();
        // The whole text is one sentence, more than once.
        if own.len() > 1 && own.iter().all(|one| *one == own[0]) {
            return true;
        }
        let follows_itself = |two: &[String]| two[0] == two[1] && two[0].split(' ').count() >= LONG_SENTENCE;
        if own.windows(2).any(follows_itself) {
            return true;
        }
        for sentence in own {
            *numbered.entry(without_numbers(&sentence)).or_default() += 1;
            *seen.entry(sentence).or_default() += 1;
        }
    }
    let often = |seen: &HashMap<String, usize>, most: usize| {
        seen.iter().any(|(sentence, count)| *count >= most && sentence.split(' ').count() >= 2)
    };
    often(&seen, MOST_EQUAL)
        || often(&numbered, MOST_NUMBERED)
        || texts(lesson).any(|text| loops(&words(text)) || dwells(&words(text)) || is_run(text))
}

/// The sentence with one mark for each number.
fn without_numbers(sentence: &str) -> String {
    let mut marked = String::new();
    for c in sentence.chars() {
        match c.is_ascii_digit() {
            true if marked.ends_with('#') => {}
            true => marked.push('#'),
            false => marked.push(c),
        }
    }
    marked
}

/// Whether much of a text is one sequence of words: "Each task is a list of tasks. The task is a list of tasks."
fn dwells(words: &[String]) -> bool {
    let mut seen: HashMap<&[String], usize> = HashMap::new();
    for sequence in words.windows(SEQUENCE) {
        *seen.entry(sequence).or_default() += 1;
    }
    seen.values().any(|count| *count >= MOST_SEQUENCES && 5 * count * SEQUENCE >= 2 * words.len())
}

/// Whether a sequence of words follows itself too often, or a long part has few different words.
fn loops(words: &[String]) -> bool {
    let same_in_a_row = |length: usize| {
        // A single word may be emphasis.
        let most = if length == 1 { MOST_IN_A_ROW + 2 } else { MOST_IN_A_ROW };
        let needed = length * (most - 1);
        let mut equal = 0;
        (length..words.len()).any(|at| {
            let letters = words[at].chars().any(char::is_alphabetic);
            equal = if words[at] == words[at - length] && (letters || length > 1) { equal + 1 } else { 0 };
            equal >= needed
        })
    };
    let few_words = |part: &[String]| part.iter().collect::<HashSet<_>>().len() * 4 < part.len();
    (1..=LONGEST_SEQUENCE).any(same_in_a_row) || words.windows(WINDOW).any(few_words)
}

/// Whether letters or digits without spaces repeat: "aaaa…", "nonono…", "-1000-1000…".
fn is_run(text: &str) -> bool {
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    (1..=LONGEST_PERIOD).any(|period| {
        let mut equal = 0;
        (period..chars.len()).any(|at| {
            let same = chars[at] == chars[at - period];
            equal = if same { equal + 1 } else { 0 };
            equal + period >= LONGEST_RUN.max(period * 5)
                && chars[at + 1 - period..=at].iter().any(|c| c.is_alphanumeric())
        })
    })
}
