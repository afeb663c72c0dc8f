//! Errors, by what the caller can do about them.

use std::fmt;
use std::time::Duration;

use reflect_types::TraceId;

/// The errors of the client.
///
/// ```
/// use reflect_sdk::{Error, ReflectClient};
///
/// let error = ReflectClient::builder().base_url("localhost").api_key("rf_test_1").build().unwrap_err();
/// assert!(matches!(error, Error::Configuration { .. }));
/// assert_eq!(error.hint(), Some("It looks like http://localhost:8000."));
/// ```
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The configuration of the client is invalid, for instance without a key.
    #[error("{message}. {hint}")]
    Configuration {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// The server cannot be reached, or the connection failed.
    #[error("{call}: cannot reach {base_url} ({reason}). {hint}")]
    Connection {
        /// The method that was called.
        call: &'static str,
        /// The base URL of the server.
        base_url: String,
        /// The network error.
        reason: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// The server did not respond in time.
    #[error("{call}: no response from {base_url} in time ({reason}). {}", Error::SLOW)]
    Timeout {
        /// The method that was called.
        call: &'static str,
        /// The base URL of the server.
        base_url: String,
        /// The network error.
        reason: String,
    },
    /// The server responded with an error.
    #[error(transparent)]
    Status(#[from] Box<StatusError>),
    /// The client cannot parse the response, probably because the client is older than the server.
    #[error("{call}: the response cannot be parsed: {reason}")]
    Unreadable {
        /// The method that was called.
        call: &'static str,
        /// What is wrong.
        reason: String,
        /// The id of the request in the log of the server.
        request_id: Option<String>,
    },
    /// Learning from the review of a trace failed.
    #[error("learning from the review of trace {trace_id} failed: {reason}")]
    IngestFailed {
        /// The trace.
        trace_id: TraceId,
        /// The server's reason.
        reason: String,
    },
    /// The trace was not processed within the timeout. The server continues with it.
    #[error("trace {trace_id} was not processed within {} s: {last}", waited.as_secs_f64())]
    WaitTimeout {
        /// The trace.
        trace_id: TraceId,
        /// The time waited.
        waited: Duration,
        /// The last state.
        last: String,
    },
}

/// A response with status 300 or above.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StatusError {
    /// The method that was called.
    pub call: &'static str,
    /// The HTTP status.
    pub status: u16,
    /// The error code, stable for programs. `None` if the response does not come from a Reflect server.
    pub code: Option<String>,
    /// A message for people. It may change.
    pub message: String,
    /// The id of the request in the log of the server.
    pub request_id: Option<String>,
    /// The wait that the server requests before a retry.
    pub retry_after: Option<Duration>,
    /// What to do about it, if known.
    pub hint: Option<&'static str>,
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} {}", self.call, self.status, self.message)?;
        if let Some(code) = &self.code {
            write!(f, " [{code}]")?;
        }
        if let Some(hint) = self.hint {
            write!(f, ". {hint}")?;
        }
        if let Some(id) = &self.request_id {
            write!(f, " (request id {id})")?;
        }
        Ok(())
    }
}

impl std::error::Error for StatusError {}

impl Error {
    const SLOW: &'static str = "Is the server overloaded, or the timeout too short?";

    pub(crate) fn configuration(message: impl Into<String>, hint: &'static str) -> Self {
        Self::Configuration { message: message.into(), hint }
    }

    /// The HTTP status, if there was a response.
    pub fn status(&self) -> Option<u16> {
        self.refusal().map(|refusal| refusal.status)
    }

    /// The error code of the server. `docs/API.md` lists the codes.
    pub fn code(&self) -> Option<&str> {
        self.refusal()?.code.as_deref()
    }

    /// The id of the request in the log of the server.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Unreadable { request_id, .. } => request_id.as_deref(),
            _ => self.refusal()?.request_id.as_deref(),
        }
    }

    /// The wait that the server requests before a retry.
    pub fn retry_after(&self) -> Option<Duration> {
        self.refusal()?.retry_after
    }

    /// What to do about it, if known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Configuration { hint, .. } | Self::Connection { hint, .. } => Some(hint),
            Self::Timeout { .. } => Some(Self::SLOW),
            _ => self.refusal()?.hint,
        }
    }

    /// Whether a retry of the same call can succeed later without a change by the caller.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Connection { .. } | Self::Timeout { .. } | Self::WaitTimeout { .. } => true,
            Self::Status(refusal) => refusal.status >= 500 || matches!(refusal.status, 408 | 425 | 429),
            _ => false,
        }
    }

    fn refusal(&self) -> Option<&StatusError> {
        match self {
            Self::Status(refusal) => Some(refusal),
            _ => None,
        }
    }
}
