//! The nesting depth of a JSON text, without parsing it.
//!
//! The limit of our parser does not cover parts that are kept as raw text. Other programs parse those later, and some
//! fail on deep nesting.

/// Deeper than any real document, and shallow enough for every program that reads it.
pub const MAX_DEPTH: usize = 128;

/// How deep arrays and objects are nested. Strings are skipped.
///
/// ```
/// assert_eq!(reflect_types::json_depth(b"[{}]"), 2);
/// ```
pub fn json_depth(json: &[u8]) -> usize {
    let (mut deepest, mut level, mut place) = (0_usize, 0_usize, 0);
    while let Some(byte) = json.get(place) {
        place += 1;
        match byte {
            // Most of a trajectory is strings; skipping them must be fast.
            b'"' => place = end_of_string(json, place),
            b'[' | b'{' => {
                level += 1;
                deepest = deepest.max(level);
            }
            b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// The place after the closing quote of a string that begins at `place`, or the end of the text.
fn end_of_string(json: &[u8], mut place: usize) -> usize {
    while let Some(found) = json.get(place..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        place += found;
        if json[place] == b'"' {
            return place + 1;
        }
        // A backslash and the character it escapes.
        place += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::json_depth;

    #[test]
    fn brackets_inside_strings_do_not_count() {
        assert_eq!(json_depth(br#"{"a": "[[[[\"[[", "b": [1, {"c": []}]}"#), 4);
        assert_eq!(json_depth(b"17"), 0);
        assert_eq!(json_depth(b"]]]["), 1);
        for unfinished in [&br#"["[[["#[..], br#"["\"#, br#"["\\"#, br#"""#, b""] {
            assert!(json_depth(unfinished) <= 1, "{unfinished:?}");
        }
    }
}
