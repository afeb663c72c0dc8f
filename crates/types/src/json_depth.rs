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
    let (mut deepest, mut level, mut in_string, mut escaped) = (0_usize, 0_usize, false, false);
    for byte in json {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
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

#[cfg(test)]
mod tests {
    use super::json_depth;

    #[test]
    fn brackets_inside_strings_do_not_count() {
        assert_eq!(json_depth(br#"{"a": "[[[[\"[[", "b": [1, {"c": []}]}"#), 4);
        assert_eq!(json_depth(b"17"), 0);
        assert_eq!(json_depth(b"]]]["), 1);
    }
}
