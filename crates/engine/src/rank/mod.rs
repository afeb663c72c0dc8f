//! The ranking of memories. Pure rules.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use reflect_store::MemoryCandidate;
pub use reflect_types::Ranking;
use reflect_types::{Credit, KeyId, LessonId, MemoryId, Source, TraceId, memory_value};
use uuid::Uuid;

/// How many memories a query gets if it does not say.
pub(crate) const DEFAULT_LIMIT: usize = 10;
/// The weight of utility against similarity if a query does not say.
pub(crate) const DEFAULT_UTILITY_WEIGHT: f32 = 0.5;
/// How many votes a memory has at most, however many runs it absorbed.
pub const MOST_VOTES: usize = 2;

/// A weight of utility, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct UtilityWeight {
    pub(crate) value: f32,
    /// In the words of the receipt.
    pub(crate) from: &'static str,
}

/// The weight of a query: that of the request, else that of the project. Replay compares weights of the learned ranking,
/// so its weight does not apply to the classic one.
pub(crate) fn utility_weight(
    requested: Option<f32>,
    replayed: Option<f32>,
    ranking: Ranking,
) -> UtilityWeight {
    match (requested, replayed, ranking) {
        (Some(value), _, _) => UtilityWeight { value, from: "request" },
        (None, Some(value), Ranking::Learned) => UtilityWeight { value, from: "replay" },
        (None, _, _) => UtilityWeight { value: DEFAULT_UTILITY_WEIGHT, from: "default" },
    }
}

/// A candidate for retrieval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Considered {
    /// The memory.
    pub memory_id: MemoryId,
    /// The similarity of its task.
    pub similarity: f32,
    /// Its `q_value`.
    pub q: f32,
    /// Its credit.
    pub credit: Credit,
    /// Its source, if that is not trusted.
    pub untrusted: Option<Source>,
    /// Its lesson: the id, or the digest of the text if it is not grouped. `None` if it has no lesson in common.
    pub lesson: Option<Uuid>,
    /// The digest of its text, if that is the text that is shown: it is not grouped, or it speaks for its lesson.
    pub text: Option<Uuid>,
    /// How many runs it has absorbed.
    pub absorbed: i32,
}

impl Considered {
    /// Its value under a ranking.
    pub fn utility(&self, ranking: Ranking) -> f32 {
        memory_value(ranking, self.q, self.credit, self.untrusted.is_some())
    }

    /// Two candidates have one lesson if one of these is equal. `LessonKeys` of the credit rules is the same relation.
    fn lesson_keys(&self) -> impl Iterator<Item = Uuid> {
        self.lesson.into_iter().chain(self.text)
    }
}

impl From<&MemoryCandidate> for Considered {
    fn from(candidate: &MemoryCandidate) -> Self {
        let source = candidate.author_key.zip(candidate.source_trace);
        Self {
            memory_id: candidate.memory_id,
            similarity: candidate.similarity,
            q: candidate.q,
            credit: Credit::stored(candidate.credit, candidate.evidence),
            untrusted: source.map(|(key, trace)| Source { key, trace }),
            lesson: candidate.lesson_id.map(LessonId::as_uuid).or(candidate.lesson_digest),
            text: candidate.lesson_digest,
            absorbed: candidate.absorbed,
        }
    }
}

/// A memory with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// The memory.
    pub memory_id: MemoryId,
    /// The similarity of its task.
    pub similarity: f32,
    /// The utility that was used.
    pub utility: f32,
    /// The weighted sum of similarity and utility.
    pub score: f32,
}

/// How many candidates are considered for a limit: enough that utility can change the order, few enough that all are
/// about the task.
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

/// Candidates above the threshold, best first: `(1 − weight) · similarity + weight · utility`.
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
///     lesson: None,
///     text: None,
///     absorbed: 0,
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
            let utility = candidate.utility(ranking);
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

/// Ties are broken by similarity, then by age, to give a stable order.
fn better(one: &Ranked, other: &Ranked) -> Ordering {
    other
        .score
        .total_cmp(&one.score)
        .then(other.similarity.total_cmp(&one.similarity))
        .then(one.memory_id.cmp(&other.memory_id))
}

/// Maximal marginal relevance: each place goes to the highest `mmr · score − (1 − mmr) · similarity to the memories
/// before it`. Memories beyond `limit` keep their order. The first `fixed` memories keep their places.
pub(crate) fn diversify(
    mut ranked: Vec<Ranked>,
    vectors: &HashMap<MemoryId, Vec<f32>>,
    mmr: f32,
    limit: usize,
    fixed: usize,
) -> Vec<Ranked> {
    let mut chosen: Vec<Ranked> = Vec::with_capacity(ranked.len());
    // For each remaining memory, the similarity to the closest chosen one.
    let mut closest = vec![0.0_f32; ranked.len()];
    while chosen.len() < limit && !ranked.is_empty() {
        let worth = |at: usize| mmr * ranked[at].score - (1.0 - mmr) * closest[at];
        // The first of equals, which has the better rank.
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

/// Ranked memories as lessons.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PerLesson {
    /// One memory for each lesson, in order.
    pub chosen: Vec<Ranked>,
    /// For each of them, how many of the votes its lesson has.
    pub votes_of: HashMap<MemoryId, usize>,
    /// The number of votes that were used.
    pub votes: usize,
    /// Other selected memories, and the chosen memory that stands for each.
    pub covered: Vec<(Ranked, MemoryId)>,
    /// Memories of untrusted sources and memories that are not selected, if they have the lesson of a chosen one, and that
    /// one.
    pub repeated: Vec<(Ranked, MemoryId)>,
    /// The other memories, in order.
    pub outranked: Vec<Ranked>,
}

/// Selected memories with one lesson.
struct Selection<'a> {
    /// Lessons and texts that connect them.
    keys: Vec<Uuid>,
    /// In the order of the ranking.
    members: Vec<Member<'a>>,
}

