//! Loop health: whether the learning loop is closed, from run to review to memory to the next run.
//!
//! The store counts, the rules here judge, and every door shows the same findings. A rule names its numbers, the
//! window they were counted over, and what to do.

mod finding;
mod memories;
mod reports;
mod retrievals;
mod reviews;
#[cfg(test)]
mod tests;

use reflect_store::LoopFacts;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError};
pub use finding::{Finding, Level};
pub use reports::ClientReport;

/// Below so many, a share says nothing.
pub const FEW: i64 = 20;

/// What all checks together say.
#[derive(Debug, Clone, PartialEq)]
pub struct LoopHealth {
    /// The worst of what is known; unknown when nothing is.
    pub status: Level,
    /// What each check says, worst first.
    pub findings: Vec<Finding>,
}

impl Engine {
    /// Says whether the learning loop of the visitor's project is closed.
    pub async fn loop_health(&self, visitor: &Visitor) -> Result<LoopHealth, EngineError> {
        let judge = self.judge_at_work(visitor.project).await?;
        let facts = self.store.project(visitor.project).loop_facts(judge.as_ref()).await?;
        Ok(LoopHealth::of(&facts))
    }
}

impl LoopHealth {
    /// What the rules say to these facts.
    ///
    /// ```
    /// use reflect_engine::health::{Level, LoopHealth};
    /// use reflect_store::{LoopFacts, RipeRuns};
    ///
    /// let ripe_runs = RipeRuns { runs: 100, unreviewed: 90 };
    /// let health = LoopHealth::of(&LoopFacts { ripe_runs, ..LoopFacts::default() });
    /// assert_eq!(health.status, Level::Failing);
    /// assert_eq!(health.findings[0].check, "nobody_reviews");
    /// assert_eq!(health.findings.len(), 10);
    /// ```
    pub fn of(facts: &LoopFacts) -> Self {
        let mut findings = vec![
            reviews::nobody_reviews(&facts.ripe_runs),
            retrievals::credit_lost(&facts.links),
            retrievals::always_empty(&facts.retrievals, &facts.memories),
            memories::flat_utilities(&facts.memories, &facts.reviews),
            reviews::reflection_failing(&facts.reviews),
            reviews::vague_feedback(&facts.reviews),
            reviews::judge_unreliable(&facts.judges, &facts.reviews),
            memories::duplicates(&facts.duplicates),
            retrievals::one_memory_everywhere(&facts.most_served, &facts.memories),
            reports::sdk_losing_data(&facts.clients),
        ];
        let known = findings.iter().map(|finding| finding.level).filter(|level| *level != Level::Unknown);
        let status = known.max().unwrap_or(Level::Unknown);
        // Stable: of two that are as bad, the one nearer to the start of the loop comes first.
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.level));
        Self { status, findings }
    }
}
