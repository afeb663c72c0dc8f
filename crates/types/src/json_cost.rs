//! What a JSON text would cost to parse, without parsing it.
//!
//! A parsed value takes up to 400 bytes of memory, and `[],` has three: the size of a text says little about its cost.
//! The limit of our parser on nesting does not cover parts that are kept as raw text. Other programs parse those later,
//! and some fail on deep nesting.

use crate::Defence;

/// Deeper than any real document, and shallow enough for every program that reads it.
pub const MAX_DEPTH: usize = 128;
/// The most JSON values of the metadata of a run or a memory. A page of a hundred runs builds all of them.
pub const MAX_METADATA_VALUES: usize = 1_000;

/// How much a JSON text contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonCost {
    /// How deep arrays and objects are nested.
    pub depth: usize,
    /// The number of values, or one more for every empty array or object.
    pub values: usize,
}

impl JsonCost {
    /// Whether the text has more than this number of values.
    #[must_use]
    pub fn exceeds(self, most_values: usize) -> bool {
        self.values > most_values && Defence::JsonCost.is_on()
    }
}

/// Counts the nested levels and the values of a JSON text. Strings are skipped. The text need not be valid.
///
/// ```
/// let cost = reflect_types::json_cost(br#"[{"a": 1}, "[,"]"#);
/// assert_eq!((cost.depth, cost.values), (2, 4));
/// ```
pub fn json_cost(json: &[u8]) -> JsonCost {
    let (mut deepest, mut level, mut values, mut place) = (0_usize, 0_usize, 1, 0);
    while let Some(byte) = json.get(place) {
        place += 1;
        match byte {
            // Most of a trajectory is strings; skipping them must be fast.
            b'"' => place = end_of_string(json, place),
            b'[' | b'{' => {
                values += 1;
                level += 1;
                deepest = deepest.max(level);
            }
            b',' => values += 1,
            b']' | b'}' => level = level.saturating_sub(1),
            _ => {}
        }
    }
    JsonCost { depth: deepest, values }
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
    use super::json_cost;

    #[test]
    fn brackets_and_commas_inside_strings_do_not_count() {
        let cost = json_cost(br#"{"a": "[[[[\"[[,,,", "b": [1, {"c": []}]}"#);
        assert_eq!((cost.depth, cost.values), (4, 7));
        assert_eq!(json_cost(b"17").depth, 0);
        assert_eq!(json_cost(b"]]][").depth, 1);
        for unfinished in [&br#"["[[["#[..], br#"["\"#, br#"["\\"#, br#"""#, b""] {
            assert!(json_cost(unfinished).depth <= 1, "{unfinished:?}");
        }
    }

    #[test]
    fn every_value_counts() {
        assert_eq!(json_cost(b"17").values, 1);
        assert_eq!(json_cost(b"[1, 2, 3]").values, 4);
        assert_eq!(json_cost(format!("[{}]", vec!["[]"; 1000].join(",")).as_bytes()).values, 2001);
        assert!(json_cost(b"[[],[]]").exceeds(3) && !json_cost(b"[[],[]]").exceeds(5));
    }
}
