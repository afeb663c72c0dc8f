//! Counts for people: the overview and its story, loop health, and the uplift by memories.

mod health;
mod overview;
mod story;
mod uplift;

use crate::db::ProjectDb;
pub use health::{
    ClientFacts, DuplicateFacts, JudgeFacts, KeyFacts, LinkFacts, LoopFacts, MemoryFacts, MostServed,
    NewClientReport, RetrievalFacts, ReviewFacts, RipeRuns,
};
pub use overview::{
    ArrivalCounts, DayRow, FailureRow, NewestMemory, OverviewFacts, PendingCount, StageCounts,
};
pub use story::HelpfulMemory;
pub use uplift::ArmCount;

/// Counts over the rows of a project.
#[derive(Debug, Clone, Copy)]
pub struct InsightStore<'a> {
    pub(crate) db: &'a ProjectDb,
}
