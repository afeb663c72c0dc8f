//! How deep a JSON text is nested, found out without parsing it.
//!
//! A parser's own limit does not cover the parts that are kept as raw text, and those are read again
//! by programs that give up, or fall over, on deep ones.

/// Deeper than any honest document, and shallow enough for every reader downstream.
pub const MAX_DEPTH: usize = 128;

/// How deep arrays and objects are nested, strings passed over.
///
/// ```
/// assert_eq!(reflect_types::json_depth(b"[{}]"), 2);
/// ```
pub fn json_depth(json: &[u8]) -> usize {
    let (mut deepest, mut level, mut place) = (0_usize, 0_usize, 0);
    while let Some(byte) = json.get(place) {
        place += 1;
        match byte {
            // Most of a trajectory is text, so text is what has to be passed over quickly.
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
        // A backslash, and whatever it escapes.
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
