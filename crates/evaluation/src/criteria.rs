//! Criteria of an evaluation, each with a threshold and a weight.

use serde::{Deserialize, Serialize};

use crate::evaluation::{CriterionResult, Evaluation};
use crate::score::Score;
use crate::verdict::Verdict;

/// One criterion.
///
/// ```
/// use reflect_evaluation::{Criterion, Score};
///
/// let criterion = Criterion::new("filters").describe("The query filters by month.").weight(2.0);
/// assert_eq!(criterion.threshold, Score::HALF);
/// assert!(criterion.required);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criterion {
    /// Its name. Scores are assigned by name.
    pub name: String,
    /// Its meaning, for the judge.
    pub description: String,
    /// The minimum score for a pass. Default: 0.5.
    pub threshold: Score,
    /// Its weight in the total score. Default: 1.
    pub weight: f64,
    /// Whether the evaluation fails if this criterion fails. Default: yes.
    pub required: bool,
}

impl Criterion {
    /// A criterion that is required, with weight 1 and threshold 0.5.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            threshold: Score::HALF,
            weight: 1.0,
            required: true,
        }
    }

    /// Sets its meaning.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Sets the minimum score for a pass.
    #[must_use]
    pub fn threshold(mut self, threshold: Score) -> Self {
        self.threshold = threshold;
        self
    }

    /// Sets the weight.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// Makes it optional: it counts in the score, but cannot fail the evaluation.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

/// A set of criteria. At least one is required, and all names are different.
///
/// ```
/// use reflect_evaluation::{Criteria, Criterion, Score, Verdict};
///
/// let criteria = Criteria::new([
///     Criterion::new("correct").weight(3.0).threshold(Score::new(0.9).unwrap()),
///     Criterion::new("polite").optional(),
/// ])
/// .unwrap();
///
/// let evaluation = criteria.weigh(|name| (name == "correct").then_some(Score::FULL));
/// assert_eq!(evaluation.verdict, Verdict::Pass);
/// assert_eq!(evaluation.score, Some(Score::FULL), "criteria without a verdict do not count as 0");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria(Vec<Criterion>);

/// An invalid set of criteria.
///
/// See [`Criteria`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CriteriaError {
    /// No criterion is required, so the evaluation could not fail.
    #[error("at least one criterion has to be required, otherwise everything passes")]
    NothingRequired,
    /// Two criteria have the same name.
    #[error("two criteria are called \"{0}\"; give each a name of its own")]
    SameName(String),
    /// A weight is not a positive number.
    #[error("the weight of \"{0}\" has to be a positive number")]
    InvalidWeight(String),
}

impl Criteria {
    /// Validates the criteria.
    pub fn new(criteria: impl IntoIterator<Item = Criterion>) -> Result<Self, CriteriaError> {
        let criteria: Vec<Criterion> = criteria.into_iter().collect();
        for (index, criterion) in criteria.iter().enumerate() {
            if criteria[..index].iter().any(|other| other.name == criterion.name) {
                return Err(CriteriaError::SameName(criterion.name.clone()));
            }
            if !(criterion.weight.is_finite() && criterion.weight > 0.0) {
                return Err(CriteriaError::InvalidWeight(criterion.name.clone()));
            }
        }
        let any_required = criteria.iter().any(|criterion| criterion.required);
        if any_required { Ok(Self(criteria)) } else { Err(CriteriaError::NothingRequired) }
    }

    /// The criteria.
    pub fn iter(&self) -> impl Iterator<Item = &Criterion> {
        self.0.iter()
    }

    /// Combines the scores into one evaluation.
    ///
    /// If a required criterion fails, the evaluation fails. Otherwise, if a required criterion has no score, the evaluation
    /// is unclear. The total score is the weighted mean of all given scores.
    pub fn weigh(&self, score_of: impl Fn(&str) -> Option<Score>) -> Evaluation {
        let judged: Vec<(&Criterion, CriterionResult)> = self
            .0
            .iter()
            .map(|criterion| (criterion, result_of(criterion, score_of(&criterion.name))))
            .collect();
        let required = judged.iter().filter(|(criterion, _)| criterion.required);
        let verdict = required.map(|(_, result)| result.verdict).min().unwrap_or(Verdict::Unclear);

        let scores = judged.iter().filter_map(|(criterion, result)| Some((criterion.weight, result.score?)));
        let (weights, sum) = scores.fold((0.0, 0.0), |(weights, sum), (weight, score)| {
            (weights + weight, sum + weight * score.get())
        });
        let score = (weights > 0.0).then(|| Score::new((sum / weights).clamp(0.0, 1.0)).ok()).flatten();
        let criteria = judged.into_iter().map(|(_, result)| result).collect();
        Evaluation { score, criteria, ..Evaluation::new(verdict) }
    }
}

fn result_of(criterion: &Criterion, score: Option<Score>) -> CriterionResult {
    let verdict = score.map_or(Verdict::Unclear, |score| Verdict::from(score >= criterion.threshold));
    CriterionResult { name: criterion.name.clone(), score, verdict }
}
