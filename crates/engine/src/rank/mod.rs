//! The order in which memories are served. Pure rules.

mod bound;

use std::cmp::Ordering;
use std::collections::HashMap;

pub use bound::{Held, hold_to_share};
pub use reflect_types::Ranking;
use reflect_types::{Credit, MemoryId, Source};

/// A memory that may help, and what is known of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Considered {
    /// The memory.
    pub memory_id: MemoryId,
    /// How similar its task is.
    pub similarity: f32,
    /// Its `q_value`.
    pub q: f32,
    /// Its credit.
    pub credit: Credit,
    /// Where it comes from, if that is not trusted.
    pub untrusted: Option<Source>,
}

/// A memory with its place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The memory.
    pub memory_id: MemoryId,
    /// How similar its task is.
    pub similarity: f32,
    /// What was taken for its utility.
    pub utility: f32,
    /// Similarity and utility together.
    pub score: f32,
}

/// How many candidates are considered for so many places. Enough for utility to lift something, few
/// enough that all of them are about the task.
///
/// ```
/// use reflect_engine::rank::pool;
///
/// assert_eq!(pool(1), 20);
/// assert_eq!(pool(10), 40);
/// ```
pub fn pool(limit: usize) -> usize {
    (4 * limit).max(20)
}

/// Candidates that are similar enough, best first: `(1 − weight) · similarity + weight · utility`.
///
/// ```
/// use reflect_engine::rank::{Considered, Ranking, rank};
/// use reflect_types::{Credit, MemoryId};
///
/// let near = Considered {
///     memory_id: MemoryId::generate(),
///     similarity: 0.8,
///     q: 0.5,
///     credit: Credit::stored(0.2, 9),
///     untrusted: None,
/// };
/// let credit = Credit::stored(0.7, 9);
/// let good = Considered { memory_id: MemoryId::generate(), similarity: 0.7, credit, ..near };
/// let ranked = rank(&[near, good], Ranking::Learned, 0.5, 0.3);
/// assert_eq!(ranked[0].memory_id, good.memory_id);
/// ```
pub fn rank(candidates: &[Considered], ranking: Ranking, weight: f32, threshold: f32) -> Vec<Ranked> {
    let similar = candidates.iter().filter(|candidate| candidate.similarity >= threshold);
    let mut ranked: Vec<Ranked> = similar
        .map(|candidate| {
            let utility = match (candidate.untrusted, ranking) {
                (Some(_), ranking) => bound::utility(ranking, candidate.q, candidate.credit),
                (None, Ranking::Learned) => candidate.credit.utility(),
                (None, Ranking::Classic) => candidate.q,
            };
            Ranked {
                memory_id: candidate.memory_id,
                similarity: candidate.similarity,
                utility,
                score: (1.0 - weight) * candidate.similarity + weight * utility,
            }
        })
        .collect();
    ranked.sort_by(better);
    ranked
}

/// Of two equal ones the more similar comes first, then the older, so that the order is always the same.
fn better(one: &Ranked, other: &Ranked) -> Ordering {
    other
        .score
        .total_cmp(&one.score)
        .then(other.similarity.total_cmp(&one.similarity))
        .then(one.memory_id.cmp(&other.memory_id))
}

/// Puts memories first that say something new: each place goes to the highest
/// `mmr · score − (1 − mmr) · similarity to what is served already`. What gets no place follows in its
/// old order. The first `fixed` ones keep their places.
pub(crate) fn diversify(
    mut ranked: Vec<Ranked>,
    vectors: &HashMap<MemoryId, Vec<f32>>,
    mmr: f32,
    limit: usize,
    fixed: usize,
) -> Vec<Ranked> {
    let mut chosen: Vec<Ranked> = Vec::with_capacity(ranked.len());
    // For each that is left, how close it is to the closest one chosen.
    let mut closest = vec![0.0_f32; ranked.len()];
    while chosen.len() < limit && !ranked.is_empty() {
        let worth = |at: usize| mmr * ranked[at].score - (1.0 - mmr) * closest[at];
        // The first of equals, which is the better ranked one.
        let best = match chosen.len() < fixed {
            true => 0,
            false => (0..ranked.len())
                .rev()
                .max_by(|&one, &other| worth(one).total_cmp(&worth(other)))
                .unwrap_or(0),
        };
        let next = ranked.remove(best);
        closest.remove(best);
        for (left, closest) in ranked.iter().zip(&mut closest) {
            let (Some(one), Some(other)) = (vectors.get(&next.memory_id), vectors.get(&left.memory_id))
            else {
                continue;
            };
            let similarity: f32 = one.iter().zip(other).map(|(a, b)| a * b).sum();
            *closest = closest.max(similarity);
        }
        chosen.push(next);
    }
    chosen.extend(ranked);
    chosen
}

#[cfg(test)]
mod tests;
