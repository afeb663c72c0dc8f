//! How far it has come, for people at a terminal. Anywhere else nothing is shown.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar, or, where nobody knows how much there is, a counter.
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// Of something whose end is known, in rows.
    pub(super) fn of(rows: u64) -> Self {
        Self::styled(
            ProgressBar::new(rows),
            "{msg:<22} {wide_bar} {human_pos}/{human_len} rows, {per_sec}, {eta} left",
        )
    }

    /// Of something whose end is not known.
    pub(super) fn counting() -> Self {
        Self::styled(ProgressBar::no_length(), "{spinner} {msg:<22} {human_pos} rows, {per_sec}")
    }

    fn styled(bar: ProgressBar, template: &str) -> Self {
        // A template is a constant of this file: one that cannot be read leaves the usual style.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar }
    }

    /// Says what is being done.
    pub(super) fn at(&self, what: &str) {
        self.bar.set_message(what.to_owned());
    }

    /// So many rows more.
    pub(super) fn add(&self, rows: u64) {
        self.bar.inc(rows);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
