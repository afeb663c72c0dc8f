//! The keys that a run declares and by which signals find it, such as its session or its commit.

use reflect_types::RunKeyName;

use crate::client_text::{ProjectRedactor, storable};
use crate::error::EngineError;

/// The longest value, in bytes.
const LONGEST_VALUE: usize = 200;
/// A signal names a run in a field of its own.
const RESERVED: &str = "trace_id";

/// Refuses a key that cannot be used.
pub(crate) fn check(field: &'static str, name: &RunKeyName, value: &str) -> Result<(), EngineError> {
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

    fn checked(name: &str, value: &str) -> Result<(), EngineError> {
        check("keys", &name.parse().unwrap(), value)
    }

    #[test]
    fn a_key_that_cannot_be_used_is_refused() {
        assert!(checked("commit", "0a1b").is_ok() && checked("session", &"x".repeat(200)).is_ok());
        for (name, value, said) in [
            ("commit", "", "must have 1 to 200 bytes in `commit`"),
            ("commit", &*"x".repeat(201), "must have 1 to 200 bytes in `commit`"),
            ("commit", "a\nb", "must have 1 to 200 bytes in `commit`"),
            ("trace_id", "a", "must not have the name trace_id"),
        ] {
            let refused = checked(name, value).unwrap_err().to_string();
            assert!(refused.starts_with("keys ") && refused.contains(said), "{refused}");
        }
    }
}
