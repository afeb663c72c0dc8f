//! Decodes JSON strings, including invalid escape sequences.

use std::borrow::Cow;

/// Decodes the text between the quotes. Half a surrogate pair becomes U+FFFD: other parsers accept it, and a secret can
/// be next to it.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else { return Cow::Borrowed(raw) };
    let mut text = String::with_capacity(raw.len());
    text.push_str(&raw[..first]);
    let mut rest = &raw[first..];
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        text.push_str(&rest[..at]);
        let (decoded, length) = escape(&rest[at..]);
        text.push(decoded);
        rest = &rest[at + length..];
    }
    text.push_str(rest);
    Cow::Owned(text)
}

/// The decoded character of an escape sequence, and the length of the sequence.
fn escape(text: &str) -> (char, usize) {
    let Some(kind) = text[1..].chars().next() else { return ('\\', 1) };
    let decoded = match kind {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => return unicode(text),
        other => other,
    };
    (decoded, 1 + kind.len_utf8())
}

fn unicode(text: &str) -> (char, usize) {
    let Some(first) = unit(text) else { return (char::REPLACEMENT_CHARACTER, 2) };
    if let Some(second) = text.get(6..).and_then(unit)
        && let Some(Ok(pair)) = char::decode_utf16([first, second]).next()
        && pair.len_utf16() == 2
    {
        return (pair, 12);
    }
    (char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER), 6)
}

/// The code unit in `\uXXXX`.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_of_other_writers_are_decoded(text in "\\PC*", ascii in any::<bool>()) {
            let mut json = serde_json::to_string(&text).unwrap();
            if ascii {
                json = json.chars().flat_map(|c| {
                    let mut units = [0; 2];
                    let escaped: String =
                        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
                    if c.is_ascii() { c.to_string() } else { escaped }.chars().collect::<Vec<_>>()
                }).collect();
            }
            prop_assert_eq!(unescape(&json[1..json.len() - 1]), text);
        }
    }

    #[test]
    fn half_a_surrogate_pair_does_not_stop_decoding() {
        assert_eq!(unescape(r"a\ud800b"), "a\u{fffd}b");
        assert_eq!(unescape(r"\ud83d\ude00"), "😀");
        assert_eq!(unescape(r"\ud83d\u0041"), "\u{fffd}A");
    }
}
