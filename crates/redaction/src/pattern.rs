//! Compiles the regular expressions of the rules.

use regex::Regex;

/// Compiles a pattern. All patterns are constants, and a test compiles them.
pub(crate) fn regex(pattern: &str) -> Regex {
    compiled(Regex::new(pattern))
}

/// Unwraps the result of a compilation that cannot fail.
#[expect(clippy::expect_used, reason = "a pattern that does not compile fails the first test")]
pub(crate) fn compiled<T, E: std::fmt::Debug>(result: Result<T, E>) -> T {
    result.expect("the rules of redaction compile")
}
