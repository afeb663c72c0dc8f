//! How many decisions of each kind the session has.

use super::queue::Decision;

/// The counts of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) deferred: usize,
}

impl Tally {
    pub(crate) fn decided(&self) -> usize {
        self.passed + self.failed + self.deferred
    }

    pub(crate) fn add(&mut self, decision: Decision) {
        if let Some(count) = self.count(decision) {
            *count += 1;
        }
    }

    pub(crate) fn remove(&mut self, decision: Decision) {
        if let Some(count) = self.count(decision) {
            *count = count.saturating_sub(1);
        }
    }

    fn count(&mut self, decision: Decision) -> Option<&mut usize> {
        match decision {
            Decision::Passed => Some(&mut self.passed),
            Decision::Failed => Some(&mut self.failed),
            Decision::Deferred => Some(&mut self.deferred),
            Decision::Skipped | Decision::Rejected => None,
        }
    }
}
