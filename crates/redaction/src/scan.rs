//! Places in a text: found by several rules, told apart, kept clear of escapes.

use std::ops::Range;

use regex::Regex;

use crate::Class;

/// A place where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) class: Class,
}

/// Places in order, none inside another. Where two overlap they become one, under the more telling class:
/// leaving the rest of either would leave a part of a secret.
pub(crate) fn apart(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    for span in &mut spans {
        span.start = after_escape(text, span.start).min(span.end);
    }
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, span.class));
    let mut apart: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match apart.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                last.class = last.class.min(span.class);
            }
            _ => apart.push(span),
        }
    }
    apart
}

/// The places that a pattern finds and a check accepts, perhaps shorter. After a place that is not accepted the search
/// goes on right behind its first byte, which costs no more than the longest place that the pattern can find.
pub(crate) fn accepted(
    pattern: &Regex,
    text: &str,
    class: Class,
    check: impl Fn(Range<usize>) -> Option<Range<usize>>,
    spans: &mut Vec<Span>,
) {
    let mut from = 0;
    while let Some(found) = pattern.find_at(text, from) {
        from = match check(found.range()) {
            Some(Range { start, end }) => {
                spans.push(Span { start, end, class });
                end
            }
            // Patterns begin with a byte of ASCII, so that this is no middle of a character.
            None => found.start() + 1,
        };
    }
}

/// Where a place really begins that seems to begin inside an escape: in `\nbob@example.org`, as it stands
/// in JSON inside of JSON, the `n` is a part of the line's end and not of the name.
fn after_escape(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let backslashes = bytes[..start].iter().rev().take(64).take_while(|byte| **byte == b'\\').count();
    match bytes.get(start) {
        Some(b'n' | b'r' | b't' | b'b' | b'f') if backslashes % 2 == 1 => start + 1,
        Some(b'u') if backslashes % 2 == 1 => {
            let digits =
                bytes[start + 1..].iter().take(4).take_while(|byte| byte.is_ascii_hexdigit()).count();
            start + 1 + digits
        }
        _ => start,
    }
}

/// Whether the byte before a place is a letter or a digit, so that the place is a part of something longer.
pub(crate) fn is_inside_word(text: &str, start: usize) -> bool {
    start > 0 && text.as_bytes()[start - 1].is_ascii_alphanumeric() && after_escape(text, start - 1) != start
}

/// Whether the byte at the end of a place goes on with letters or digits.
pub(crate) fn goes_on(text: &str, end: usize) -> bool {
    text.as_bytes().get(end).is_some_and(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_that_overlap_become_one() {
        let span = |start, end, class| Span { start, end, class };
        let spans = vec![span(4, 9, Class::NamedSecret), span(0, 6, Class::Jwt), span(9, 10, Class::Email)];
        let apart = apart("0123456789", spans);
        assert_eq!(apart, [span(0, 9, Class::Jwt), span(9, 10, Class::Email)]);
    }

    #[test]
    fn an_escape_is_no_part_of_what_follows_it() {
        assert_eq!(after_escape(r"\nbob", 1), 2);
        assert_eq!(after_escape(r"\\nbob", 2), 2);
        assert_eq!(after_escape(r"\u000abob", 1), 6);
        assert_eq!(after_escape("nbob", 0), 0);
    }
}
