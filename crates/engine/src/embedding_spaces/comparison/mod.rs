//! How much the results of two spaces differ. Pure.

use reflect_types::{MemoryId, RetrievalId};

/// How many of the most changed queries are shown.
const SHOWN: usize = 10;

/// A query with the result of each space.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ComparedQuestion {
    pub(crate) retrieval_id: RetrievalId,
    pub(crate) task: String,
    pub(crate) from: SpaceResult,
    pub(crate) to: SpaceResult,
}

/// The result of one space for a query.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct SpaceResult {
    /// The memories that would be served, best first.
    pub(crate) served: Vec<MemoryId>,
    /// The similarities of all candidates.
    pub(crate) similarities: Vec<f32>,
}

/// How much one space serves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SpaceCoverage {
    /// The similarity threshold.
    pub similarity_threshold: f32,
    /// The number of queries with at least one memory.
    pub questions: usize,
    /// The number of memories served for all queries.
    pub memories: usize,
}

/// A query whose result changes.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionChange {
    /// The latest receipt of the query.
    pub retrieval_id: RetrievalId,
    /// The task of the query.
    pub task: String,
    /// The share of memories that both serve.
    pub overlap: f64,
    /// The mean number of ranks by which memories move.
    pub rank_change: f64,
    /// The memories that the old space serves.
    pub from: Vec<MemoryId>,
    /// The memories that the new space serves.
    pub to: Vec<MemoryId>,
}

/// How much the results of two spaces differ.
#[derive(Debug, Clone, PartialEq)]
pub struct SpaceComparison {
    /// The number of queries.
    pub questions: usize,
    /// The most memories for each query.
    pub limit: usize,
    /// The mean share of memories that both serve.
    pub overlap: f64,
    /// The share of queries for which both spaces rank the same memory first.
    pub same_first: f64,
    /// The mean number of ranks by which memories move.
    pub rank_change: f64,
    /// What the old space serves.
    pub from: SpaceCoverage,
    /// What the new space serves.
    pub to: SpaceCoverage,
    /// The threshold at which the new space passes the same share of candidates as the old one.
    pub suggested_threshold: Option<f32>,
    /// The most changed queries, in order.
    pub most_changed: Vec<QuestionChange>,
}

/// Compares results. The thresholds are those that were applied.
pub(crate) fn compare(
    asked: Vec<ComparedQuestion>,
    limit: usize,
    from_threshold: f32,
    to_threshold: f32,
) -> SpaceComparison {
    let questions = asked.len();
    let mean = |sum: f64| if questions == 0 { 0.0 } else { sum / questions as f64 };
    let same = asked.iter().filter(|one| one.from.served.first() == one.to.served.first()).count();
    let from = served(asked.iter().map(|one| &one.from), from_threshold);
    let to = served(asked.iter().map(|one| &one.to), to_threshold);
    let all = |part: fn(&ComparedQuestion) -> &SpaceResult| -> Vec<f32> {
        asked.iter().flat_map(|one| part(one).similarities.iter().copied()).collect()
    };
    let suggested_threshold = matching_threshold(&all(|one| &one.from), from_threshold, all(|one| &one.to));
    let mut changed: Vec<QuestionChange> = asked.into_iter().map(|one| changed(one, limit)).collect();
    let overlap = mean(changed.iter().map(|one| one.overlap).sum());
    let rank_change = mean(changed.iter().map(|one| one.rank_change).sum());
    changed.retain(|one| one.rank_change > 0.0);
    changed.sort_by(|one, other| {
        one.overlap.total_cmp(&other.overlap).then(other.rank_change.total_cmp(&one.rank_change))
    });
    changed.truncate(SHOWN);
    SpaceComparison {
        questions,
        limit,
        overlap,
        same_first: mean(same as f64),
        rank_change,
        from,
        to,
        suggested_threshold,
        most_changed: changed,
    }
}

fn served<'a>(found: impl Iterator<Item = &'a SpaceResult>, similarity_threshold: f32) -> SpaceCoverage {
    let start = SpaceCoverage { similarity_threshold, ..SpaceCoverage::default() };
    found.fold(start, |sum, found| SpaceCoverage {
        questions: sum.questions + usize::from(!found.served.is_empty()),
        memories: sum.memories + found.served.len(),
        ..sum
    })
}

fn changed(asked: ComparedQuestion, limit: usize) -> QuestionChange {
    let ComparedQuestion {
        retrieval_id,
        task,
        from: SpaceResult { served: from, .. },
        to: SpaceResult { served: to, .. },
    } = asked;
    let (overlap, rank_change) = (overlap(&from, &to), rank_change(&from, &to, limit));
    QuestionChange { retrieval_id, task, overlap, rank_change, from, to }
}

/// The share of the longer list that is in both lists. Two empty lists are equal.
fn overlap(from: &[MemoryId], to: &[MemoryId]) -> f64 {
    let longer = from.len().max(to.len());
    if longer == 0 {
        return 1.0;
    }
    from.iter().filter(|memory| to.contains(memory)).count() as f64 / longer as f64
}

/// The mean number of ranks by which the memories of both lists move. A memory that is in one list only counts as
/// ranked just after the end of the other.
fn rank_change(from: &[MemoryId], to: &[MemoryId], limit: usize) -> f64 {
    let place = |list: &[MemoryId], memory| list.iter().position(|one| *one == memory).unwrap_or(limit);
    let both: Vec<MemoryId> =
        from.iter().chain(to.iter().filter(|memory| !from.contains(memory))).copied().collect();
    let moved: usize = both.iter().map(|memory| place(from, *memory).abs_diff(place(to, *memory))).sum();
    if both.is_empty() { 0.0 } else { moved as f64 / both.len() as f64 }
}

/// The threshold that passes the same share of `to` as `threshold` passes of `from`: halfway between the last value
/// that passes and the first that does not. `None` if one list is empty.
fn matching_threshold(from: &[f32], threshold: f32, mut to: Vec<f32>) -> Option<f32> {
    if from.is_empty() || to.is_empty() {
        return None;
    }
    let passing = from.iter().filter(|similarity| **similarity >= threshold).count();
    to.sort_by(|one, other| other.total_cmp(one));
    let pass = (passing as f64 / from.len() as f64 * to.len() as f64).round() as usize;
    let suggested = match (pass.checked_sub(1).and_then(|last| to.get(last)), to.get(pass)) {
        (Some(last), Some(first_out)) => f32::midpoint(*last, *first_out),
        // All values pass, so nothing says which to exclude.
        (Some(last), None) => *last,
        // No value passes.
        (None, Some(first_out)) => first_out + 0.001,
        (None, None) => return None,
    };
    Some(suggested.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
