//! The keys that a run declares and by which signals find it, such as its session or its commit.

use reflect_types::RunKeyName;

use crate::client_text::{ProjectRedactor, storable};
use crate::error::EngineError;

/// More keys than this do not help to find a run.
const MOST_KEYS: usize = 8;
/// The longest value, in bytes.
const LONGEST_VALUE: usize = 200;
/// A signal names a run in a field of its own.
const RESERVED: &str = "trace_id";

/// Refuses keys that cannot be used.
pub(crate) fn check(field: &'static str, keys: &[(RunKeyName, String)]) -> Result<(), EngineError> {
    if keys.len() > MOST_KEYS {
        let problem = format!("has {} entries, at most {MOST_KEYS} are accepted", keys.len());
        return Err(EngineError::invalid(field, problem));
    }
    keys.iter().try_for_each(|(name, value)| check_one(field, name, value))
}

/// Refuses a key that cannot be used.
pub(crate) fn check_one(field: &'static str, name: &RunKeyName, value: &str) -> Result<(), EngineError> {
    if name.as_str() == RESERVED {
        return Err(EngineError::invalid(field, format!("must not have the name {RESERVED}")));
    }
    if value.is_empty() || value.len() > LONGEST_VALUE || value.chars().any(char::is_control) {
        let problem =
            format!("must have 1 to {LONGEST_VALUE} bytes in `{name}`, none of them a control character");
        return Err(EngineError::invalid(field, problem));
    }
    Ok(())
}

/// The value of a key as it is stored. Different values get different placeholders, and the same value always the same, so a
/// signal finds its run.
pub(crate) fn redacted(
    redactor: &mut ProjectRedactor,
    field: &'static str,
    value: String,
) -> Result<String, EngineError> {
    redactor.subject(field, value).map(storable)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str, value: &str) -> (RunKeyName, String) {
        (name.parse().unwrap(), value.to_owned())
    }

    #[test]
    fn keys_that_cannot_be_used_are_refused() {
        assert!(check("keys", &[key("commit", "0a1b"), key("session", &"x".repeat(200))]).is_ok());
        let many: Vec<_> = (0..9).map(|number| key(&format!("k{number}"), "v")).collect();
        for (keys, said) in [
            (many, "has 9 entries, at most 8"),
            (vec![key("commit", "")], "must have 1 to 200 bytes in `commit`"),
            (vec![key("commit", &"x".repeat(201))], "must have 1 to 200 bytes in `commit`"),
            (vec![key("commit", "a\nb")], "must have 1 to 200 bytes in `commit`"),
            (vec![key("trace_id", "a")], "must not have the name trace_id"),
        ] {
            let refused = check("keys", &keys).unwrap_err().to_string();
            assert!(refused.starts_with("keys ") && refused.contains(said), "{refused}");
        }
    }
}
