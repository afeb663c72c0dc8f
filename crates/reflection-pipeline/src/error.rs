//! Why there is no reflection, by meaning.

use reflect_model::{ModelError, Remedy, Usage};

use crate::PanelFailure;

/// A word that is none of the known ones.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{word}\"")]
pub struct UnknownWord {
    what: &'static str,
    word: String,
}

impl UnknownWord {
    pub(crate) fn new(what: &'static str, word: &str) -> Self {
        // A hostile word must not fill an error message.
        Self { what, word: word.chars().take(40).collect() }
    }
}

/// Why there is no reflection.
///
/// An answer in the wrong shape is not among the reasons: it becomes a reflection with
/// [`Parse::Fallback`](crate::Parse::Fallback).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectionError {
    /// The model did not answer.
    #[error("the model of {reflector} did not answer")]
    Model {
        /// Whose model it was.
        reflector: String,
        /// What happened, and what to do about it.
        source: ModelError,
        /// What was paid for before.
        usage: Usage,
    },
    /// Level meta looks at earlier reflections.
    #[error("{reflector} reflects at level meta, which needs earlier reflections, and none were given")]
    NothingEarlier {
        /// Who was asked.
        reflector: String,
    },
    /// Every member of the panel is for another outcome.
    #[error("nobody on the panel {panel} reflects on such an outcome")]
    NobodyAsked {
        /// The panel's name.
        panel: String,
    },
    /// Nobody on the panel had a result.
    #[error("every reflector of the panel {panel} failed: {}", listed(.failures))]
    PanelFailed {
        /// The panel's name.
        panel: String,
        /// Who failed, and why.
        failures: Vec<PanelFailure>,
    },
    /// Whatever a reflector of one's own failed with.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

impl ReflectionError {
    /// What can be done about it.
    ///
    /// ```
    /// use reflect_model::Remedy;
    /// use reflection_pipeline::ReflectionError;
    ///
    /// let error = ReflectionError::Other("the rules file is missing".into());
    /// assert_eq!(error.remedy(), Remedy::DoNotRetry);
    /// ```
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Model { source, .. } => source.remedy,
            Self::PanelFailed { failures, .. } => {
                let remedies = failures.iter().map(|failure| failure.error.remedy());
                remedies.reduce(more_hopeful).unwrap_or(Remedy::DoNotRetry)
            }
            Self::Other(error) => {
                error.downcast_ref().map_or(Remedy::DoNotRetry, |error: &ModelError| error.remedy)
            }
            Self::NothingEarlier { .. } | Self::NobodyAsked { .. } => Remedy::DoNotRetry,
        }
    }

    /// What was paid for nevertheless.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Model { usage, .. } => *usage,
            Self::PanelFailed { failures, .. } => total(failures.iter().map(|failure| failure.error.usage())),
            _ => Usage::default(),
        }
    }
}

/// All of it together.
pub(crate) fn total(usages: impl Iterator<Item = Usage>) -> Usage {
    usages.fold(Usage::default(), |mut sum, usage| {
        sum += usage;
        sum
    })
}

/// Waiting helps the whole panel if it helps one member.
fn more_hopeful(one: Remedy, other: Remedy) -> Remedy {
    match (one, other) {
        (Remedy::RetryLater { after: a }, Remedy::RetryLater { after: b }) => {
            Remedy::RetryLater { after: a.max(b) }
        }
        (waiting @ Remedy::RetryLater { .. }, _) | (_, waiting @ Remedy::RetryLater { .. }) => waiting,
        (Remedy::Unreadable, _) | (_, Remedy::Unreadable) => Remedy::Unreadable,
        (Remedy::DoNotRetry, Remedy::DoNotRetry) => Remedy::DoNotRetry,
    }
}

fn listed(failures: &[PanelFailure]) -> String {
    failures.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// An error with its causes on one line.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
