//! The input of a reflector.

use reflect_trajectory::SentTrajectory;
use reflect_types::ReviewResult;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::reflection_type::{LOW_SCORE, ReflectionType};
use crate::result::ReflectionResult;
use crate::trajectory;

/// The data about a run. All fields are optional; use `..Default::default()` for missing ones.
///
/// The prompt contains all of it as data. It must not contain the expected answer, because the model would copy the answer
/// into its suggestions.
///
/// It can be read from JSON. Unknown keys are ignored; use [`sections`](Self::sections) for anything without a field.
///
/// ```
/// use reflection_pipeline::ReflectionInput;
///
/// let input: ReflectionInput =
///     serde_json::from_str(r#"{"input": "Process null", "error": "AttributeError", "iteration": 3}"#).unwrap();
/// assert_eq!(input.iteration, Some(3));
/// assert_eq!(input.passed, None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReflectionInput {
    /// The task.
    pub input: Option<String>,
    /// The answer of the agent.
    pub output: Option<String>,
    /// The technical error.
    pub error: Option<String>,
    /// The number of the attempt.
    pub iteration: Option<u32>,
    /// Whether the run passed. `None` without a verdict.
    pub passed: Option<bool>,
    /// The feedback as text.
    pub feedback: Option<String>,
    /// The score, from 0 to 1.
    pub score: Option<f64>,
    /// The cost, in the unit of the reflector's limit.
    pub cost: Option<f64>,
    /// The messages of the run, in a format that [`trajectory`] supports.
    pub trajectory: Vec<Value>,
    /// Notes on earlier attempts at the same task, oldest first.
    pub earlier_notes: Vec<String>,
    /// Earlier reflections, oldest first. Level meta reflects on them.
    pub earlier_reflections: Vec<ReflectionResult>,
    /// Reference text that the run is compared with, such as a policy.
    pub reference_context: Option<String>,
    /// Additional sections of the prompt, such as the best attempt so far.
    pub sections: Vec<Section>,
}

/// A part of the prompt with its own title.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// One line, shown in brackets.
    pub title: String,
    /// The text below it.
    pub text: String,
}

impl Section {
    /// Creates a section.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into() }
    }
}

impl ReflectionInput {
    /// Sets the result and the feedback of a review.
    ///
    /// ```
    /// use reflect_types::ReviewResult;
    /// use reflection_pipeline::ReflectionInput;
    ///
    /// let input = ReflectionInput::default().with_review(ReviewResult::Fail, Some("wrong month"));
    /// assert_eq!(input.passed, Some(false));
    /// ```
    #[must_use]
    pub fn with_review(mut self, result: ReviewResult, feedback: Option<&str>) -> Self {
        self.passed = Some(result == ReviewResult::Pass);
        self.feedback = feedback.map(ToOwned::to_owned);
        self
    }

    /// Sets the trajectory. If there is no output, its final response becomes the output.
    #[must_use]
    pub fn with_trajectory(mut self, run: &SentTrajectory) -> Self {
        self.trajectory = trajectory::messages(run.json());
        self.output = self.output.or_else(|| run.final_response().map(ToOwned::to_owned));
        self
    }
}

impl ReflectionType {
    /// The type for the outcome of a run: a pass is success, a fail is failure, a pass with a score below [`LOW_SCORE`] is
    /// optimization, and a run without a verdict is insight.
    ///
    /// ```
    /// use reflection_pipeline::{ReflectionInput, ReflectionType};
    ///
    /// let weak = ReflectionInput { passed: Some(true), score: Some(0.4), ..Default::default() };
    /// assert_eq!(ReflectionType::of_outcome(&weak), ReflectionType::Optimization);
    /// ```
    pub fn of_outcome(input: &ReflectionInput) -> Self {
        Self::of_outcome_within(input, LOW_SCORE, None)
    }

    /// Like [`of_outcome`](Self::of_outcome), with other limits.
    pub(crate) fn of_outcome_within(input: &ReflectionInput, low_score: f64, high_cost: Option<f64>) -> Self {
        let weak = input.score.is_some_and(|score| score < low_score);
        let costly = input.cost.zip(high_cost).is_some_and(|(cost, limit)| cost > limit);
        match input.passed {
            Some(true) if weak || costly => Self::Optimization,
            Some(true) => Self::Success,
            Some(false) => Self::Failure,
            None => Self::Insight,
        }
    }
}
