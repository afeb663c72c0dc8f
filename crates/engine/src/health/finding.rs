//! The result of a check.

use reflect_types::HealthLevel;
use serde_json::Value;

/// A share of fewer items says nothing.
pub const FEW: i64 = 20;

/// The result of one check.
#[derive(Debug, Clone, PartialEq)]
pub struct Finding {
    /// The name of the check, for programs.
    pub check: &'static str,
    /// The severity.
    pub level: HealthLevel,
    /// The result as a sentence, with its numbers.
    pub message: String,
    /// What to do; `None` if there is nothing to do.
    pub fix: Option<String>,
    /// The numbers, for programs.
    pub numbers: Value,
}

impl Finding {
    pub(super) fn ok(check: &'static str, message: String, numbers: Value) -> Self {
        Self { check, level: HealthLevel::Ok, message, fix: None, numbers }
    }

    pub(super) fn unknown(check: &'static str, message: String, numbers: Value) -> Self {
        Self { check, level: HealthLevel::Unknown, message, fix: None, numbers }
    }

    /// There is too little data for a result.
    pub(super) fn too_few(check: &'static str, count: i64, of_what: &str, numbers: Value) -> Self {
        Self::unknown(check, format!("Too few to tell: {count} {of_what}, and it takes {FEW}."), numbers)
    }

    pub(super) fn trouble(
        check: &'static str,
        level: HealthLevel,
        message: String,
        fix: impl Into<String>,
        numbers: Value,
    ) -> Self {
        Self { check, level, message, fix: Some(fix.into()), numbers }
    }
}

/// A part as a share of the whole; 0 if the whole is 0.
pub(super) fn share(part: i64, whole: i64) -> f64 {
    if whole > 0 { part as f64 / whole as f64 } else { 0.0 }
}

/// A share as text. A share above 0 is never shown as 0 %, and a share below 1 never as 100 %.
pub(super) fn percent(part: i64, whole: i64) -> String {
    match 100.0 * share(part, whole) {
        some if some > 0.0 && some < 1.0 => "less than 1 %".to_owned(),
        most if most > 99.0 && most < 100.0 => "more than 99 %".to_owned(),
        other => format!("{other:.0} %"),
    }
}
