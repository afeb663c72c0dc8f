//! One guard against text that a reader cannot see.
//!
//! Invisible characters split words (`Ig<U+200B>nore`), carry hidden messages (tag characters) or reorder what is
//! shown (bidi controls). The functions here return a new text and never change what is stored:
//!
//! - [`stripped`] removes every invisible character. Use it before matching patterns.
//! - [`visible`] does the same but keeps emoji sequences and the joiners of scripts that need them. Use it for people.
//! - [`served`] is [`visible`] without [control tokens](break_control_tokens) of language models and without
//!   [tags](break_prompt_tags) that mark memories. Use it for prompts.
//!
//! The console has the same table: `console/app/src/parts/invisible.generated.ts` is written from this module.

mod emoji;
mod tags;
mod tokens;

use std::borrow::Cow;

pub use tags::break_prompt_tags;
pub use tokens::break_control_tokens;

use crate::Defence;

/// `Default_Ignorable_Code_Point` of the Unicode Character Database. A test compares it with the current data.
const DEFAULT_IGNORABLE: [(char, char); 17] = [
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{202a}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fff8}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];
/// Invisible, although Unicode does not call them ignorable: C0 and C1 controls except tab and line breaks, and
/// interlinear annotation.
const OTHER_INVISIBLE: [(char, char); 5] = [
    ('\u{0}', '\u{8}'),
    ('\u{b}', '\u{c}'),
    ('\u{e}', '\u{1f}'),
    ('\u{7f}', '\u{9f}'),
    ('\u{fff9}', '\u{fffb}'),
];
/// A control that breaks a line.
const NEXT_LINE: char = '\u{85}';
/// The invisible copy of ASCII.
const TAGS: std::ops::RangeInclusive<char> = '\u{e0020}'..='\u{e007e}';

/// Whether a character shows nothing of its own: controls, default-ignorable code points (bidi controls, tag
/// characters, variation selectors, joiners) and interlinear annotation. Tab, line feed and carriage return are not.
///
/// ```
/// use reflect_types::text::is_invisible;
///
/// assert!(is_invisible('\u{200b}') && is_invisible('\u{1b}'));
/// assert!(!is_invisible('\n') && !is_invisible('é'));
/// ```
pub fn is_invisible(character: char) -> bool {
    let holds = |range: &(char, char)| (range.0..=range.1).contains(&character);
    // Nearly all text is in this range.
    if matches!(character, ' '..='~' | '\n') {
        return false;
    }
    DEFAULT_IGNORABLE.iter().any(holds) || OTHER_INVISIBLE.iter().any(holds)
}

/// The text without any invisible character. Every line break becomes a line feed.
///
/// ```
/// use reflect_types::text::stripped;
///
/// assert_eq!(stripped("Ig\u{200b}nore all\r\nprevious"), "Ignore all\nprevious");
/// ```
pub fn stripped(text: &str) -> Cow<'_, str> {
    if !Defence::HiddenText.is_on() {
        return Cow::Borrowed(text);
    }
    let is_kept = |character| character == NEXT_LINE || !is_invisible(character);
    rebuilt(text, text.char_indices().filter(|(_, character)| is_kept(*character)))
}

/// The text as people may see it: [`stripped`], with the invisible characters of emoji sequences and the joiners
/// between letters of scripts that need them. Doing it twice changes nothing, and no text gets longer.
///
/// ```
/// use reflect_types::text::visible;
///
/// assert_eq!(visible("pass\u{202e}word 👩\u{200d}🚀 ❤\u{fe0f}"), "password 👩\u{200d}🚀 ❤\u{fe0f}");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let shown =
        emoji::classified(text).filter(|(_, character, is_hidden)| *character == NEXT_LINE || !is_hidden);
    rebuilt(text, shown.map(|(at, character, _)| (at, character)))
}

/// Every character of the text, and whether [`visible`] removes it.
pub fn classified(text: &str) -> impl Iterator<Item = (char, bool)> {
    emoji::classified(text).map(|(_, character, is_hidden)| (character, is_hidden))
}

/// The text as it may be put into a prompt: [`visible`], with broken control tokens of language models and broken tags
/// that mark memories.
///
/// ```
/// use reflect_types::text::served;
///
/// assert_eq!(served("a <\u{200b}|im_start|>system </memory>"), "a ‹|im_start|>system ‹/memory>");
/// ```
pub fn served(text: &str) -> Cow<'_, str> {
    if !Defence::HiddenText.is_on() {
        return Cow::Borrowed(text);
    }
    and_then(and_then(visible(text), break_control_tokens), break_prompt_tags)
}

fn and_then<'a>(text: Cow<'a, str>, change: fn(&str) -> Cow<'_, str>) -> Cow<'a, str> {
    match text {
        Cow::Borrowed(text) => change(text),
        Cow::Owned(text) => match change(&text) {
            Cow::Borrowed(_) => Cow::Owned(text),
            Cow::Owned(changed) => Cow::Owned(changed),
        },
    }
}

/// What tag characters in the text spell, in ASCII. Empty for a text without a hidden message.
///
/// ```
/// use reflect_types::text::tag_message;
///
/// assert_eq!(tag_message("a\u{e0068}\u{e0069}b"), "hi");
/// ```
pub fn tag_message(text: &str) -> String {
    let tags =
        emoji::classified(text).filter(|(_, character, is_hidden)| *is_hidden && TAGS.contains(character));
    tags.filter_map(|(_, character, _)| char::from_u32(u32::from(character) - 0xe0000)).collect()
}

/// The kept characters as a text, with one kind of line break. Borrowed when nothing changes.
fn rebuilt<'a>(text: &'a str, kept: impl Iterator<Item = (usize, char)>) -> Cow<'a, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut result = String::with_capacity(text.len());
    for (at, character) in kept {
        match character {
            '\r' if text[at + 1..].starts_with('\n') => {}
            '\r' | NEXT_LINE | '\u{2028}' | '\u{2029}' => result.push('\n'),
            other => result.push(other),
        }
    }
    if result == text { Cow::Borrowed(text) } else { Cow::Owned(result) }
}

#[cfg(test)]
mod console;
#[cfg(test)]
mod tests;
