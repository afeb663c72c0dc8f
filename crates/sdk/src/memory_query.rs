//! A question for memories.

use reflect_api::{AugmentTask, QueryMemories};
use reflect_types::Ranking;
use serde_json::Value;

/// A question for memories. A text alone is one.
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
        Self(AugmentTask { query, max_tokens: None })
    }

    /// The most memories, 1 to 100; 10 when absent.
    pub fn limit(mut self, limit: usize) -> Self {
        self.0.query.limit = Some(limit);
        self
    }

    /// How much utility counts against similarity: 0 is similarity alone, 1 utility alone; 0.5 when absent. On the
    /// wire and in the published client also called lambda.
    pub fn utility_weight(mut self, weight: f32) -> Self {
        self.0.query.utility_weight = Some(weight);
        self
    }

    /// The least similarity, -1 to 1; the embedding model's own when absent.
    pub fn similarity_threshold(mut self, least: f32) -> Self {
        self.0.query.similarity_threshold = Some(least);
        self
    }

    /// 1 for score alone; below, memories that differ from those already chosen come first.
    pub fn mmr_lambda(mut self, lambda: f32) -> Self {
        self.0.query.mmr_lambda = Some(lambda);
        self
    }

    /// Only memories whose metadata has this value, or a list with it. May be said of several names.
    pub fn metadata_filter(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.query.metadata_filter.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// No memory that the same words as a filter would have found.
    pub fn metadata_exclude(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.0.query.metadata_exclude.get_or_insert_default().insert(name.into(), value.into());
        self
    }

    /// What is taken for a memory's utility; the project's own choice when absent.
    pub fn ranking(mut self, ranking: Ranking) -> Self {
        self.0.query.ranking = Some(ranking);
        self
    }

    /// How many tokens the memories may take in a prompt; the client's own choice when absent.
    pub fn max_tokens(mut self, tokens: usize) -> Self {
        self.0.max_tokens = Some(tokens);
        self
    }

    pub(crate) fn task(&self) -> &str {
        &self.0.query.task
    }

    pub(crate) fn query(&self) -> &QueryMemories {
        &self.0.query
    }

    /// The body of an augmentation, with the client's own budget where none was said.
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
