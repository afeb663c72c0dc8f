//! A query for memories and its result.

use std::time::Instant;

use reflect_store::{MemoryCandidate, MemoryRow, SpaceId};
use reflect_types::text::served;
use reflect_types::{Defence, MemoryId, RetrievalId};
use serde_json::{Map, Value};

use crate::client_text::{check_task, storable, storable_fields};
use crate::error::EngineError;
use crate::rank::{DEFAULT_LIMIT, Ranked, Ranking};

const MOST_MEMORIES: usize = 100;
const MOST_CLAUSES: usize = 20;
/// The receipt stores the filter for 30 days.
const LARGEST_FILTER: usize = 16 * 1024;
/// In characters. Enough for the longest feedback (4,000 characters) and what a model adds to it.
const LONGEST_TEXT: usize = 5_000;

/// A query for memories.
#[derive(Debug, Clone)]
pub struct RetrievalQuery {
    /// The task of the agent.
    pub task: String,
    /// The most memories to return.
    pub limit: usize,
    /// The weight of utility against similarity, from 0 to 1; `None` for that of the project.
    pub utility_weight: Option<f32>,
    /// The weight of the score against diversity (MMR), from 0 to 1; 1 for no diversity.
    pub mmr: f32,
    /// The similarity threshold; `None` for that of the space.
    pub similarity_threshold: Option<f32>,
    /// Only memories with this metadata.
    pub filter: Map<String, Value>,
    /// No memory with all of this metadata.
    pub exclude: Map<String, Value>,
    /// The kind of ranking; `None` for the project's setting.
    pub ranking: Option<Ranking>,
}

impl Default for RetrievalQuery {
    fn default() -> Self {
        Self {
            task: String::new(),
            limit: DEFAULT_LIMIT,
            utility_weight: None,
            mmr: 1.0,
            similarity_threshold: None,
            filter: Map::new(),
            exclude: Map::new(),
            ranking: None,
        }
    }
}

/// A retrieved memory.
#[derive(Debug, Clone)]
pub struct RetrievedMemory {
    /// The memory, with texts that are safe in a prompt.
    pub row: MemoryRow,
    /// The similarity of its task.
    pub similarity: f32,
    /// Its value under the ranking.
    pub utility: f32,
    /// The score that was used for ranking.
    pub score: f32,
    /// Selected memories with the same lesson. A review counts for them as well.
    pub stands_for: Vec<MemoryId>,
    /// How many of the closest situations have its lesson.
    pub support: Support,
}

/// How many of the closest situations have a lesson. A situation that absorbed runs counts twice.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Support {
    /// Those with the lesson.
    pub situations: usize,
    /// All of them.
    pub of: usize,
}

impl RetrievedMemory {
    /// The stored texts do not change, only the served ones.
    pub(super) fn new(mut row: MemoryRow, ranked: &Ranked) -> Self {
        for text in [
            &mut row.task,
            &mut row.reflection,
            &mut row.summary,
            &mut row.guidance,
            &mut row.key_mistake,
            &mut row.correct_action,
        ]
        .into_iter()
        .chain(&mut row.applicable_tools)
        .chain(&mut row.tools_used)
        .chain(&mut row.note)
        {
            *text = shorten(served(text).into_owned());
        }
        row.metadata = served_json(row.metadata);
        let Ranked { similarity, utility, score, .. } = *ranked;
        Self { row, similarity, utility, score, stands_for: Vec::new(), support: Support::default() }
    }
}

/// Every text in a JSON value, and every name, as it may be put into a prompt.
fn served_json(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(served(&text).into_owned()),
        Value::Array(items) => items.into_iter().map(served_json).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (served(&name).into_owned(), served_json(value))).collect()
        }
        other => other,
    }
}

fn shorten(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The result of a retrieval.
#[derive(Debug, Clone)]
pub struct RetrievedMemories {
    /// The id of the receipt. If there is none, an id that says so.
    pub retrieval_id: RetrievalId,
    /// The memories, best first.
    pub memories: Vec<RetrievedMemory>,
    /// Whether memories were found and withheld, to measure their effect.
    pub held_out: bool,
    /// Why the search was degraded; `None` if it was not.
    pub degraded: Option<String>,
    /// Why there is no receipt; `None` if one is being stored. Without a receipt, a run that names this retrieval changes
    /// no memory.
    pub unrecorded: Option<String>,
}

pub(super) struct SearchResult {
    pub(super) candidates: Vec<MemoryCandidate>,
    /// Pinned memories, whatever their similarity. They are not in `candidates`.
    pub(super) pinned: Vec<MemoryCandidate>,
    pub(super) space: Option<SpaceId>,
    pub(super) threshold: f32,
    pub(super) degraded: Option<String>,
    pub(super) embed_us: i32,
}

/// The query without NUL, which Postgres cannot hold.
pub(super) fn storable_query(question: &RetrievalQuery) -> RetrievalQuery {
    RetrievalQuery {
        task: storable(question.task.clone()),
        filter: storable_fields(question.filter.clone()),
        exclude: storable_fields(question.exclude.clone()),
        ..question.clone()
    }
}

pub(super) fn check(question: &RetrievalQuery) -> Result<(), EngineError> {
    check_task(&question.task)?;
    if !(1..=MOST_MEMORIES).contains(&question.limit) {
        return Err(EngineError::invalid("limit", "must lie between 1 and 100"));
    }
    for (field, value) in [("lambda", question.utility_weight), ("mmr_lambda", Some(question.mmr))] {
        if value.is_some_and(|value| !(0.0..=1.0).contains(&value)) {
            return Err(EngineError::invalid(field, "must lie between 0 and 1"));
        }
    }
    if question.similarity_threshold.is_some_and(|least| !(-1.0..=1.0).contains(&least)) {
        return Err(EngineError::invalid("similarity_threshold", "must lie between -1 and 1"));
    }
    for (field, clauses) in [("metadata_filter", &question.filter), ("metadata_exclude", &question.exclude)] {
        if clauses.len() > MOST_CLAUSES {
            return Err(EngineError::invalid(field, "must not have more than 20 keys"));
        }
        let length = serde_json::to_string(clauses).map_or(usize::MAX, |text| text.len());
        if length > LARGEST_FILTER && Defence::JsonCost.is_on() {
            return Err(EngineError::invalid(field, "must not be larger than 16 kB"));
        }
    }
    Ok(())
}

pub(super) fn microseconds(since: Instant) -> i32 {
    i32::try_from(since.elapsed().as_micros()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_that_a_receipt_should_not_store_is_refused() {
        let query = |text: String| RetrievalQuery {
            task: "t".to_owned(),
            filter: Map::from_iter([("a".to_owned(), Value::String(text))]),
            ..RetrievalQuery::default()
        };
        assert!(check(&query("x".repeat(LARGEST_FILTER / 2))).is_ok());
        let refused = check(&query("x".repeat(LARGEST_FILTER))).unwrap_err().to_string();
        assert!(refused.contains("metadata_filter") && refused.contains("16 kB"), "{refused}");
    }

    #[test]
    fn metadata_has_no_control_tokens_and_nothing_invisible() {
        let raw = serde_json::json!({ "a\u{200b}": ["<|im_start|>", 7, { "b": "x\u{202e}y" }] });
        assert_eq!(served_json(raw), serde_json::json!({ "a": ["‹|im_start|>", 7, { "b": "xy" }] }));
    }

    #[test]
    fn a_long_text_is_cut() {
        assert_eq!(shorten("x".repeat(2 * LONGEST_TEXT)).chars().count(), LONGEST_TEXT + 1);
    }
}
