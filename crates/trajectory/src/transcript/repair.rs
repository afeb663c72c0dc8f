//! Repairs JSON of programs in JavaScript.

/// The JSON with U+FFFD in place of bytes that are not UTF-8, and of escapes of half a surrogate pair. JavaScript writes such
/// an escape if a text was cut inside a character; other parsers of JSON refuse it, and the whole line with it.
///
/// ```
/// let repaired = reflect_trajectory::repaired_json(br#"{"cut":"\ud83d","whole":"\ud83d\ude00"}"#);
/// assert_eq!(repaired, "{\"cut\":\"\u{fffd}\",\"whole\":\"\\ud83d\\ude00\"}");
/// ```
pub fn repaired_json(json: &[u8]) -> String {
    let text = String::from_utf8_lossy(json);
    let mut repaired = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        repaired.push_str(before);
        let length = match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                repaired.push(char::REPLACEMENT_CHARACTER);
                rest = &escape[6..];
                continue;
            }
            (Some(_), _) => 6,
            // The backslash and what it escapes.
            (None, _) => escape.char_indices().nth(2).map_or(escape.len(), |(end, _)| end),
        };
        let (kept, after) = escape.split_at(length);
        repaired.push_str(kept);
        rest = after;
    }
    repaired.push_str(rest);
    repaired
}

/// The code unit of an escape such as `\ud83d` at the begin of a text.
fn code_unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_number)
}
