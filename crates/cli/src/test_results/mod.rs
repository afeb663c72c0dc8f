//! Results of test programs, from files in the formats JUnit XML and TAP.

#[cfg(test)]
mod fuzz;
mod junit;
mod tap;

use std::path::Path;

use anyhow::Context;
use reflect_types::ReviewResult;

use crate::failure::{Failure, Kind};
use crate::output::counted;

pub(crate) use junit::junit;
pub(crate) use tap::tap;

/// A larger file is a mistake.
const LARGEST_FILE: u64 = 256 * 1024 * 1024;
/// How many failed tests are named.
const MOST_NAMES: usize = 20;
/// The longest name of a test, in characters.
const LONGEST_NAME: usize = 120;

/// The results of some tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct TestResults {
    pub(crate) passed: usize,
    pub(crate) skipped: usize,
    /// The names of the failed tests.
    pub(crate) failed: Vec<String>,
}

impl TestResults {
    /// Adds the results of another file.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.skipped += other.skipped;
        self.failed.extend(other.failed);
    }

    /// A pass if no test failed. Without a test that ran, there is no result.
    pub(crate) fn outcome(&self) -> Result<ReviewResult, Failure> {
        match (self.failed.is_empty(), self.passed) {
            (false, _) => Ok(ReviewResult::Fail),
            (true, 0) => Err(Failure::new(Kind::Check, "no_tests", "the files contain no test that ran")
                .fix("check that the tests ran and that these are their result files")),
            (true, _) => Ok(ReviewResult::Pass),
        }
    }

    /// What the reviewer of a failed run needs. `None` if no test failed.
    pub(crate) fn comment(&self) -> Option<String> {
        if self.failed.is_empty() {
            return None;
        }
        let all = counted(self.passed + self.failed.len(), "test");
        let names: Vec<String> = self
            .failed
            .iter()
            .take(MOST_NAMES)
            .map(|name| name.chars().take(LONGEST_NAME).collect())
            .collect();
        let more = match self.failed.len().saturating_sub(MOST_NAMES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        Some(format!("{} of {all} failed: {}{more}", self.failed.len(), names.join(", ")))
    }
}

/// Reads a file with results.
pub(crate) fn read(
    path: &Path,
    parse: impl Fn(&str) -> Result<TestResults, String>,
) -> anyhow::Result<TestResults> {
    let shown = path.display();
    let size = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?.len();
    if size > LARGEST_FILE {
        return Err(Failure::new(Kind::Local, "io", format!("{shown} has more than 256 MB")).into());
    }
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {shown}"))?;
    let parsed = parse(&String::from_utf8_lossy(&bytes));
    Ok(parsed.map_err(|why| Failure::new(Kind::Local, "unreadable_results", format!("{shown}: {why}")))?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_test_fails_the_run_and_skipped_tests_are_no_result() {
        let results = |passed, failed: &[&str]| TestResults {
            passed,
            skipped: 3,
            failed: failed.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(results(2, &[]).outcome().unwrap(), ReviewResult::Pass);
        assert_eq!(results(2, &["a"]).outcome().unwrap(), ReviewResult::Fail);
        assert_eq!(results(0, &[]).outcome().unwrap_err().exit_code(), 7);
        assert_eq!(results(2, &["a", "b"]).comment().unwrap(), "2 of 4 tests failed: a, b");
        assert_eq!(results(2, &[]).comment(), None);
        let many = results(1, &["x"; 25]).comment().unwrap();
        assert!(many.starts_with("25 of 26 tests failed: x, x") && many.ends_with(" and 5 more"), "{many}");
    }
}
