//! What the program `fuzz` asks of a target. Tests have no arguments, so this comes by environment variables.

use std::ops::Range;

/// The number of cases if none is asked for: so few that all targets together take seconds in `cargo test`.
const USUAL_CASES: u64 = 200;
const USUAL_SEED: u64 = 1;

/// How to run a target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) cases: Range<u64>,
    pub(crate) seed: u64,
    /// The mutant to run instead of the product.
    pub(crate) mutant: Option<String>,
}

impl Settings {
    #[expect(
        clippy::disallowed_methods,
        reason = "a test has no arguments; this is the one place of all targets"
    )]
    pub(crate) fn read() -> Self {
        Self::of(|name| std::env::var(format!("REFLECT_FUZZ_{name}")).ok())
    }

    fn of(value: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str| -> Option<u64> { value(name)?.parse().ok() };
        let cases = number("CASES").unwrap_or(USUAL_CASES);
        let one = number("CASE").map(|case| case..case.saturating_add(1));
        let seed = number("SEED").unwrap_or(USUAL_SEED);
        Self { cases: one.unwrap_or(0..cases), seed, mutant: value("MUTANT") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_case_can_be_repeated_alone() {
        let values = [("CASE", "5"), ("SEED", "9")];
        let settings = Settings::of(|name| {
            let found = values.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        });

        assert_eq!(settings, Settings { cases: 5..6, seed: 9, mutant: None });
        assert_eq!(Settings::of(|_| None).cases, 0..USUAL_CASES);
    }
}
