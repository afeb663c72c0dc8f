//! Health of the learning loop, from run to review to memory to the next run.
//!
//! The store counts, and the rules here decide. API, CLI and console show the same findings. A finding names its
//! numbers, their time window and what to do.

mod empty_advice;
mod finding;
mod keys;
mod lessons;
mod memories;
mod reports;
mod retrievals;
mod reviews;
#[cfg(test)]
mod tests;

use reflect_store::LoopFacts;
use reflect_types::HealthLevel;

pub use finding::{FEW, Finding};
pub use lessons::LessonFacts;
pub use reports::ClientReport;
pub(crate) use reports::{LONGEST_NAME, check_report};

/// The result of all checks.
#[derive(Debug, Clone, PartialEq)]
pub struct LearningHealth {
    /// The worst known level; unknown if no level is known.
    pub status: HealthLevel,
    /// The findings, worst first.
    pub findings: Vec<Finding>,
}

impl LearningHealth {
    /// Applies the rules to facts.
    ///
    /// ```
    /// use reflect_engine::health::{LearningHealth, LessonFacts};
    /// use reflect_types::HealthLevel;
    /// use reflect_store::{LoopFacts, RipeRuns};
    ///
    /// let ripe_runs = RipeRuns { runs: 100, unreviewed: 90 };
    /// let facts = LoopFacts { ripe_runs, ..LoopFacts::default() };
    /// let health = LearningHealth::of(&facts, &LessonFacts::default());
    /// assert_eq!(health.status, HealthLevel::Failing);
    /// assert_eq!(health.findings[0].check, "nobody_reviews");
    /// assert_eq!(health.findings.len(), 14);
    /// ```
    pub fn of(facts: &LoopFacts, lessons: &LessonFacts) -> Self {
        let mut findings = vec![
            reviews::nobody_reviews(&facts.ripe_runs),
            retrievals::credit_lost(&facts.links),
            retrievals::always_empty(&facts.retrievals, &facts.memories),
            memories::flat_utilities(&facts.memories, &facts.reviews, &facts.links),
            reviews::reflection_failing(&facts.reviews),
            reviews::vague_feedback(&facts.reviews),
            reviews::judge_unreliable(&facts.judges, &facts.reviews),
            memories::duplicates(&facts.duplicates),
            lessons::open_questions(lessons, &facts.memories),
            lessons::use_unreliable(lessons),
            lessons::grouping_unfinished(lessons, &facts.memories),
            retrievals::one_memory_everywhere(&facts.most_served, &facts.memories),
            reports::sdk_losing_data(&facts.clients),
            keys::keys_expiring(&facts.keys),
        ];
        // A valid key says nothing about learning, and neither do lessons without trouble.
        let is_silent = |check: &str| check == keys::CHECK || lessons::CHECKS.contains(&check);
        let counts = |finding: &&Finding| !is_silent(finding.check) || finding.level > HealthLevel::Ok;
        let known = findings.iter().filter(counts).map(|finding| finding.level);
        let known = known.filter(|level| *level != HealthLevel::Unknown);
        let status = known.max().unwrap_or(HealthLevel::Unknown);
        // A stable sort: of equal levels, the check nearer to the start of the loop comes first.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        Self { status, findings }
    }
}
