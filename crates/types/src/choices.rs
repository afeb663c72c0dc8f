//! Choices and states that the API, the engine and the store name alike.

use serde::{Deserialize, Serialize};

/// The order of the review queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum QueueOrder {
    /// The most informative first.
    #[default]
    Informative,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
    /// Those with the most tool errors and exceptions first.
    Errors,
    /// In random order.
    Random,
}

/// The order of a list of memories.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum MemorySort {
    /// The newest first.
    #[default]
    Newest,
    /// The highest utility first, under the project's ranking.
    Utility,
    /// The most evidence first.
    Evidence,
    /// Memories that need attention first: quarantined, harmful with evidence, disputed, long unused.
    Attention,
    /// The most harmful first: a credit below 0.5, weighted by its evidence.
    Harm,
}

impl MemorySort {
    /// The number of this order in SQL queries.
    pub const fn code(self) -> i32 {
        match self {
            Self::Newest => 0,
            Self::Utility => 1,
            Self::Evidence => 2,
            Self::Attention => 3,
            Self::Harm => 4,
        }
    }
}

/// What the judge currently does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum JudgeState {
    /// It is disabled.
    Off,
    /// No model is configured.
    NoModel,
    /// It agrees too little with people. It judges only its blind share, and these results have no effect.
    Stopped,
    /// Its tokens, or the project's, are used up for today.
    Spent,
    /// It reviews traces.
    Judging,
}

/// The severity of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum HealthLevel {
    /// No problem.
    Ok,
    /// Not enough data.
    Unknown,
    /// The loop works, but not as well as it could.
    Warning,
    /// The loop is broken: something is not learned or not used.
    Failing,
}
