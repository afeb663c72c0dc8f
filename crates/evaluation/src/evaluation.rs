//! What an evaluator says, as a whole.

use std::fmt;

use reflect_model::Usage;
use reflect_types::Alpha;
use reflection_pipeline::Parse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{CriterionResult, Score, Verdict};

/// 0.1: how far the verdict of a judge moves a utility. A third of what a check or a person moves it, because a
/// model is wrong more often and its errors are alike.
///
/// See [`Evaluation::alpha`] for an example.
pub const JUDGE_ALPHA: f32 = 0.1;

/// Who evaluated.
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

/// What an evaluator knows and nobody else may learn, such as the known answer.
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
/// It cannot be written down by mistake:
///
/// ```compile_fail,E0277
/// serde_json::to_string(&reflect_evaluation::Private::default());
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Private(Option<Value>);

impl Private {
    /// Keeps a detail.
    pub fn new(detail: impl Into<Value>) -> Self {
        Self(Some(detail.into()))
    }

    /// The detail, for the evaluator's own use.
    pub fn reveal(&self) -> Option<&Value> {
        self.0.as_ref()
    }
}

impl fmt::Debug for Private {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Private(…)" } else { "Private" })
    }
}

/// What an evaluator says of an attempt.
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
    /// How good it was. None if nobody said: that is not nought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// The same in words. The next attempt may learn it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// What each criterion came to, if there were any.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub criteria: Vec<CriterionResult>,
    /// Who said it.
    #[serde(default)]
    pub by: EvaluatedBy,
    /// How the answer of a judge was read.
    #[serde(default)]
    pub parse: Parse,
    /// What it cost, in tokens.
    #[serde(default)]
    pub usage: Usage,
    /// What it cost, in money, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// How often a model was asked.
    #[serde(default)]
    pub calls: u32,
    /// What nobody else may learn. Never written down.
    #[serde(skip)]
    pub private: Private,
}

impl Evaluation {
    /// An evaluation with nothing but a verdict.
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

    /// It did what was asked.
    pub fn pass() -> Self {
        Self::new(Verdict::Pass)
    }

    /// It did not.
    pub fn fail() -> Self {
        Self::new(Verdict::Fail)
    }

    /// Nobody could tell.
    pub fn unclear() -> Self {
        Self::new(Verdict::Unclear)
    }

    /// A score alone. Whether it is good enough is for whoever has a threshold to say, so the verdict is unclear.
    pub fn scored(score: Score) -> Self {
        Self::unclear().with_score(score)
    }

    /// Adds how good it was.
    #[must_use]
    pub fn with_score(mut self, score: Score) -> Self {
        self.score = Some(score);
        self
    }

    /// Adds the same in words.
    #[must_use]
    pub fn with_feedback(mut self, feedback: impl Into<String>) -> Self {
        self.feedback = Some(feedback.into());
        self
    }

    /// Says who evaluated. Unless said, it was a check.
    #[must_use]
    pub fn evaluated_by(mut self, by: EvaluatedBy) -> Self {
        self.by = by;
        self
    }

    /// Keeps a detail that nobody else may learn.
    #[must_use]
    pub fn with_private(mut self, detail: impl Into<Value>) -> Self {
        self.private = Private::new(detail);
        self
    }

    /// The verdict in the light of a threshold: a score that reaches it is a pass, and one below it settles what was
    /// unclear as a fail. A pass stays one. Without a threshold or a score, nothing changes.
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

    /// How far a review made of it moves a utility. None leaves it to the server.
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
