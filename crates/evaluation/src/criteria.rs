//! Several things that matter, each with a threshold and a weight.

use serde::{Deserialize, Serialize};

use crate::{Evaluation, Score, Verdict};

/// One thing that matters.
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
    /// Its name, by which scores are given.
    pub name: String,
    /// What it means, for a judge.
    pub description: String,
    /// Which score is enough. Unless set, 0.5.
    pub threshold: Score,
    /// How much it counts in the score of the whole. Unless set, 1.
    pub weight: f64,
    /// Whether the whole fails with it. Unless made optional, it does.
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

    /// What it means.
    #[must_use]
    pub fn describe(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Which score is enough.
    #[must_use]
    pub fn threshold(mut self, threshold: Score) -> Self {
        self.threshold = threshold;
        self
    }

    /// How much it counts.
    #[must_use]
    pub fn weight(mut self, weight: f64) -> Self {
        self.weight = weight;
        self
    }

    /// It moves the score, and nothing fails for it.
    #[must_use]
    pub fn optional(mut self) -> Self {
        self.required = false;
        self
    }
}

/// What one criterion came to.
///
/// Made by [`Criteria::weigh`]; see [`Criteria`] for an example.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionResult {
    /// Whose result it is.
    pub name: String,
    /// The score it was given. None if it was not judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<Score>,
    /// Whether that is enough; unclear if it was not judged.
    pub verdict: Verdict,
}

/// Criteria that belong together: at least one is required, and no two have the same name.
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
/// assert_eq!(evaluation.score, Some(Score::FULL), "what was not judged counts for nothing, not as nought");
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Criteria(Vec<Criterion>);

/// Why criteria do not belong together.
///
/// See [`Criteria`] for an example.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CriteriaError {
    /// Nothing could fail.
    #[error("at least one criterion has to be required, otherwise everything passes")]
    NothingRequired,
    /// Scores are given by name.
    #[error("two criteria are called \"{0}\"; give each a name of its own")]
    SameName(String),
    /// A weight has to be a positive number.
    #[error("the weight of \"{0}\" has to be a positive number")]
    InvalidWeight(String),
}

impl Criteria {
    /// Criteria that belong together.
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

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &Criterion> {
        self.0.iter()
    }

    /// Makes one evaluation of the scores that were given.
    ///
    /// A required criterion that fails makes the whole fail; one that was not judged makes it unclear. The score is the
    /// weighted mean of those that were judged.
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
