//! Spans in a text: merged if they overlap, and without a leading escape sequence.

use std::ops::Range;

use regex::Regex;

use crate::Class;

/// A range in a text, and the class of the data in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) class: Class,
}

/// Sorts spans and merges those that overlap. The merged span has the more specific class. Only a merged span covers
/// both values completely.
pub(crate) fn merged(text: &str, mut spans: Vec<Span>) -> Vec<Span> {
    for span in &mut spans {
        span.start = after_escape(text, span.start).min(span.end);
    }
    spans.retain(|span| span.start < span.end);
    spans.sort_by_key(|span| (span.start, span.class));
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => {
                last.end = last.end.max(span.end);
                last.class = last.class.min(span.class);
            }
            _ => merged.push(span),
        }
    }
    merged
}

/// Finds matches that the check accepts. The check may shorten them. After a rejected match, the search continues one
/// byte later. The cost of this is bounded by the longest match of the pattern.
pub(crate) fn find_accepted(
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
            // Patterns begin with an ASCII byte, so this is a character boundary.
            None => found.start() + 1,
        };
    }
}

/// The start of a span that seems to begin inside an escape sequence. In `\nbob@example.org`, as in nested JSON, the
/// `n` belongs to the escape sequence and not to the address.
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

/// Whether a letter or digit precedes the span, so that it is part of a longer word.
pub(crate) fn is_inside_word(text: &str, start: usize) -> bool {
    start > 0 && text.as_bytes()[start - 1].is_ascii_alphanumeric() && after_escape(text, start - 1) != start
}

/// Whether a letter or digit follows the span.
pub(crate) fn continues(text: &str, end: usize) -> bool {
    text.as_bytes().get(end).is_some_and(u8::is_ascii_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_spans_are_merged() {
        let span = |start, end, class| Span { start, end, class };
        let spans = vec![span(4, 9, Class::NamedSecret), span(0, 6, Class::Jwt), span(9, 10, Class::Email)];
        let merged = merged("0123456789", spans);
        assert_eq!(merged, [span(0, 9, Class::Jwt), span(9, 10, Class::Email)]);
    }

    #[test]
    fn an_escape_sequence_is_not_part_of_the_next_word() {
        assert_eq!(after_escape(r"\nbob", 1), 2);
        assert_eq!(after_escape(r"\\nbob", 2), 2);
        assert_eq!(after_escape(r"\u000abob", 1), 6);
        assert_eq!(after_escape("nbob", 0), 0);
    }
}
