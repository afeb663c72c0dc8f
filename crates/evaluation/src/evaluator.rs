//! The evaluator trait and its error.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::{ModelError, Remedy, Usage};

use crate::attempt::{Attempt, Task};
use crate::evaluation::Evaluation;

/// Evaluates attempts at tasks.
///
/// ```
/// use async_trait::async_trait;
/// use reflect_evaluation::{Attempt, Evaluation, EvaluationError, Evaluator, Task};
///
/// /// A custom rule.
/// struct Short(usize);
///
/// #[async_trait]
/// impl Evaluator for Short {
///     async fn evaluate(&self, _: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
///         let length = attempt.final_response.chars().count();
///         let evaluation = Evaluation::from(length <= self.0);
///         Ok(evaluation.with_feedback(format!("{length} characters, but at most {} are allowed", self.0)))
///     }
/// }
/// ```
#[async_trait]
pub trait Evaluator: Send + Sync {
    /// Its name, for traces and logs.
    fn name(&self) -> &str {
        "evaluator"
    }

    /// Evaluates an attempt. If it cannot decide, it returns [`Evaluation::unclear`]; an error means that the
    /// evaluator itself did not work.
    async fn evaluate(&self, task: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError>;
}

#[async_trait]
impl<E: Evaluator + ?Sized> Evaluator for Arc<E> {
    fn name(&self) -> &str {
        (**self).name()
    }

    async fn evaluate(&self, task: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        (**self).evaluate(task, attempt).await
    }
}

/// A failed evaluation.
///
/// An answer that cannot be parsed is not an error: it gives [`Evaluation::unclear`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The judge did not answer.
    #[error("the judge {evaluator} did not answer")]
    Model {
        /// The name of the evaluator.
        evaluator: String,
        /// The error, with its remedy.
        source: ModelError,
        /// The token usage before the error.
        usage: Usage,
    },
    /// An error of a custom evaluator.
    #[error(transparent)]
    Other(#[from] Box<dyn Error + Send + Sync>),
}

impl EvaluationError {
    /// Whether a retry can help.
    ///
    /// ```
    /// use reflect_evaluation::EvaluationError;
    /// use reflect_model::{ModelError, Remedy};
    ///
    /// let error = EvaluationError::Other(ModelError::retry_later("busy", None).into());
    /// assert_eq!(error.remedy(), Remedy::RetryLater { after: None });
    /// ```
    pub fn remedy(&self) -> Remedy {
        match self {
            Self::Model { source, .. } => source.remedy,
            Self::Other(error) => {
                error.downcast_ref().map_or(Remedy::DoNotRetry, |error: &ModelError| error.remedy)
            }
        }
    }

    /// The token usage before the error.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Model { usage, .. } => *usage,
            Self::Other(_) => Usage::default(),
        }
    }
}
