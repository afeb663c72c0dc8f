//! How much of a part is sent with its step, and ranges of the rest.

/// In bytes. A part up to this size is sent whole.
pub const INLINE: usize = 32 * 1024;
const HEAD: usize = 16 * 1024;
const TAIL: usize = 8 * 1024;

/// How much of a text is sent with its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<'a> {
    /// All of it.
    Whole(&'a str),
    /// Its beginning and its end.
    Ends(&'a str, &'a str),
}

/// How much of a text is sent with its step.
///
/// ```
/// use reflect_engine::steps::{Shown, shown};
///
/// assert_eq!(shown("short"), Shown::Whole("short"));
/// assert!(matches!(shown(&"long ".repeat(10_000)), Shown::Ends(..)));
/// ```
pub fn shown(text: &str) -> Shown<'_> {
    if text.len() <= INLINE {
        return Shown::Whole(text);
    }
    let (head, _) = slice(text, 0, HEAD);
    let (tail, _) = slice(text, text.len() - TAIL, text.len());
    Shown::Ends(head, tail)
}

/// The text between two byte offsets, moved down to whole characters, and its first offset. Adjacent byte ranges give
/// adjacent texts.
pub fn slice(text: &str, from: usize, to: usize) -> (&str, usize) {
    let from = text.floor_char_boundary(from);
    let to = text.floor_char_boundary(to).max(from);
    (&text[from..to], from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stretches_that_meet_give_the_whole(text in ".{0,200}", at in 0usize..900) {
            let (first, _) = slice(&text, 0, at);
            let (second, from) = slice(&text, at, usize::MAX);
            prop_assert_eq!(from, first.len());
            prop_assert_eq!(format!("{first}{second}"), text);
        }
    }
}
