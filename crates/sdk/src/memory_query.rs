//! A query for memories.

use reflect_api::{AugmentTask, QueryMemories};
use reflect_types::Ranking;
use serde_json::Value;

/// A query for memories. A task text converts into a query.
///
/// ```
/// use reflect_sdk::MemoryQuery;
///
/// let plain: MemoryQuery = "The import of last night did not run".into();
/// let narrow = MemoryQuery::new("The import of last night did not run")
///     .limit(5)
///     .utility_weight(0.3)
///     .metadata_filter("env", "prod");
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub struct MemoryQuery(AugmentTask);

impl MemoryQuery {
    /// The memories that may help with a task.
    pub fn new(task: impl Into<String>) -> Self {
        let query = QueryMemories {
            task: task.into(),
            limit: None,
            lambda: None,
            utility_weight: None,
            mmr_lambda: None,
            similarity_threshold: None,
            metadata_filter: None,
            ranking: None,
            metadata_exclude: None,
        };
        Self(AugmentTask { query, max_tokens: None, include_ids: None })
    }

    /// The maximum number of memories, from 1 to 100. Default: 10.
    pub fn limit(mut self, limit: usize) -> Self {
        self.0.query.limit = Some(limit);
        self
    }

    /// The weight of utility against similarity: 0 is only similarity, 1 is only utility. Default: 0.5, or the weight that
    /// the project selects by replay. The HTTP API also calls it lambda.
    pub fn utility_weight(mut self, weight: f32) -> Self {
        self.0.query.utility_weight = Some(weight);
        self
    }

    /// The minimum similarity, from -1 to 1. Default: the value of the embedding model.
    pub fn similarity_threshold(mut self, least: f32) -> Self {
        self.0.query.similarity_threshold = Some(least);
        self
    }

    /// The weight of the score against diversity. With 1, only the score counts; lower values prefer memories that differ
    /// from those already chosen.
    pub fn mmr_lambda(mut self, lambda: f32) -> Self {
        self.0.query.mmr_lambda = Some(lambda);
        self
    }

    /// Only memories whose metadata has this value, or a list that contains it. Can be called for several keys.
    pub fn metadata_filter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.query.metadata_filter.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// Excludes memories that a metadata filter with the same arguments would match.
    pub fn metadata_exclude(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.query.metadata_exclude.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// How utility is computed. Default: the setting of the project.
    pub fn ranking(mut self, ranking: Ranking) -> Self {
        self.0.query.ranking = Some(ranking);
        self
    }

    /// The maximum number of tokens of memories in a prompt. Default: the setting of the client.
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.0.max_tokens = Some(tokens);
        self
    }

    /// Marks each lesson in an augmented prompt with the id of its memory.
    pub fn include_ids(mut self) -> Self {
        self.0.include_ids = Some(true);
        self
    }

    pub(crate) fn task(&self) -> &str {
        &self.0.query.task
    }

    pub(crate) fn query(&self) -> &QueryMemories {
        &self.0.query
    }

    /// The body of an augmentation, with the token limit of the client if the query has none.
    pub(crate) fn within(mut self, tokens: Option<usize>) -> AugmentTask {
        self.0.max_tokens = self.0.max_tokens.or(tokens);
        self.0
    }
}

impl From<&str> for MemoryQuery {
    fn from(task: &str) -> Self {
        Self::new(task)
    }
}

impl From<String> for MemoryQuery {
    fn from(task: String) -> Self {
        Self::new(task)
    }
}

impl From<&String> for MemoryQuery {
    fn from(task: &String) -> Self {
        Self::new(task)
    }
}
