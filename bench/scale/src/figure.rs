//! Figures with their targets, and the last line of the run.

use std::fmt;

/// How a figure compares with its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Within its target.
    Ok,
    /// Not within its target.
    Over,
    /// It has no target.
    Info,
    /// It could not be measured here, for a reason that has nothing to do with the product.
    Skipped,
    /// Measuring it failed.
    Failed,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Ok => "ok",
            Self::Over => "over",
            Self::Info => "",
            Self::Skipped => "skipped",
            Self::Failed => "failed",
        })
    }
}

/// One figure of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Figure {
    name: String,
    measured: String,
    target: String,
    pub(crate) verdict: Verdict,
}

impl Figure {
    /// A figure that must not exceed a limit. `unit` follows the number, for example ` ms`.
    pub(crate) fn at_most(name: impl Into<String>, value: f64, limit: f64, unit: &str) -> Self {
        Self::judged(name.into(), value, "<=", limit, unit, value <= limit)
    }

    /// A figure that must reach a limit.
    pub(crate) fn at_least(name: impl Into<String>, value: f64, limit: f64, unit: &str) -> Self {
        Self::judged(name.into(), value, ">=", limit, unit, value >= limit)
    }

    /// A figure that is not a number, for example a list of steps.
    pub(crate) fn stated(
        name: impl Into<String>,
        measured: impl Into<String>,
        target: &str,
        is_ok: bool,
    ) -> Self {
        let verdict = if is_ok { Verdict::Ok } else { Verdict::Over };
        Self { name: name.into(), measured: measured.into(), target: target.to_owned(), verdict }
    }

    /// A figure without a target.
    pub(crate) fn info(name: impl Into<String>, measured: impl Into<String>) -> Self {
        let (name, measured) = (name.into(), measured.into());
        Self { name, measured, target: String::new(), verdict: Verdict::Info }
    }

    /// A row that cannot be measured here.
    pub(crate) fn skipped(reason: impl Into<String>) -> Self {
        let measured = reason.into();
        Self { name: "not measured".to_owned(), measured, target: String::new(), verdict: Verdict::Skipped }
    }

    /// A row that failed.
    pub(crate) fn failed(error: &anyhow::Error) -> Self {
        let measured = format!("{error:#}").replace('\n', " ");
        Self { name: "not measured".to_owned(), measured, target: String::new(), verdict: Verdict::Failed }
    }

    fn judged(name: String, value: f64, comparison: &str, limit: f64, unit: &str, is_ok: bool) -> Self {
        let (measured, target) =
            (format!("{}{unit}", number(value)), format!("{comparison} {}{unit}", number(limit)));
        Self { name, measured, target, verdict: if is_ok { Verdict::Ok } else { Verdict::Over } }
    }

    /// A line of the table.
    pub(crate) fn line(&self, row: &str) -> String {
        let Self { name, measured, target, verdict } = self;
        let line = format!("{row:<16} {name:<58} {measured:<28} {target:<16} {verdict}");
        line.trim_end().to_owned()
    }
}

/// A number with as many digits as are significant here.
pub(crate) fn number(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => format!("{value}"),
        size if size >= 100.0 || size == 0.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// The figures of a row, and its part of the last line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    pub(crate) figures: Vec<Figure>,
    pub(crate) headline: Headline,
}

/// The last line. A part that was not measured is shown as `-`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Headline {
    /// Claims per second, and the number of projects.
    pub(crate) claims: Option<(f64, i32)>,
    /// Milliseconds of CPU per query, recall, and the number of memories.
    pub(crate) query: Option<(f64, f64, usize)>,
    /// The 99th percentile of the wait of a quiet project's job beside a backlog, divided by that alone.
    pub(crate) fair: Option<f64>,
    /// Answered requests at three times the capacity, divided by the capacity.
    pub(crate) goodput: Option<f64>,
}

impl Headline {
    /// Adds what a later row has measured.
    pub(crate) fn merge(&mut self, later: Self) {
        self.claims = later.claims.or(self.claims);
        // The largest size is the one to report.
        self.query = match (self.query, later.query) {
            (Some(known), Some(new)) if new.2 < known.2 => Some(known),
            (known, new) => new.or(known),
        };
        self.fair = later.fair.or(self.fair);
        self.goodput = later.goodput.or(self.goodput);
    }
}

impl fmt::Display for Headline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |value: Option<f64>| value.map_or("-".to_owned(), number);
        let (claims, projects) = (self.claims.map(|claims| claims.0), self.claims.map(|claims| claims.1));
        let (cpu, recall) = (self.query.map(|query| query.0), self.query.map(|query| query.1));
        let memories = match self.query.map(|query| query.2) {
            None | Some(1_000_000) => "1M".to_owned(),
            Some(other) => other.to_string(),
        };
        write!(
            f,
            "scale: claims {}/s at {} projects, query {} ms CPU at {memories} recall {}, fair {}, goodput {}",
            shown(claims),
            projects.unwrap_or(100_000),
            shown(cpu),
            shown(recall),
            shown(self.fair),
            shown(self.goodput),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_compared_with_its_target() {
        assert_eq!(Figure::at_most("a", 1.5, 1.5, "").verdict, Verdict::Ok);
        assert_eq!(Figure::at_most("a", 1.51, 1.5, "").verdict, Verdict::Over);
        assert_eq!(Figure::at_least("a", 0.8, 0.8, "").verdict, Verdict::Ok);
        assert_eq!(Figure::at_least("a", f64::NAN, 0.8, "").verdict, Verdict::Over);
    }

    #[test]
    fn a_line_has_row_name_measured_value_target_and_verdict() {
        let line = Figure::at_most("lock held", 1_024.4, 100.0, " ms").line("ledger");

        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words, ["ledger", "lock", "held", "1024", "ms", "<=", "100", "ms", "over"]);
    }

    #[test]
    fn the_last_line_reports_the_largest_size_and_marks_what_is_missing() {
        let mut headline = Headline::default();
        assert_eq!(
            headline.to_string(),
            "scale: claims -/s at 100000 projects, query - ms CPU at 1M recall -, fair -, goodput -"
        );

        headline.merge(Headline { query: Some((9.5, 0.984, 1_000_000)), ..Headline::default() });
        headline.merge(Headline { query: Some((4.0, 1.0, 10_000)), ..Headline::default() });
        headline.merge(Headline { claims: Some((1_204.0, 100_000)), fair: Some(1.2), ..Headline::default() });
        headline.merge(Headline { goodput: Some(0.93), ..Headline::default() });

        assert_eq!(
            headline.to_string(),
            "scale: claims 1204/s at 100000 projects, query 9.50 ms CPU at 1M recall 0.984, fair 1.20, goodput 0.930"
        );
    }
}
