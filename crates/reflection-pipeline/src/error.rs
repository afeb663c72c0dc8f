//! Errors of a reflection.

use std::fmt;

use reflect_model::{ModelError, Remedy, Usage};

/// An unknown name of a level or a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{word}\"")]
pub struct UnknownName {
    what: &'static str,
    word: String,
}

impl UnknownName {
    pub(crate) fn new(what: &'static str, word: &str) -> Self {
        // Limits the size of the error message.
        Self { what, word: word.chars().take(40).collect() }
    }
}

/// A failed reflection.
///
/// An answer that does not match the schema is not an error: it becomes a reflection with
/// [`Parse::Fallback`](crate::Parse::Fallback).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReflectionError {
    /// The model did not answer.
    #[error("the model of {reflector} did not answer")]
    Model {
        /// The name of the reflector.
        reflector: String,
        /// The error, with its remedy.
        source: ModelError,
        /// The token usage before the error.
        usage: Usage,
    },
    /// Level meta needs earlier reflections.
    #[error("{reflector} reflects at level meta, which needs earlier reflections, and none were given")]
    NothingEarlier {
        /// The reflector.
        reflector: String,
    },
    /// No member of the panel reflects on this outcome.
    #[error("no reflector of the panel {panel} is for this outcome; add one or widen on_failure")]
    NoMatchingReflector {
        /// The panel's name.
        panel: String,
    },
    /// Every reflector of the panel failed.
    #[error("every reflector of the panel {panel} failed: {}", listed(.failures))]
    PanelFailed {
        /// The panel's name.
        panel: String,
        /// The failed reflectors and their errors.
        failures: Vec<PanelFailure>,
    },
    /// An error of a custom reflector.
    #[error(transparent)]
    Other(#[from] Box<dyn std::error::Error + Send + Sync>),
}

/// A reflector of a panel that failed.
#[derive(Debug)]
pub struct PanelFailure {
    /// Its name.
    pub reflector: String,
    /// Its error.
    pub error: ReflectionError,
}

impl fmt::Display for PanelFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reflector, chain(&self.error))
    }
}

impl ReflectionError {
    /// Whether a retry can help.
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
            Self::NothingEarlier { .. } | Self::NoMatchingReflector { .. } => Remedy::DoNotRetry,
        }
    }

    /// The token usage before the error.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Model { usage, .. } => *usage,
            Self::PanelFailed { failures, .. } => total(failures.iter().map(|failure| failure.error.usage())),
            _ => Usage::default(),
        }
    }
}

/// The sum of usages.
pub(crate) fn total(usages: impl Iterator<Item = Usage>) -> Usage {
    usages.fold(Usage::default(), |mut sum, usage| {
        sum += usage;
        sum
    })
}

/// A retry helps the whole panel if it helps one member.
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
