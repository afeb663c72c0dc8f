//! What can go wrong, by what a caller can do about it.

use std::fmt;
use std::time::Duration;

use reflect_types::TraceId;

/// What can go wrong.
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
    /// The client was set up in a way that cannot work, such as without a key.
    #[error("{message}. {hint}")]
    Configuration {
        /// What is wrong.
        message: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// The server could not be reached, or the connection broke.
    #[error("{call}: cannot reach {base_url} ({reason}). {hint}")]
    Connection {
        /// The method that was called.
        call: &'static str,
        /// Where the server should be.
        base_url: String,
        /// What the network said.
        reason: String,
        /// What to do about it.
        hint: &'static str,
    },
    /// The server did not answer in time.
    #[error("{call}: no answer from {base_url} in time ({reason}). {}", Error::SLOW)]
    Timeout {
        /// The method that was called.
        call: &'static str,
        /// Where the server should be.
        base_url: String,
        /// What the network said.
        reason: String,
    },
    /// The server answered with an error.
    #[error(transparent)]
    Status(#[from] Box<StatusError>),
    /// The server answered with something that this client cannot read, most likely because it is older.
    #[error("{call}: the answer cannot be read: {reason}")]
    Unreadable {
        /// The method that was called.
        call: &'static str,
        /// What is wrong with it.
        reason: String,
        /// Finds the request in the server's log.
        request_id: Option<String>,
    },
    /// The review of a trace could not be learned from.
    #[error("the review of trace {trace_id} could not be learned from: {reason}")]
    IngestFailed {
        /// The trace.
        trace_id: TraceId,
        /// The server's reason.
        reason: String,
    },
    /// The trace was not done before the time was over. The server goes on with it.
    #[error("trace {trace_id} was not done after {} s: {last}", waited.as_secs_f64())]
    WaitTimeout {
        /// The trace.
        trace_id: TraceId,
        /// How long was waited.
        waited: Duration,
        /// What was seen last.
        last: String,
    },
}

/// An answer of 300 and above.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StatusError {
    /// The method that was called.
    pub call: &'static str,
    /// The status of HTTP.
    pub status: u16,
    /// The server's own word for it, to branch on; None when the answer is not one of a Reflect server.
    pub code: Option<String>,
    /// A sentence for a person; it may change.
    pub message: String,
    /// Finds the request in the server's log.
    pub request_id: Option<String>,
    /// How long the server asks to be left alone.
    pub retry_after: Option<Duration>,
    /// What to do about it, where that is known.
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

    /// The answer's status, if there was an answer.
    pub fn status(&self) -> Option<u16> {
        self.refusal().map(|refusal| refusal.status)
    }

    /// The server's word for what went wrong; `docs/API.md` lists them.
    pub fn code(&self) -> Option<&str> {
        self.refusal()?.code.as_deref()
    }

    /// Finds the request in the server's log.
    pub fn request_id(&self) -> Option<&str> {
        match self {
            Self::Unreadable { request_id, .. } => request_id.as_deref(),
            _ => self.refusal()?.request_id.as_deref(),
        }
    }

    /// How long the server asks to be left alone.
    pub fn retry_after(&self) -> Option<Duration> {
        self.refusal()?.retry_after
    }

    /// What to do about it, where that is known.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Configuration { hint, .. } | Self::Connection { hint, .. } => Some(hint),
            Self::Timeout { .. } => Some(Self::SLOW),
            _ => self.refusal()?.hint,
        }
    }

    /// Whether the same call may well succeed later, without anybody mending anything on this side.
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