/// A selected memory with its place in the ranking and the votes that it used.
struct Member<'a> {
    place: usize,
    ranked: Ranked,
    candidate: &'a Considered,
    votes: usize,
}

impl<'a> Selection<'a> {
    fn shares(&self, candidate: &Considered) -> bool {
        candidate.lesson_keys().any(|key| self.keys.contains(&key))
    }

    /// The highest ranked memory, of a trusted source if there is one.
    fn head(&self) -> Option<&Member<'a>> {
        let trusted = self.members.iter().find(|member| member.candidate.untrusted.is_none());
        trusted.or(self.members.first())
    }
}

/// Selects the best `limit` votes of a ranking and keeps one memory for each lesson. Each memory takes one vote, or two if it
/// absorbed runs. Memories with an equal lesson or an equal shown text have one lesson. The highest ranked of them stands for
/// it, of a trusted source if one was selected. The others that are selected are covered: a run that receives the lesson
/// received theirs, so its review counts for them too. Every memory keeps its own utility, because one lesson can help with
/// one task and mislead with another.
pub fn lessons(ranked: Vec<Ranked>, candidates: &[Considered], limit: usize) -> PerLesson {
    let candidates: HashMap<MemoryId, &Considered> =
        candidates.iter().map(|one| (one.memory_id, one)).collect();
    let mut result = PerLesson::default();
    let (mut selections, mut unselected) = (Vec::new(), Vec::new());
    for (place, one) in ranked.into_iter().enumerate() {
        let Some(candidate) = candidates.get(&one.memory_id).copied() else { continue };
        let left = limit - result.votes;
        if left == 0 {
            unselected.push((one, candidate));
            continue;
        }
        let absorbed = usize::try_from(candidate.absorbed).unwrap_or(0);
        let votes = absorbed.saturating_add(1).min(MOST_VOTES).min(left);
        result.votes += votes;
        select(&mut selections, Member { place, ranked: one, candidate, votes });
    }
    for selection in &selections {
        serve(selection, &mut result);
    }
    for (one, candidate) in unselected {
        let serving = selections.iter().find(|selection| selection.shares(candidate));
        match serving.and_then(Selection::head) {
            Some(head) => result.repeated.push((one, head.ranked.memory_id)),
            None => result.outranked.push(one),
        }
    }
    result
}

/// Adds a memory to the selection of its lesson. It can connect two selections: one by its lesson, another by its text.
fn select<'a>(selections: &mut Vec<Selection<'a>>, member: Member<'a>) {
    let (same, others): (Vec<_>, Vec<_>) = std::mem::take(selections)
        .into_iter()
        .partition(|selection: &Selection<'_>| selection.shares(member.candidate));
    let mut joined = Selection { keys: member.candidate.lesson_keys().collect(), members: vec![member] };
    for mut selection in same {
        joined.keys.append(&mut selection.keys);
        joined.members.append(&mut selection.members);
    }
    joined.members.sort_by_key(|member| member.place);
    *selections = others;
    selections.push(joined);
    selections.sort_by_key(|selection| selection.members.first().map(|member| member.place));
}

/// Adds the lesson of a selection. Memories of untrusted sources that do not stand for it are repeated and give it no votes.
fn serve(selection: &Selection<'_>, result: &mut PerLesson) {
    let Some(head) = selection.head() else { return };
    let by = head.ranked.memory_id;
    let mut votes = 0;
    for member in &selection.members {
        let is_head = member.ranked.memory_id == by;
        if member.candidate.untrusted.is_some() && !is_head {
            result.repeated.push((member.ranked, by));
            continue;
        }
        votes += member.votes;
        if !is_head {
            result.covered.push((member.ranked, by));
        }
    }
    result.chosen.push(head.ranked);
    result.votes_of.insert(by, votes);
}

/// Memories to serve, and memories that exceed the share of their source.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Held {
    /// The memories to serve, in order.
    pub serving: Vec<Ranked>,
    /// The excluded memories, in order.
    pub beyond: Vec<Ranked>,
}

/// Limits untrusted sources: at most one memory of a run, and of a key at most half of the places, but at least one.
pub fn hold_to_share(ranked: Vec<Ranked>, sources: &HashMap<MemoryId, Source>, limit: usize) -> Held {
    if sources.is_empty() {
        return Held { serving: ranked, beyond: Vec::new() };
    }
    let most = (limit / 2).max(1);
    let (mut of_key, mut of_run) = (HashMap::<KeyId, usize>::new(), HashSet::<TraceId>::new());
    let mut held = Held::default();
    for one in ranked {
        let source = sources.get(&one.memory_id).filter(|_| held.serving.len() < limit);
        if let Some(source) = source {
            let count = of_key.entry(source.key).or_default();
            if *count == most || of_run.contains(&source.trace) {
                held.beyond.push(one);
                continue;
            }
            *count += 1;
            of_run.insert(source.trace);
        }
        held.serving.push(one);
    }
    held
}

#[cfg(test)]
mod lesson_tests;
#[cfg(test)]
mod share_tests;
#[cfg(test)]
mod tests;
