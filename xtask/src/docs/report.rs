//! An error on a page, and its location.

use std::fmt;

/// One error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    page: String,
    line: usize,
    why: String,
}

impl Complaint {
    pub(crate) fn new(page: &str, line: usize, why: impl Into<String>) -> Self {
        Self { page: page.to_owned(), line, why: why.into() }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.page, self.line, self.why)
    }
}
