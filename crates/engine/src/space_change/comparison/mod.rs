//! How much the answers of two spaces to the same questions differ. Pure.

use reflect_types::{MemoryId, RetrievalId};

/// How many of the questions that change most are shown.
const SHOWN: usize = 10;

/// A question with what each space would serve.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Asked {
    pub(crate) retrieval_id: RetrievalId,
    pub(crate) task: String,
    pub(crate) from: Found,
    pub(crate) to: Found,
}

/// What one space has for a question.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Found {
    /// What would be served, best first.
    pub(crate) served: Vec<MemoryId>,
    /// How similar all candidates are, served or not.
    pub(crate) similarities: Vec<f32>,
}

/// How much one space serves.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Served {
    /// The least similarity that was applied.
    pub similarity_threshold: f32,
    /// For how many questions it has anything.
    pub questions: usize,
    /// How many memories it has for all of them.
    pub memories: usize,
}

/// A question whose answer changes.
#[derive(Debug, Clone, PartialEq)]
pub struct ChangedQuestion {
    /// The last receipt of this question.
    pub retrieval_id: RetrievalId,
    /// The question.
    pub task: String,
    /// The share of memories that both serve.
    pub overlap: f64,
    /// By how many places memories move, on average.
    pub rank_change: f64,
    /// What the old space serves.
    pub from: Vec<MemoryId>,
    /// What the new one serves.
    pub to: Vec<MemoryId>,
}

/// How much the answers of two spaces differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// How many questions were asked of both.
    pub questions: usize,
    /// The most memories for each.
    pub limit: usize,
    /// The mean share of memories that both serve.
    pub overlap: f64,
    /// The share of questions to which both give the same first memory.
    pub same_first: f64,
    /// The mean number of places by which memories move.
    pub rank_change: f64,
    /// How much the old space serves.
    pub from: Served,
    /// How much the new one serves.
    pub to: Served,
    /// The threshold with which the new space would let as large a share of candidates through as the old one.
    pub suggested_threshold: Option<f32>,
    /// The questions that change most, the most changed first.
    pub most_changed: Vec<ChangedQuestion>,
}

/// Compares answers. The thresholds are those by which they were made.
pub(crate) fn compare(asked: Vec<Asked>, limit: usize, from_threshold: f32, to_threshold: f32) -> Comparison {
    let questions = asked.len();
    let mean = |sum: f64| if questions == 0 { 0.0 } else { sum / questions as f64 };
    let same = asked.iter().filter(|one| one.from.served.first() == one.to.served.first()).count();
    let from = served(asked.iter().map(|one| &one.from), from_threshold);
    let to = served(asked.iter().map(|one| &one.to), to_threshold);
    let all = |part: fn(&Asked) -> &Found| -> Vec<f32> {
        asked.iter().flat_map(|one| part(one).similarities.iter().copied()).collect()
    };
    let suggested_threshold = matching_threshold(&all(|one| &one.from), from_threshold, all(|one| &one.to));
    let mut changed: Vec<ChangedQuestion> = asked.into_iter().map(|one| changed(one, limit)).collect();
    let overlap = mean(changed.iter().map(|one| one.overlap).sum());
    let rank_change = mean(changed.iter().map(|one| one.rank_change).sum());
    changed.retain(|one| one.rank_change > 0.0);
    changed.sort_by(|one, other| {
        one.overlap.total_cmp(&other.overlap).then(other.rank_change.total_cmp(&one.rank_change))
    });
    changed.truncate(SHOWN);
    Comparison {
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

fn served<'a>(found: impl Iterator<Item = &'a Found>, similarity_threshold: f32) -> Served {
    let start = Served { similarity_threshold, ..Served::default() };
    found.fold(start, |sum, found| Served {
        questions: sum.questions + usize::from(!found.served.is_empty()),
        memories: sum.memories + found.served.len(),
        ..sum
    })
}

fn changed(asked: Asked, limit: usize) -> ChangedQuestion {
    let Asked { retrieval_id, task, from: Found { served: from, .. }, to: Found { served: to, .. } } = asked;
    let (overlap, rank_change) = (overlap(&from, &to), rank_change(&from, &to, limit));
    ChangedQuestion { retrieval_id, task, overlap, rank_change, from, to }
}

/// The share of the longer list that both have. Two empty lists are the same.
fn overlap(from: &[MemoryId], to: &[MemoryId]) -> f64 {
    let longer = from.len().max(to.len());
    if longer == 0 {
        return 1.0;
    }
    from.iter().filter(|memory| to.contains(memory)).count() as f64 / longer as f64
}

/// By how many places the memories of either list move, on average. One that only one of them has counts as
/// just behind the last place of the other.
fn rank_change(from: &[MemoryId], to: &[MemoryId], limit: usize) -> f64 {
    let place = |list: &[MemoryId], memory| list.iter().position(|one| *one == memory).unwrap_or(limit);
    let both: Vec<MemoryId> =
        from.iter().chain(to.iter().filter(|memory| !from.contains(memory))).copied().collect();
    let moved: usize = both.iter().map(|memory| place(from, *memory).abs_diff(place(to, *memory))).sum();
    if both.is_empty() { 0.0 } else { moved as f64 / both.len() as f64 }
}

/// The threshold that lets the same share of `to` through as `threshold` does of `from`: half way between the
/// last that passes and the first that does not. None when one of them is empty.
fn matching_threshold(from: &[f32], threshold: f32, mut to: Vec<f32>) -> Option<f32> {
    if from.is_empty() || to.is_empty() {
        return None;
    }
    let passing = from.iter().filter(|similarity| **similarity >= threshold).count();
    to.sort_by(|one, other| other.total_cmp(one));
    let pass = (passing as f64 / from.len() as f64 * to.len() as f64).round() as usize;
    let suggested = match (pass.checked_sub(1).and_then(|last| to.get(last)), to.get(pass)) {
        (Some(last), Some(first_out)) => f32::midpoint(*last, *first_out),
        // All of them: nothing is known of what should be left out.
        (Some(last), None) => *last,
        // None of them.
        (None, Some(first_out)) => first_out + 0.001,
        (None, None) => return None,
    };
    Some(suggested.clamp(-1.0, 1.0))
}

#[cfg(test)]
mod tests;
