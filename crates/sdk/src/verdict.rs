//! The content of a review.

use reflect_api::{AuthoredReflection, InlineReview, ReviewOfTrace, ReviewTrace};
use reflect_types::{Alpha, ReviewResult, TraceId};

/// The content of a review: a result, optional feedback and an optional lesson.
///
/// ```
/// use reflect_sdk::ReviewVerdict;
/// use reflect_sdk::types::ReviewResult;
///
/// let verdict = ReviewVerdict::fail("The order cost 24.00. Look the price up first.");
/// assert_eq!(verdict.result, ReviewResult::Fail);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReviewVerdict {
    /// `pass` or `fail`.
    pub result: ReviewResult,
    /// What was right or wrong. Specific feedback leads to better memories.
    pub feedback: Option<String>,
    /// The learning rate of utilities. Default: 0.3.
    pub alpha: Option<Alpha>,
    /// A lesson of the caller. No model writes one then.
    pub lesson: Option<AuthoredReflection>,
}

impl ReviewVerdict {
    /// A verdict without feedback.
    pub fn new(result: ReviewResult) -> Self {
        Self { result, feedback: None, alpha: None, lesson: None }
    }

    /// The run solved its task.
    pub fn pass() -> Self {
        Self::new(ReviewResult::Pass)
    }

    /// The run did not solve its task, for this reason.
    pub fn fail(feedback: impl Into<String>) -> Self {
        Self::new(ReviewResult::Fail).feedback(feedback)
    }

    /// Adds feedback.
    #[must_use]
    pub fn feedback(mut self, feedback: impl Into<String>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }

    /// Sets the learning rate.
    ///
    /// ```
    /// use reflect_sdk::{ReviewVerdict, types::Alpha};
    ///
    /// let cautious = ReviewVerdict::pass().alpha(Alpha::try_from(0.1).unwrap());
    /// ```
    #[must_use]
    pub fn alpha(mut self, alpha: Alpha) -> Self {
        self.alpha = Some(alpha);
        self
    }

    /// Adds a lesson of the caller.
    #[must_use]
    pub fn lesson(mut self, lesson: AuthoredReflection) -> Self {
        self.lesson = Some(lesson);
        self
    }

    pub(crate) fn inline(self) -> InlineReview {
        InlineReview {
            result: self.result,
            feedback_text: self.feedback,
            alpha: self.alpha,
            reflection: self.lesson,
            reviewed_at: None,
        }
    }

    pub(crate) fn deferred(self, replace: bool) -> ReviewTrace {
        ReviewTrace {
            result: self.result,
            feedback_text: self.feedback,
            alpha: self.alpha,
            reflection: self.lesson,
            replace,
            grace_seconds: None,
            reviewer: None,
        }
    }

    pub(crate) fn of(self, trace_id: TraceId) -> ReviewOfTrace {
        ReviewOfTrace { trace_id: trace_id.to_string(), review: self.deferred(false) }
    }
}
