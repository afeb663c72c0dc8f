//! Protection against verdicts by accident: a key that is pressed right after a new run appears was meant for the run
//! before.

use std::time::Duration;

use reflect_types::TraceId;

/// A run must be on the screen for this long before a verdict key works.
pub(crate) const GUARD: Duration = Duration::from_millis(250);

/// Which run is on the screen, and since when no verdict key was pressed too early.
#[derive(Debug, Default)]
pub(crate) struct KeyGuard {
    shown: Option<(TraceId, Duration)>,
}

impl KeyGuard {
    pub(crate) fn reset(&mut self) {
        self.shown = None;
    }

    /// Records that the current run is on the screen.
    pub(crate) fn painted(&mut self, current: Option<TraceId>, now: Duration) {
        if self.shown.map(|(trace, _)| trace) != current {
            self.shown = current.map(|trace| (trace, now));
        }
    }

    /// Whether a verdict key may act on the current run. A key that comes too early restarts the time: a key that is
    /// held down must not decide the next run.
    pub(crate) fn allows(&mut self, current: Option<TraceId>, now: Duration) -> bool {
        match &mut self.shown {
            Some((trace, since)) if Some(*trace) == current => {
                let allowed = now.saturating_sub(*since) >= GUARD;
                if !allowed {
                    *since = now;
                }
                allowed
            }
            _ => false,
        }
    }
}
