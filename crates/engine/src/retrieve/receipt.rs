//! The receipt of a retrieval: what was asked, what was considered, what went out, and why the rest did not.

use std::time::Instant;

use reflect_store::{Candidate, Receipt};
use reflect_types::{Fate, MemoryId, RetrievalId};
use serde_json::json;

use super::{Found, Question, holdout, microseconds};
use crate::authenticate::Visitor;
use crate::manage_project::ProjectSettings;
use crate::rank::{Ranked, Ranking};

/// How candidates were put in order.
pub(super) struct Order<'a> {
    pub(super) ranking: Ranking,
    /// Those that are similar enough, by score.
    pub(super) ranked: &'a [MemoryId],
    /// The same, in the order in which they are served.
    pub(super) serving: &'a [Ranked],
    /// Those that are not served because their source had its share.
    pub(super) beyond: &'a [Ranked],
}

/// Puts the receipt together, and decides whether what was found is held back.
pub(super) fn receipt(
    visitor: &Visitor,
    question: &Question,
    found: &Found,
    order: &Order<'_>,
    settings: &ProjectSettings,
    began: Instant,
) -> Receipt {
    let task_digest = *blake3::hash(question.task.as_bytes()).as_bytes();
    let (serving, retrieval_id) = (order.serving, RetrievalId::generate());
    let held_out = !serving.is_empty()
        && holdout::is_held_out(visitor.project, &task_digest, retrieval_id, settings.holdout_rate);
    let mut parameters = json!({
        "limit": question.limit,
        "utility_weight": question.utility_weight,
        "mmr": question.mmr,
        "similarity_threshold": found.space.map(|_| found.threshold),
        "filter": question.filter,
        "exclude": question.exclude,
        "ranking": order.ranking,
    });
    if settings.holdout_rate > 0.0 {
        parameters["holdout_rate"] = json!(settings.holdout_rate);
    }
    if !found.pinned.is_empty() {
        // Why something dissimilar was served, and first.
        let pinned: Vec<MemoryId> = found.pinned.iter().map(|candidate| candidate.memory_id).collect();
        parameters["pinned"] = json!(pinned);
    }
    let dissimilar = || found.candidates.iter().filter(|candidate| candidate.similarity < found.threshold);
    let ranked = [serving, order.beyond].concat();
    let places = serving.iter().enumerate();
    let fates = places.map(|(place, ranked)| fate(place, ranked.memory_id, order, question.limit, held_out));
    Receipt {
        retrieval_id,
        key_id: visitor.key_id,
        space: found.space,
        task: question.task.clone(),
        task_digest,
        parameters,
        memory_ids: with(&ranked, |ranked| ranked.memory_id, dissimilar(), |other| other.memory_id),
        similarities: with(&ranked, |ranked| ranked.similarity, dissimilar(), |other| other.similarity),
        utilities: with(&ranked, |ranked| ranked.utility, dissimilar(), |other| other.q),
        fates: fates
            .chain(order.beyond.iter().map(|_| Fate::Bounded))
            .chain(dissimilar().map(|_| Fate::Dissimilar))
            .collect(),
        served: if held_out { 0 } else { serving.len().min(question.limit) },
        held_out,
        degraded: found.degraded.is_some(),
        embed_us: found.embed_us,
        search_us: microseconds(began).saturating_sub(found.embed_us),
    }
}

/// One value for each candidate: those that could be served first.
fn with<'a, T>(
    serving: &[Ranked],
    of_ranked: impl Fn(&Ranked) -> T,
    others: impl Iterator<Item = &'a Candidate>,
    of_other: impl Fn(&Candidate) -> T,
) -> Vec<T> {
    serving.iter().map(of_ranked).chain(others.map(of_other)).collect()
}

fn fate(place: usize, memory: MemoryId, order: &Order<'_>, limit: usize, held_out: bool) -> Fate {
    if place < limit {
        return if held_out { Fate::HeldOut } else { Fate::Served };
    }
    // By score alone it would have had a place.
    if order.ranked.iter().take(limit).any(|one| *one == memory) { Fate::Alike } else { Fate::Outranked }
}
