//! The receipt of a retrieval: the query, the candidates, the served memories, and why the others were not served.

use std::collections::HashSet;
use std::time::Instant;

use reflect_store::Receipt;
use reflect_types::{Fate, MemoryId, ProjectId, ProjectSettings, RetrievalId};
use serde_json::json;

use super::query::{RetrievalQuery, SearchResult, microseconds};
use crate::caller::Visitor;
use crate::rank::{Considered, PerLesson, Ranked, Ranking, UtilityWeight};

/// How long a task keeps its holdout decision, in seconds. Long enough that a repeated query in a run gets the same
/// decision, short enough that runs of the same task fall into both arms.
const WINDOW: u64 = 600;

/// The ranking of the candidates.
pub(super) struct Order<'a> {
    pub(super) ranking: Ranking,
    pub(super) weight: UtilityWeight,
    /// All candidates, the pinned ones first.
    pub(super) considered: &'a [Considered],
    /// The candidates above the threshold, by score.
    pub(super) by_score: &'a [MemoryId],
    /// The lessons that are served, and the candidates within the shares of their sources that are not.
    pub(super) lessons: &'a PerLesson,
    /// Candidates within the limit for which the places do not suffice.
    pub(super) without_room: &'a HashSet<MemoryId>,
    /// The candidates that exceed the share of their source.
    pub(super) beyond: &'a [Ranked],
}

impl Order<'_> {
    /// The memories below the threshold.
    fn dissimilar(&self, found: &SearchResult) -> Vec<Considered> {
        let others = &self.considered[found.pinned.len()..];
        others.iter().filter(|candidate| candidate.similarity < found.threshold).copied().collect()
    }

    /// Why a candidate whose lesson is not served is not.
    fn fate(&self, memory: MemoryId, question: &RetrievalQuery) -> Fate {
        if self.without_room.contains(&memory) {
            return Fate::NoRoom;
        }
        // By score alone it would have been served.
        let is_varied =
            question.mmr < 1.0 && self.by_score.iter().take(question.limit).any(|one| *one == memory);
        if is_varied { Fate::Alike } else { Fate::Outranked }
    }
}

