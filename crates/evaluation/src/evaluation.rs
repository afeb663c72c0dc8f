//! The result of an evaluator.

use std::fmt;

use reflect_model::Usage;
use reflect_types::Alpha;
use reflection_pipeline::Parse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::score::Score;
use crate::verdict::Verdict;

/// The learning rate for verdicts of a judge: 0.1. It is a third of the rate for checks and people, because models are
/// wrong more often and their errors are correlated.
///
/// See [`Evaluation::alpha`] for an example.
pub const JUDGE_ALPHA: f32 = 0.1;

/// The kind of evaluator.
///
/// See [`Evaluation::alpha`] for an example.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EvaluatedBy {
    /// A program: a test, a comparison, a rule.
    #[default]
    Check,
    /// A person.
    Person,
    /// A model.
    Judge,
}

/// Data that only the evaluator may see, such as the known answer.
///
/// ```
/// use reflect_evaluation::{Evaluation, Private};
///
/// let evaluation = Evaluation::fail().with_private("the sum is 1204");
/// assert!(!format!("{evaluation:?}").contains("1204"));
/// assert!(!serde_json::to_string(&evaluation).unwrap().contains("1204"));
/// assert_eq!(evaluation.private.reveal().unwrap(), "the sum is 1204");
/// ```
///
/// It cannot be serialised by mistake:
///
/// ```compile_fail,E0277
/// serde_json::to_string(&reflect_evaluation::Private::default());
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Private(Option<Value>);

impl Private {
    /// Wraps private data.
    pub fn new(detail: impl Into<Value>) -> Self {
        Self(Some(detail.into()))
    }

    /// The data, for use by the evaluator only.
    pub fn reveal(&self) -> Option<&Value> {
        self.0.as_ref()
    }
}

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Private(…)" } else { "Private" })
    }
}

/// The result of one criterion.
///
/// Created by [`Criteria::weigh`](crate::Criteria::weigh); see [`Criteria`](crate::Criteria) for an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionResult {
    /// The name of the criterion.
    pub name: String,
    /// The score. `None` if the criterion was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Whether the score reaches the threshold. Unclear if the criterion was not judged.
    pub verdict: Verdict,
}

/// The result of an evaluator for one attempt.
///
/// A boolean, a [`Verdict`] or a `Result<(), String>` can be turned into one.
///
/// ```
/// use reflect_evaluation::{Evaluation, Score, Verdict};
///
/// let evaluation = Evaluation::fail().with_score(Score::new(0.2).unwrap()).with_feedback("wrong month");
/// assert_eq!(evaluation.verdict, Verdict::Fail);
///
/// let refused: Evaluation = Err::<(), _>("no end date".to_owned()).into();
/// assert_eq!(refused.feedback.as_deref(), Some("no end date"));
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Pass, fail or unclear.
    pub verdict: Verdict,
    /// The score. `None` if there is none, which differs from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The feedback as text. The next attempt can see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// The result of each criterion. Empty without criteria.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionResult>,
    /// The kind of evaluator.
    #[serde(default)]
    pub by: EvaluatedBy,
    /// How the answer of a judge was parsed.
    #[serde(default)]
    pub parse: Parse,
    /// The token usage of the evaluation.
    #[serde(default)]
    pub usage: Usage,
    /// The cost in money, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The number of model calls.
    #[serde(default)]
    pub calls: u32,
    /// Data that only the evaluator may see. It is never serialised.
    #[serde(skip)]
    pub private: Private,
}

impl Evaluation {
    /// An evaluation with only a verdict.
    pub fn new(verdict: Verdict) -> Self {
        Self {
            verdict,
            score: None,
            feedback: None,
            criteria: Vec::new(),
            by: EvaluatedBy::Check,
            parse: Parse::Clean,
            usage: Usage::default(),
            cost: None,
            calls: 0,
            private: Private::default(),
        }
    }

    /// A passed evaluation.
    pub fn pass() -> Self {
        Self::new(Verdict::Pass)
    }

    /// A failed evaluation.
    pub fn fail() -> Self {
        Self::new(Verdict::Fail)
    }

    /// An unclear evaluation.
    pub fn unclear() -> Self {
        Self::new(Verdict::Unclear)
    }

    /// An evaluation with only a score. The verdict is unclear until a threshold is applied.
    pub fn scored(score: Score) -> Self {
        Self::unclear().with_score(score)
    }

    /// Sets the score.
    #[must_use]
    pub fn with_score(mut self, score: Score) -> Self {
        self.score = Some(score);
        self
    }

    /// Sets the feedback.
    #[must_use]
    pub fn with_feedback(mut self, feedback: impl Into<String>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }

    /// Sets the kind of evaluator. Default: a check.
    #[must_use]
    pub fn evaluated_by(mut self, by: EvaluatedBy) -> Self {
        self.by = by;
        self
    }

    /// Sets the private data.
    #[must_use]
    pub fn with_private(mut self, detail: impl Into<Value>) -> Self {
        self.private = Private::new(detail);
        self
    }

    /// The verdict after applying a threshold. A score that reaches the threshold is a pass. A lower score makes an unclear
    /// verdict a fail. A pass remains a pass. Without a threshold or a score, the verdict does not change.
    ///
    /// ```
    /// use reflect_evaluation::{Evaluation, Score, Verdict};
    ///
    /// let good = Evaluation::scored(Score::new(0.9).unwrap());
    /// assert_eq!(good.verdict_at(None), Verdict::Unclear);
    /// assert_eq!(good.verdict_at(Some(Score::HALF)), Verdict::Pass);
    /// assert_eq!(good.verdict_at(Some(Score::FULL)), Verdict::Fail);
    /// ```
    pub fn verdict_at(&self, threshold: Option<Score>) -> Verdict {
        match (self.verdict, threshold.zip(self.score)) {
            (Verdict::Pass, _) | (_, None) => self.verdict,
            (_, Some((threshold, score))) => Verdict::from(score >= threshold),
        }
    }

    /// The learning rate of a review with this evaluation. `None` for the default of the server.
    ///
    /// ```
    /// use reflect_evaluation::{EvaluatedBy, Evaluation};
    ///
    /// assert_eq!(Evaluation::pass().alpha(), None);
    /// assert_eq!(Evaluation::pass().evaluated_by(EvaluatedBy::Judge).alpha().unwrap().get(), 0.1);
    /// ```
    pub fn alpha(&self) -> Option<Alpha> {
        match self.by {
            EvaluatedBy::Check | EvaluatedBy::Person => None,
            EvaluatedBy::Judge => Alpha::try_from(JUDGE_ALPHA).ok(),
        }
    }
}

impl From<Verdict> for Evaluation {
    fn from(verdict: Verdict) -> Self {
        Self::new(verdict)
    }
}

impl From<bool> for Evaluation {
    fn from(passed: bool) -> Self {
        Self::new(passed.into())
    }
}

impl<E: Into<String>> From<Result<(), E>> for Evaluation {
    fn from(checked: Result<(), E>) -> Self {
        match checked {
            Ok(()) => Self::pass(),
            Err(feedback) => Self::fail().with_feedback(feedback),
        }
    }
}
