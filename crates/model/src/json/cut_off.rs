//! The complete members of a truncated JSON object.

use serde_json::{Map, Value};

use super::last_part;

/// The members that are complete. `None` if no object is open, or if its first member is incomplete.
pub(crate) fn complete_part(text: &str) -> Option<Map<String, Value>> {
    let text = last_part(text);
    let (mut depth, mut start, mut end) = (0_usize, 0, None);
    let (mut quoted, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' if depth > 0 => quoted = !quoted,
            _ if quoted => {}
            b'{' if depth == 0 => (depth, start, end) = (1, at, None),
            b'{' | b'[' if depth > 0 => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => end = Some(at),
            _ => {}
        }
    }
    let members = text.get(start..end.filter(|_| depth > 0)?)?;
    serde_json::from_str(&format!("{members}}}")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn complete_members_of_a_truncated_object_are_kept() {
        let kept = |text| complete_part(text).map(Value::Object);

        let text = r#"Well: {"a": "x, \"y\" }", "b": [1, {"c": 2}], "d": ["one", "tw"#;
        assert_eq!(kept(text), Some(json!({"a": "x, \"y\" }", "b": [1, {"c": 2}]})));
        assert_eq!(kept(r#"{"a": {"b": 1, "c": 2, "d"#), None);
        assert_eq!(kept(r#"{"draft": 1} {"a": 1, "b"#), Some(json!({"a": 1})));
        for whole in ["", "no braces", r#"{"a": 1, "b": 2}"#, "}]}"] {
            assert_eq!(kept(whole), None, "{whole}");
        }
    }
}