/// Builds the receipt, and decides whether the memories are withheld.
pub(super) fn receipt(
    visitor: &Visitor,
    question: &RetrievalQuery,
    found: &SearchResult,
    order: &Order<'_>,
    settings: &ProjectSettings,
    began: Instant,
) -> Receipt {
    let task_digest = *blake3::hash(question.task.as_bytes()).as_bytes();
    let PerLesson { chosen, covered, repeated, outranked, .. } = order.lessons;
    let retrieval_id = RetrievalId::generate();
    // A caller without a key is a person who is signed in. That query belongs to no run, so there is nothing to compare.
    let is_person = visitor.limits.key.is_none();
    let rate = if is_person || chosen.is_empty() { 0.0 } else { settings.holdout_rate };
    let held_out = is_held_out(visitor.project, &task_digest, retrieval_id, rate);
    let mut parameters = json!({
        "limit": question.limit,
        "utility_weight": order.weight.value,
        "utility_weight_from": order.weight.from,
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
        // Explains why dissimilar memories are served first.
        let pinned: Vec<MemoryId> = found.pinned.iter().map(|candidate| candidate.memory_id).collect();
        parameters["pinned"] = json!(pinned);
    }
    let dissimilar = order.dissimilar(found);
    let same_lesson = covered.iter().chain(repeated).map(|(ranked, _)| ranked);
    let ranked: Vec<Ranked> =
        chosen.iter().chain(outranked).chain(order.beyond).chain(same_lesson).copied().collect();
    // A memory with the lesson of another one is withheld with it.
    let unless_held_out = |fate: Fate| if held_out { Fate::HeldOut } else { fate };
    let fates = chosen
        .iter()
        .map(|_| unless_held_out(Fate::Served))
        .chain(outranked.iter().map(|ranked| order.fate(ranked.memory_id, question)))
        .chain(order.beyond.iter().map(|_| Fate::Bounded))
        .chain(covered.iter().map(|_| unless_held_out(Fate::SameLesson)))
        .chain(repeated.iter().map(|_| unless_held_out(Fate::Repeated)))
        .chain(dissimilar.iter().map(|_| Fate::Dissimilar));
    Receipt {
        retrieval_id,
        key_id: visitor.key_id,
        space: found.space,
        task: question.task.clone(),
        task_digest,
        parameters,
        memory_ids: with(&ranked, |ranked| ranked.memory_id, &dissimilar, |other| other.memory_id),
        similarities: with(&ranked, |ranked| ranked.similarity, &dissimilar, |other| other.similarity),
        utilities: with(&ranked, |ranked| ranked.utility, &dissimilar, |other| other.utility(order.ranking)),
        fates: fates.collect(),
        served: if held_out { 0 } else { chosen.len() },
        held_out,
        degraded: found.degraded.is_some(),
        embed_us: found.embed_us,
        search_us: microseconds(began).saturating_sub(found.embed_us),
    }
}

/// Reduces the served memories of a receipt to the first `served`, because only memories that reach the client may be
/// credited. `covered` are those that the remaining ones stand for.
pub(super) fn shorten(receipt: &mut Receipt, served: usize, covered: &[MemoryId]) {
    let lines = receipt.memory_ids.iter().zip(&mut receipt.fates).enumerate();
    for (place, (memory, fate)) in lines {
        let is_dropped = match *fate {
            Fate::Served => place >= served,
            Fate::SameLesson => !covered.contains(memory),
            _ => false,
        };
        if is_dropped {
            *fate = Fate::NoRoom;
        }
    }
    receipt.served = receipt.served.min(served);
}

/// One value per candidate: ranked candidates first.
fn with<T>(
    ranked: &[Ranked],
    of_ranked: impl Fn(&Ranked) -> T,
    others: &[Considered],
    of_other: impl Fn(&Considered) -> T,
) -> Vec<T> {
    ranked.iter().map(of_ranked).chain(others.iter().map(of_other)).collect()
}

/// Whether memories are withheld from a retrieval.
fn is_held_out(project: ProjectId, task_digest: &[u8; 32], retrieval: RetrievalId, rate: f64) -> bool {
    if rate <= 0.0 {
        return false;
    }
    let mut lot = blake3::Hasher::new_derive_key("reflect holdout 1");
    lot.update(&project.number().to_be_bytes());
    lot.update(task_digest);
    let asked_at = retrieval.as_uuid().get_timestamp().map_or(0, |at| at.to_unix().0);
    lot.update(&(asked_at / WINDOW).to_be_bytes());
    let mut drawn = [0; 8];
    drawn.copy_from_slice(&lot.finalize().as_bytes()[..8]);
    (u64::from_be_bytes(drawn) as f64) < rate * (u64::MAX as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::{NoContext, Timestamp, Uuid};

    /// A retrieval at this many seconds after a fixed time.
    fn at(seconds: u64) -> RetrievalId {
        let moment = Timestamp::from_unix(NoContext, 1_800_000_000 + seconds, 0);
        RetrievalId::from_uuid(Uuid::new_v7(moment))
    }

    fn digest(task: u32) -> [u8; 32] {
        *blake3::hash(&task.to_be_bytes()).as_bytes()
    }

    #[test]
    fn only_what_reaches_the_client_stays_served() {
        let ids: Vec<MemoryId> = (0..5).map(|_| MemoryId::generate()).collect();
        let mut short = Receipt {
            retrieval_id: at(0),
            key_id: reflect_types::KeyId::generate(),
            space: None,
            task: String::new(),
            task_digest: digest(1),
            parameters: json!({}),
            memory_ids: ids.clone(),
            similarities: vec![0.5; 5],
            utilities: vec![0.5; 5],
            fates: vec![Fate::Served, Fate::Served, Fate::Outranked, Fate::SameLesson, Fate::SameLesson],
            served: 2,
            degraded: false,
            held_out: false,
            embed_us: 1,
            search_us: 1,
        };
        shorten(&mut short, 1, &ids[3..4]);

        assert_eq!(short.served_ids(), &ids[..1]);
        let fates = [Fate::Served, Fate::NoRoom, Fate::Outranked, Fate::SameLesson, Fate::NoRoom];
        assert_eq!(short.fates, fates);
    }

    #[test]
    fn nothing_is_held_out_unless_asked_for() {
        assert!((0..1000).all(|task| !is_held_out(ProjectId::new(1), &digest(task), at(0), 0.0)));
    }

    #[test]
    fn the_share_is_what_was_asked_for_and_grows_without_changing_sides() {
        let project = ProjectId::new(7);
        let held = |rate: f64| -> Vec<u32> {
            (0..20_000).filter(|task| is_held_out(project, &digest(*task), at(0), rate)).collect()
        };
        let (tenth, third) = (held(0.1), held(0.3));
        assert!((1_850..2_150).contains(&tenth.len()), "{}", tenth.len());
        assert!((5_750..6_250).contains(&third.len()), "{}", third.len());
        assert!(tenth.iter().all(|task| third.contains(task)));
    }

    #[test]
    fn a_task_keeps_its_lot_for_a_while_and_then_draws_again() {
        let held = |seconds: u64| is_held_out(ProjectId::new(1), &digest(1), at(seconds), 0.5);
        assert!((0..WINDOW).step_by(7).all(|seconds| held(seconds) == held(0)));
        let later = (0..1000).filter(|window| held(window * WINDOW)).count();
        assert!((430..570).contains(&later), "{later}");
    }

    #[test]
    fn projects_draw_their_own_lots() {
        let held = |project: i32| -> Vec<bool> {
            (0..200).map(|task| is_held_out(ProjectId::new(project), &digest(task), at(0), 0.5)).collect()
        };
        assert_ne!(held(1), held(2));
    }
}
