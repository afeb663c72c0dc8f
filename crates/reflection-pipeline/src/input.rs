//! What a reflector looks at.

use reflect_types::{ReviewResult, Trajectory};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{ReflectionResult, trajectory};

/// What is known of a run. Everything is optional: name what you have and leave the rest to
/// `..Default::default()`.
///
/// All of it is shown to the model as data. What the right answer is must not be in here: a reflector that knows it
/// writes it into its suggestions, and the next run has learned nothing.
///
/// It can be read from JSON. Keys that are not known are passed over, so there is [`sections`](Self::sections) for
/// what has no field of its own.
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
    /// What the agent was asked to do.
    pub input: Option<String>,
    /// What it answered.
    pub output: Option<String>,
    /// What went wrong technically.
    pub error: Option<String>,
    /// Which attempt it was.
    pub iteration: Option<u32>,
    /// Whether it passed. None if nobody said.
    pub passed: Option<bool>,
    /// What was said of it, in words.
    pub feedback: Option<String>,
    /// How good it was, 0 to 1.
    pub score: Option<f64>,
    /// What it cost, in whatever unit the limit of the reflector has.
    pub cost: Option<f64>,
    /// The messages of the run, as [`trajectory`] reads them.
    pub trajectory: Vec<Value>,
    /// What was noted on earlier attempts at the same task, the oldest first.
    pub earlier_notes: Vec<String>,
    /// What level meta reflects on, the oldest first.
    pub earlier_reflections: Vec<ReflectionResult>,
    /// Fixed text that the run was held against, such as a policy.
    pub reference_context: Option<String>,
    /// Anything else that should be shown, such as the best attempt so far.
    pub sections: Vec<Section>,
}

/// A part of what a model is shown, under a title of one's own.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// One line, shown in brackets.
    pub title: String,
    /// The text below it.
    pub text: String,
}

impl Section {
    /// A section with this title and text.
    pub fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into() }
    }
}

impl ReflectionInput {
    /// Adds what a reviewer said.
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

    /// Adds the trajectory, and its final response as the output unless there is one already.
    #[must_use]
    pub fn with_trajectory(mut self, run: &Trajectory) -> Self {
        self.trajectory = trajectory::messages(run.json());
        self.output = self.output.or_else(|| run.final_response().map(ToOwned::to_owned));
        self
    }
}
