//! When to fetch more runs. The next runs must be there before the reviewer needs them.

/// How many undecided runs are fetched ahead of the current one.
const AHEAD: usize = 3;

/// The state of fetching.
#[derive(Debug, Default)]
pub(crate) struct Prefetch {
    is_running: bool,
    /// The last fetch failed or returned no runs: wait for [`Self::retry`].
    is_paused: bool,
}

impl Prefetch {
    /// The fetch returned this many runs.
    pub(crate) fn completed(&mut self, runs: usize) {
        (self.is_running, self.is_paused) = (false, runs == 0);
    }

    pub(crate) fn failed(&mut self) {
        (self.is_running, self.is_paused) = (false, true);
    }

    /// Allows another fetch after a pause.
    pub(crate) fn retry(&mut self) {
        self.is_paused = false;
    }

    /// How many runs to fetch now, if any. `open` runs have no decision yet, and `until_limit` more decisions end the
    /// session: more runs would never be decided.
    pub(crate) fn start(&mut self, open: usize, until_limit: usize) -> Option<usize> {
        let count = (AHEAD + 1).min(until_limit).saturating_sub(open);
        if count == 0 || self.is_paused || self.is_running {
            return None;
        }
        self.is_running = true;
        Some(count)
    }
}
