//! A model's failure, and what to do about it.

use std::time::Duration;

/// What the caller can do about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// The provider is busy, slow or gone: the same call may work later.
    RetryLater {
        /// How long the provider asked to be left alone.
        after: Option<Duration>,
    },
    /// The call itself is refused: a wrong key, an unknown model, a prompt that is too long.
    DoNotRetry,
    /// An answer came and cannot be used: cut off, of another shape, of another dimension.
    Unreadable,
}

/// A model did not give what was asked for.
///
/// The message is for the person who runs the server. It names the provider and never holds a key.
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
    /// What happened, in words a person can act on.
    pub message: String,
}

impl ModelError {
    /// The same call may work later.
    pub fn retry_later(message: impl Into<String>, after: Option<Duration>) -> Self {
        Self { remedy: Remedy::RetryLater { after }, message: message.into() }
    }

    /// The call will be refused every time.
    pub fn do_not_retry(message: impl Into<String>) -> Self {
        Self { remedy: Remedy::DoNotRetry, message: message.into() }
    }

    /// The answer cannot be used.
    pub fn unreadable(message: impl Into<String>) -> Self {
        Self { remedy: Remedy::Unreadable, message: message.into() }
    }
}
