//! Progress on a terminal; hidden elsewhere.

use indicatif::{ProgressBar, ProgressStyle};

/// A progress bar, or a counter if the total is unknown.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// With a known number of rows.
    pub(super) fn of(rows: u64) -> Self {
        Self::styled(
            ProgressBar::new(rows),
            "{msg:<22} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
        )
    }

    /// With an unknown number of rows.
    pub(super) fn counting() -> Self {
        Self::styled(ProgressBar::no_length(), "{spinner} {msg:<22} {human_pos} rows, {per_sec}")
    }

    fn styled(bar: ProgressBar, template: &str) -> Self {
        // The templates are constants; an invalid one leaves the default style.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Shows the current work.
    pub(super) fn at(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// Adds finished rows.
    pub(super) fn add(&self, rows: u64) {
        self.bar.inc(rows);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
