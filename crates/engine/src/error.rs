//! The errors of the engine.

use reflect_store::StoreError;

use crate::feedback_tokens::FeedbackTokenError;

/// Why the engine did not do what the caller asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// A value in the request is not valid.
    #[error("{field} {problem}")]
    Invalid {
        /// The field.
        field: &'static str,
        /// The problem, as the rest of a sentence that starts with the field.
        problem: String,
    },
    /// A field contains personal data, and the project accepts none. The message names the class, not the value.
    #[error("{field} holds personal data ({class}), which this project does not accept")]
    PersonalData {
        /// The field.
        field: &'static str,
        /// The class of personal data.
        class: reflect_redaction::Class,
    },
    /// The caller is not allowed to do this.
    #[error("{0}")]
    Forbidden(String),
    /// The bootstrap token is wrong or not configured.
    #[error("the bootstrap token is not accepted")]
    WrongBootstrapToken,
    /// The feedback token is not accepted.
    #[error(transparent)]
    FeedbackToken(FeedbackTokenError),
    /// A precondition is not met yet.
    #[error("{0}")]
    NotReady(String),
    /// A model failed.
    #[error(transparent)]
    Model(reflect_model::ModelError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<FeedbackTokenError> for EngineError {
    fn from(error: FeedbackTokenError) -> Self {
        match error {
            FeedbackTokenError::Store(error) => Self::Store(error),
            refused => Self::FeedbackToken(refused),
        }
    }
}

impl EngineError {
    pub(crate) fn invalid(field: &'static str, problem: impl ToString) -> Self {
        Self::Invalid { field, problem: problem.to_string() }
    }
}

/// An error with all its causes on one line, for the log.
///
/// ```
/// let error = std::io::Error::other("disk full");
/// assert_eq!(reflect_engine::chain(&error), "disk full");
/// ```
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        source = cause.source();
    }
    text
}
