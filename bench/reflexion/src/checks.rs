//! Counts checks and reports failures.

use std::fmt::Debug;

/// Counts checks and prints each.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    made: usize,
    failed: usize,
}

impl Checks {
    pub(crate) fn made(&self) -> usize {
        self.made
    }

    pub(crate) fn failed(&self) -> usize {
        self.failed
    }

    /// Checks that both values are equal.
    pub(crate) fn same<T: PartialEq + Debug>(&mut self, what: &str, seen: &T, wanted: &T) {
        self.made += 1;
        if seen == wanted {
            println!("ok    {what}");
        } else {
            self.failed += 1;
            println!("FAIL  {what}: {seen:?} instead of {wanted:?}");
        }
    }

    /// Checks a condition.
    pub(crate) fn holds(&mut self, what: &str, holds: bool) {
        self.same(what, &holds, &true);
    }
}
