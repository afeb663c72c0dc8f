//! What a check says.

use serde_json::Value;

use super::FEW;

/// How bad it is, from good to bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// As it should be.
    Ok,
    /// Too little has happened to tell.
    Unknown,
    /// The loop works worse than it could.
    Warning,
    /// The loop is open: something is not learned or not used.
    Failing,
}

/// What one check says.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The check, by the name that programs know it by.
    pub check: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What is the case, in words, with its numbers.
    pub message: String,
    /// What to do about it; none where there is nothing to do.
    pub fix: Option<String>,
    /// The numbers again, for programs.
    pub numbers: Value,
}

impl Finding {
    pub(super) fn ok(check: &'static str, message: String, numbers: Value) -> Self {
        Self { check, level: Level::Ok, message, fix: None, numbers }
    }

    pub(super) fn unknown(check: &'static str, message: String, numbers: Value) -> Self {
        Self { check, level: Level::Unknown, message, fix: None, numbers }
    }

    /// There are not enough of something to tell.
    pub(super) fn too_few(check: &'static str, count: i64, of_what: &str, numbers: Value) -> Self {
        Self::unknown(check, format!("Too few to tell: {count} {of_what}, and it takes {FEW}."), numbers)
    }

    pub(super) fn trouble(
        check: &'static str,
        level: Level,
        message: String,
        fix: impl Into<String>,
        numbers: Value,
    ) -> Self {
        Self { check, level, message, fix: Some(fix.into()), numbers }
    }
}

/// How much of the whole a part is; nothing of nothing.
pub(super) fn share(part: i64, whole: i64) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

/// A share in words. More than nothing never reads as nothing, nor less than all as all.
pub(super) fn percent(part: i64, whole: i64) -> String {
    match 100.0 * share(part, whole) {
        some if some > 0.0 && some < 1.0 => "less than 1 %".to_owned(),
        most if most > 99.0 && most < 100.0 => "more than 99 %".to_owned(),
        other => format!("{other:.0} %"),
    }
}
