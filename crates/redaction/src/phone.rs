//! Telephone numbers. They have no checksum, so only two formats count: `+` with a country code, or groups as in North
//! America.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::Class;
use crate::pattern::regex;
use crate::scan::{Span, find_accepted, is_inside_word};

/// The number of digits: at most what E.164 allows, at least what is in use.
const DIGITS: std::ops::RangeInclusive<usize> = 8..=15;
/// The minimum number of digits without groups. Shorter numbers are mostly not telephone numbers.
const MIN_UNGROUPED: usize = 10;

static INTERNATIONAL: LazyLock<Regex> =
    LazyLock::new(|| regex(r"(?-u)\+[1-9][0-9]{0,2}(?:[ ./-]{0,2}\(?[0-9]{1,5}\)?){2,6}\b{end-half}"));
static NORTH_AMERICAN: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?-u)(?:\([2-9][0-9]{2}\) ?|\b{start-half}[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}\b{end-half}",
    )
});

pub(crate) fn find(text: &str, spans: &mut Vec<Span>) {
    let alone = |place: Range<usize>| stands_alone(text, place.start, place.end).then_some(place);
    let international = |place: Range<usize>| alone(place).filter(|place| is_number(&text[place.clone()]));
    find_accepted(&INTERNATIONAL, text, Class::Phone, international, spans);
    let american =
        |place: Range<usize>| alone(place).filter(|place| has_equal_separators(&text[place.clone()]));
    find_accepted(&NORTH_AMERICAN, text, Class::Phone, american, spans);
}

fn is_number(text: &str) -> bool {
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let groups = text.chars().filter(|c| matches!(c, ' ' | '-' | '/' | '(')).count();
    let points = text.chars().filter(|c| *c == '.').count();
    // A number with a single point is a decimal number.
    DIGITS.contains(&digits) && (groups > 0 || points > 1 || (points == 0 && digits >= MIN_UNGROUPED))
}

/// Whether all separators are equal. `415-555.2671` is probably not a telephone number.
fn has_equal_separators(text: &str) -> bool {
    if text.starts_with('(') {
        return true;
    }
    let marks: Vec<char> = text.chars().filter(|c| !c.is_ascii_digit()).collect();
    marks.windows(2).all(|pair| pair[0] == pair[1])
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let joins = |byte: u8| matches!(byte, b'.' | b'-' | b'_' | b'/' | b'=' | b'+');
    let before = start.checked_sub(1).map(|at| bytes[at]);
    let after = (bytes.get(end), bytes.get(end + 1));
    !is_inside_word(text, start)
        && !before.is_some_and(|byte| joins(byte) && byte != b'=')
        && !matches!(after, (Some(mark), Some(digit)) if joins(*mark) && digit.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<&str> {
        let mut spans = Vec::new();
        find(text, &mut spans);
        spans.iter().map(|span| &text[span.start..span.end]).collect()
    }

    #[test]
    fn common_formats_are_found() {
        for (text, number) in [
            ("call +49 30 901820 today", "+49 30 901820"),
            ("tel:+14155552671", "+14155552671"),
            ("+44 (0)20 7946 0958.", "+44 (0)20 7946 0958"),
            ("(415) 555-2671", "(415) 555-2671"),
            ("at 415.555.2671,", "415.555.2671"),
        ] {
            assert_eq!(found(text), [number], "{text}");
        }
    }

    #[test]
    fn other_numbers_are_not_telephone_numbers() {
        for text in [
            "+1299.00 EUR",
            "1.2.3+20260101",
            "2026-11-15 13:33",
            "order 4155552671",
            "UTC+0200",
            "@@ -12,3 +14,5 @@",
            "x+1234567890",
            "192.168.100.2000",
            "id-415-555-2671-77",
            "+3.1415926535",
            "$1,234,567",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
