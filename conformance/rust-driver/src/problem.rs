//! Errors in a form that fits into a line.

use reflect_sdk::Error;
use serde::Serialize;

/// An error.
#[derive(Debug, Serialize)]
pub(crate) struct Problem {
    /// The kind of the SDK's error; `unsayable` if a type of the SDK does not accept a value; `protocol` if the line is
    /// invalid.
    kind: &'static str,
    message: String,
    status: Option<u16>,
    code: Option<String>,
    /// The message of the server or the network, if there is one.
    reason: Option<String>,
}

impl Problem {
    /// A type of the SDK does not accept the value: a program with it would not compile, or its conversion would fail.
    /// Nothing was sent.
    pub(crate) fn unsayable(what: &str, value: impl std::fmt::Debug, why: impl std::fmt::Display) -> Self {
        Self::of("unsayable", format!("no {what}: {value:?} ({why})"))
    }

    /// The line is invalid, which is a bug in the harness.
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
