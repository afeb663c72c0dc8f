//! Why the engine did not do as asked, by meaning.

use reflect_store::StoreError;

/// Why the engine did not do as asked.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// Something that was sent cannot be taken.
    #[error("{field} {problem}")]
    Invalid {
        /// Which part of it.
        field: &'static str,
        /// What is wrong with it, as the rest of a sentence.
        problem: String,
    },
    /// What was sent holds personal data, and the project takes none. Says where and of which kind, not what.
    #[error("{field} holds personal data ({class}), which this project does not take")]
    PersonalData {
        /// Which part of it.
        field: &'static str,
        /// Of which kind.
        class: reflect_redaction::Class,
    },
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The bootstrap token is wrong, or there is none.
    #[error("the bootstrap token is not accepted")]
    WrongBootstrapToken,
    /// What it would take is not there yet.
    #[error("{0}")]
    NotReady(String),
    /// A model did not do as asked.
    #[error(transparent)]
    Model(reflect_model::ModelError),
    /// The store did not do as asked.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl EngineError {
    pub(crate) fn invalid(field: &'static str, problem: impl ToString) -> Self {
        Self::Invalid { field, problem: problem.to_string() }
    }
}

/// An error with all its causes on one line, for the one place where it is logged.
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
