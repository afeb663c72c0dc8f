//! Something that evaluates attempts, and why it may not have.

use std::error::Error;
use std::sync::Arc;

use async_trait::async_trait;
use reflect_model::{ModelError, Remedy, Usage};

use crate::{Attempt, Evaluation, Task};

/// Something that evaluates attempts at tasks.
///
/// ```
/// use async_trait::async_trait;
/// use reflect_evaluation::{Attempt, Evaluation, EvaluationError, Evaluator, Task};
///
/// /// A rule of one's own.
/// struct Short(usize);
///
/// #[async_trait]
/// impl Evaluator for Short {
///     async fn evaluate(&self, _: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
///         let length = attempt.final_response.chars().count();
///         let evaluation = Evaluation::from(length <= self.0);
///         Ok(evaluation.with_feedback(format!("{length} characters, at most {} are wanted", self.0)))
///     }
/// }
/// ```
#[async_trait]
pub trait Evaluator: Send + Sync {
    /// Its name, for traces and logs.
    fn name(&self) -> &str {
        "evaluator"
    }

    /// What it says of an attempt. That nobody can tell is [`Evaluation::unclear`]; an error means that the
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

/// Why there is no evaluation.
///
/// An answer that cannot be read is not among the reasons: it is [`Evaluation::unclear`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The judge did not answer.
    #[error("the judge {evaluator} did not answer")]
    Model {
        /// Whose model it was.
        evaluator: String,
        /// What happened, and what to do about it.
        source: ModelError,
        /// What was paid for before.
        usage: Usage,
    },
    /// Whatever an evaluator of one's own failed with.
    #[error(transparent)]
    Other(#[from] Box<dyn Error + Send + Sync>),
}

impl EvaluationError {
    /// What can be done about it.
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

    /// What was paid for nevertheless.
    pub fn usage(&self) -> Usage {
        match self {
            Self::Model { usage, .. } => *usage,
            Self::Other(_) => Usage::default(),
        }
    }
}
