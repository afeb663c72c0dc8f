//! What went wrong, as a line can say it.

use reflect_sdk::Error;
use serde::Serialize;

/// Why there is no value.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    /// The kind of error of the SDK; or `unsayable`, when one of its types does not take a value; or `protocol`, when
    /// the line makes no sense.
    kind: &'static str,
    message: String,
    status: Option<u16>,
    code: Option<String>,
    /// Of an error that has one: the server's or the network's own words.
    reason: Option<String>,
}

impl Problem {
    /// A type of the SDK has no such value, so that a program which says it would not even be built, or stop at its
    /// own conversion. Nothing was sent.
    pub(crate) fn unsayable(what: &str, value: impl std::fmt::Debug, why: impl std::fmt::Display) -> Self {
        Self::of("unsayable", format!("no {what}: {value:?} ({why})"))
    }

    /// The line makes no sense, which is a mistake of the harness.
    pub(crate) fn protocol(message: impl std::fmt::Display) -> Self {
        Self::of("protocol", message.to_string())
    }

    fn of(kind: &'static str, message: String) -> Self {
        Self { kind, message, status: None, code: None, reason: None }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let kind = match &error {
            Error::Configuration { .. } => "configuration",
            Error::Connection { .. } => "connection",
            Error::Timeout { .. } => "timeout",
            Error::Status(_) => "status",
            Error::Unreadable { .. } => "unreadable",
            Error::IngestFailed { .. } => "ingest_failed",
            Error::WaitTimeout { .. } => "wait_timeout",
            _ => "other",
        };
        let reason = match &error {
            Error::Connection { reason, .. }
            | Error::Timeout { reason, .. }
            | Error::Unreadable { reason, .. }
            | Error::IngestFailed { reason, .. } => Some(reason.clone()),
            _ => None,
        };
        let (status, code) = (error.status(), error.code().map(str::to_owned));
        Self { kind, message: error.to_string(), status, code, reason }
    }
}
