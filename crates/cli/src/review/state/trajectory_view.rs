//! The full trajectory of the current run, loaded page by page.

use reflect_api::{Step, TraceSteps};
use reflect_types::TraceId;

/// The next page is requested when fewer steps than this are loaded behind the current one.
const PREFETCH_STEPS: usize = 50;

/// An open trajectory.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct TrajectoryView {
    trace: TraceId,
    /// The steps that are loaded.
    pub(crate) steps: Vec<Step>,
    /// How many steps there are; `None` before the first response.
    pub(crate) total: Option<usize>,
    /// The index of the step at the top of the screen.
    pub(crate) at: usize,
    /// How many lines that step is scrolled down.
    pub(crate) scroll: usize,
    is_loading: bool,
}

impl TrajectoryView {
    /// A view that waits for its first page. It opens at the step with this index.
    pub(crate) fn loading(trace: TraceId, at: usize) -> Self {
        Self { trace, steps: Vec::new(), total: None, at, scroll: 0, is_loading: true }
    }

    pub(crate) fn trace(&self) -> TraceId {
        self.trace
    }

    /// Adds a page of steps.
    pub(crate) fn add(&mut self, page: TraceSteps) {
        self.is_loading = false;
        self.total = Some(page.total);
        if page.from == self.steps.len() {
            self.steps.extend(page.steps);
        }
        self.at = self.at.min(page.total.saturating_sub(1));
    }

    /// The index from which to load the next page, if it is needed now.
    pub(crate) fn start_load(&mut self) -> Option<usize> {
        let loaded = self.steps.len();
        let is_needed = self.total.is_some_and(|total| loaded < total) && self.at + PREFETCH_STEPS >= loaded;
        if self.is_loading || !is_needed {
            return None;
        }
        self.is_loading = true;
        Some(loaded)
    }

    pub(crate) fn step_by(&mut self, by: isize) {
        let last = self.steps.len().saturating_sub(1);
        self.at = self.at.saturating_add_signed(by).min(last);
        self.scroll = 0;
    }

    /// Goes to the next loaded step that failed, and from the last one to the first.
    pub(crate) fn next_error(&mut self) {
        let failed = |from: usize| (from..self.steps.len()).find(|index| self.steps[*index].failed);
        if let Some(next) = failed(self.at + 1).or_else(|| failed(0)) {
            (self.at, self.scroll) = (next, 0);
        }
    }

    /// The 1-based number of the current step.
    pub(crate) fn step_number(&self) -> Option<usize> {
        (!self.steps.is_empty()).then_some(self.at + 1)
    }
}
