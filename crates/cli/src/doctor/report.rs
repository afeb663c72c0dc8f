//! The report of the doctor: checks in sections, as text and as JSON (`doctor/1`).

use serde::Serialize;
use serde_json::Value;

use crate::output::hanging;

/// The part of the installation that a check covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Section {
    /// Server, key and project.
    Connection,
    /// Database, queue and models.
    Pipeline,
    /// The learning loop.
    Loop,
}

impl Section {
    const ALL: [Self; 3] = [Self::Connection, Self::Pipeline, Self::Loop];

    const fn title(self) -> &'static str {
        match self {
            Self::Connection => "Connection",
            Self::Pipeline => "Pipeline",
            Self::Loop => "Loop",
        }
    }
}

/// The severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Level {
    Ok,
    /// The check could not run, or there is too little data.
    Skip,
    Warn,
    Fail,
}

/// The result of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Check {
    pub(crate) section: Section,
    pub(crate) check: String,
    pub(crate) level: Level,
    pub(crate) message: String,
    pub(crate) fix: Option<String>,
    /// Measured values by name.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub(crate) numbers: Value,
}

impl Check {
    pub(crate) fn new(section: Section, check: &str, level: Level, message: impl Into<String>) -> Self {
        Self {
            section,
            check: check.to_owned(),
            level,
            message: message.into(),
            fix: None,
            numbers: Value::Null,
        }
    }

    /// Adds a fix.
    #[must_use]
    pub(crate) fn fix(mut self, fix: impl Into<String>) -> Self {
        self.fix = Some(fix.into());
        self
    }
}

/// All results.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Report {
    pub(crate) base_url: String,
    pub(crate) project: String,
    pub(crate) failed: usize,
    pub(crate) warnings: usize,
    pub(crate) checks: Vec<Check>,
}

impl Report {
    pub(crate) fn new(base_url: String, project: String, checks: Vec<Check>) -> Self {
        let count = |level| checks.iter().filter(|check| check.level == level).count();
        Self { base_url, project, failed: count(Level::Fail), warnings: count(Level::Warn), checks }
    }

    /// Whether a check found a problem.
    pub(crate) fn is_broken(&self, name: &str) -> bool {
        let is_bad = |check: &Check| matches!(check.level, Level::Warn | Level::Fail);
        self.checks.iter().any(|check| check.check == name && is_bad(check))
    }

    /// The report as text, with each fix below its check.
    pub(crate) fn text(&self, colour: bool, width: Option<u16>) -> String {
        let mut lines = Vec::new();
        for section in Section::ALL {
            let checks: Vec<&Check> = self.checks.iter().filter(|check| check.section == section).collect();
            if checks.is_empty() {
                continue;
            }
            lines.push(format!("  {}", section.title()));
            for check in checks {
                let before = format!("    {}  {:<22} ", mark(check.level, colour), check.check);
                lines.push(hanging(&before, &check.message, 33, width));
                if let Some(fix) = &check.fix {
                    lines.push(hanging("          fix: ", fix, 15, width));
                }
            }
        }
        lines.push(format!("  {}", self.conclusion()));
        lines.join("\n")
    }

    pub(crate) fn conclusion(&self) -> String {
        let warnings = match self.warnings {
            1 => "1 warning".to_owned(),
            many => format!("{many} warnings"),
        };
        match (self.failed, self.warnings) {
            (0, 0) => "No problems found.".to_owned(),
            (0, _) => warnings,
            (failed, _) => format!("{failed} failed, {warnings}"),
        }
    }
}

fn mark(level: Level, colour: bool) -> String {
    use owo_colors::OwoColorize;
    let word = match level {
        Level::Ok => "ok  ",
        Level::Skip => "skip",
        Level::Warn => "warn",
        Level::Fail => "FAIL",
    };
    match level {
        _ if !colour => word.to_owned(),
        Level::Ok => word.green().to_string(),
        Level::Skip => word.dimmed().to_string(),
        Level::Warn => word.yellow().to_string(),
        Level::Fail => word.red().bold().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_in_order_with_each_fix_below_its_check() {
        let checks = vec![
            Check::new(Section::Loop, "nobody_reviews", Level::Fail, "212 of 240 wait").fix("reflect review"),
            Check::new(Section::Connection, "server", Level::Ok, "0.1.0 \u{1b}[2Jhere"),
            Check::new(Section::Loop, "duplicates", Level::Warn, "many").fix("merge"),
        ];

        let report = Report::new("http://a".to_owned(), "p".to_owned(), checks);

        assert_eq!((report.failed, report.warnings), (1, 1));
        assert_eq!(
            report.text(false, None),
            "  Connection\n    ok    server                 0.1.0 [2Jhere\n  Loop\n    FAIL  nobody_reviews         \
             212 of 240 wait\n          fix: reflect review\n    warn  duplicates             many\n          \
             fix: merge\n  1 failed, 1 warning"
        );
    }

    #[test]
    fn report_as_text() {
        let checks = vec![
            Check::new(Section::Connection, "server", Level::Ok, "0.1.0 at http://127.0.0.1:8000 (2 ms)"),
            Check::new(
                Section::Connection,
                "spool",
                Level::Warn,
                "3 unsent runs of ended processes are stored",
            )
            .fix("run `reflect spool replay`"),
            Check::new(Section::Pipeline, "database", Level::Ok, "responds, and all migrations are applied"),
            Check::new(
                Section::Pipeline,
                "queue",
                Level::Skip,
                "/metrics does not contain the number of jobs",
            ),
            Check::new(
                Section::Loop,
                "vague_feedback",
                Level::Fail,
                "45 of 80 reviews have no feedback that a lesson could use",
            )
            .fix("write what was wrong and what would have been right"),
        ];
        let report = Report::new("http://127.0.0.1:8000".into(), "p".into(), checks);

        insta::assert_snapshot!("doctor_in_a_pipe", report.text(false, None));
        insta::assert_snapshot!("doctor_on_a_terminal", report.text(false, Some(60)));
    }
}
