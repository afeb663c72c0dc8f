//! Which invisible characters are part of how a text is written: emoji sequences, and joiners in scripts that need
//! them. Nothing else survives, because it could hide a message.

use unicode_properties::UnicodeEmoji;

use super::is_invisible;

/// Flags of England, Scotland and Wales: the only tag sequences that Unicode recommends. Any other could spell a
/// hidden message.
pub(super) const FLAGS: [&str; 3] = [
    "\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
    "\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073}\u{e007f}",
];
/// Arabic to Myanmar, Khmer and Mongolian: a joiner changes the form of the letters beside it.
pub(super) const JOINING: [(char, char); 2] = [('\u{600}', '\u{109f}'), ('\u{1780}', '\u{18af}')];
const BLACK_FLAG: char = '\u{1f3f4}';
const KEYCAP: char = '\u{20e3}';
const EMOJI_STYLE: char = '\u{fe0f}';
const JOINER: char = '\u{200d}';
const NON_JOINER: char = '\u{200c}';

/// Every character with its index, and whether it must be removed from text for people.
pub(super) fn classified(text: &str) -> impl Iterator<Item = (usize, char, bool)> {
    // The previous character, if it was kept.
    let mut before = None;
    // The end of the flag sequence that is being read.
    let mut flag_end = 0;
    text.char_indices().map(move |(at, character)| {
        let after = &text[at + character.len_utf8()..];
        if character == BLACK_FLAG {
            let flag = FLAGS.iter().find(|flag| after.starts_with(**flag));
            flag_end = at + character.len_utf8() + flag.map_or(0, |flag| flag.len());
        }
        let is_kept = !is_invisible(character)
            || at < flag_end
            || before.is_some_and(|before| belongs(before, character, after.chars().next()));
        before = is_kept.then_some(character);
        (at, character, !is_kept)
    })
}

fn belongs(before: char, character: char, after: Option<char>) -> bool {
    match character {
        EMOJI_STYLE => is_emoji(before) || (is_keycap_base(before) && after == Some(KEYCAP)),
        JOINER if after.is_some_and(is_emoji) => is_emoji(before) || before == EMOJI_STYLE,
        // Some letters are invisible, and are removed.
        JOINER | NON_JOINER => {
            is_joining(before) && after.is_some_and(|after| after.is_alphabetic() && !is_invisible(after))
        }
        _ => false,
    }
}

fn is_emoji(character: char) -> bool {
    !character.is_ascii() && character.is_emoji_char()
}

fn is_keycap_base(character: char) -> bool {
    matches!(character, '0'..='9' | '#' | '*')
}

fn is_joining(character: char) -> bool {
    !is_invisible(character) && JOINING.iter().any(|range| (range.0..=range.1).contains(&character))
}
