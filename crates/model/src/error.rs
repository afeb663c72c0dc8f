//! Errors of models, and what the caller can do about them.

use std::time::Duration;

/// What the caller can do about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The provider is overloaded, slow or not reachable. The same call may succeed later.
    RetryLater {
        /// How long to wait before the next call, if the provider says so.
        after: Option<Duration>,
    },
    /// The provider rejects the call: wrong key, unknown model, or a prompt that is too long.
    DoNotRetry,
    /// The response cannot be used: it is truncated, or has an unexpected shape or dimension.
    Unreadable,
}

/// A call to a model failed.
///
/// The message is for the operator of the server. It names the provider and never contains a key.
///
/// ```
/// use reflect_model::{ModelError, Remedy};
/// let busy = ModelError::retry_later("the model server is busy (429)", None);
/// assert_eq!(busy.remedy, Remedy::RetryLater { after: None });
/// ```
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    /// What can be done about it.
    pub remedy: Remedy,
    /// What happened, and what a person can do about it.
    pub message: String,
}

impl ModelError {
    /// The same call may succeed later.
    pub fn retry_later(message: impl Into<String>, after: Option<Duration>) -> Self {
        Self { remedy: Remedy::RetryLater { after }, message: message.into() }
    }

    /// The same call will always be rejected.
    pub fn do_not_retry(message: impl Into<String>) -> Self {
        Self { remedy: Remedy::DoNotRetry, message: message.into() }
    }

    /// The response cannot be used.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self { remedy: Remedy::Unreadable, message: message.into() }
    }
}
