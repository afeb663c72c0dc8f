//! What a review says.

use reflect_api::{AuthoredReflection, InlineReview, ReviewOfTrace, ReviewTrace};
use reflect_types::{Alpha, ReviewResult, TraceId};

/// What a review says of a run: a result, perhaps feedback, perhaps a lesson.
///
/// ```
/// use reflect_sdk::Verdict;
/// use reflect_sdk::types::ReviewResult;
///
/// let verdict = Verdict::fail("The order cost 24.00. Look the price up first.");
/// assert_eq!(verdict.result, ReviewResult::Fail);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Verdict {
    /// `pass` or `fail`.
    pub result: ReviewResult,
    /// What was right or wrong, in words; specific feedback makes better memories.
    pub feedback: Option<String>,
    /// How far the review moves utilities; 0.3 when absent.
    pub alpha: Option<Alpha>,
    /// A lesson of your own, so that no model has to write one.
    pub lesson: Option<AuthoredReflection>,
}

impl Verdict {
    /// A result alone.
    pub fn new(result: ReviewResult) -> Self {
        Self { result, feedback: None, alpha: None, lesson: None }
    }

    /// The run did what it was asked to do.
    pub fn pass() -> Self {
        Self::new(ReviewResult::Pass)
    }

    /// The run did not, and why.
    pub fn fail(feedback: impl Into<String>) -> Self {
        Self::new(ReviewResult::Fail).feedback(feedback)
    }

    /// The same with words.
    #[must_use]
    pub fn feedback(mut self, feedback: impl Into<String>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }

    /// The same with another step.
    ///
    /// ```
    /// use reflect_sdk::{Verdict, types::Alpha};
    ///
    /// let cautious = Verdict::pass().alpha(Alpha::try_from(0.1).unwrap());
    /// ```
    #[must_use]
    pub fn alpha(mut self, alpha: Alpha) -> Self {
        self.alpha = Some(alpha);
        self
    }

    /// The same with a lesson of your own.
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
