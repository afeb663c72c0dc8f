//! How much of a part is shown at once, and any stretch of the rest.

/// A part up to this size is given whole.
pub const INLINE: usize = 32 * 1024;
const HEAD: usize = 16 * 1024;
const TAIL: usize = 8 * 1024;

/// What of a text is given with its step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown<'a> {
    /// All of it.
    Whole(&'a str),
    /// Its beginning and its end.
    Ends(&'a str, &'a str),
}

/// Pure: how a text is given.
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

/// Pure: the text between two places, counted in bytes and moved down to whole characters; and where it
/// begins. Stretches that meet in bytes meet in characters too.
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
