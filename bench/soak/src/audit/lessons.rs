//! I4, lessons: what a memory absorbed, what a review superseded, and the lesson that a memory belongs to.

use std::collections::{HashMap, HashSet};

use super::facts::{Facts, Key, StatFact};
use super::memories::{DISABLED, MERGED, RETIRED};
use super::{Invariant, Violation};

pub(super) fn check(facts: &Facts) -> Vec<Violation> {
    let stats: HashMap<Key, &StatFact> =
        facts.stats.iter().map(|stat| ((stat.project_id, stat.memory_id), stat)).collect();
    let live: HashSet<Key> = facts
        .reviews
        .iter()
        .filter(|review| review.live)
        .map(|review| (review.project_id, review.review_id))
        .collect();
    let mut absorbed: HashMap<Key, i32> = HashMap::new();
    for stat in facts.stats.iter().filter(|stat| stat.status == MERGED) {
        if let Some(into) = stat.merged_into {
            *absorbed.entry((stat.project_id, into)).or_default() += 1;
        }
    }
    let wrong = |stat: &StatFact| -> Vec<String> {
        let into = stat.merged_into.and_then(|into| stats.get(&(stat.project_id, into)));
        let counted = absorbed.get(&(stat.project_id, stat.memory_id)).copied().unwrap_or(0);
        let superseded = stat.superseded_by.map(|review| live.contains(&(stat.project_id, review)));
        let is_retired = stat.status == RETIRED;
        let cases = [
            (stat.absorbed != counted, format!("absorbed {} and {counted} point to it", stat.absorbed)),
            (
                stat.status == MERGED && into.is_none_or(|into| [MERGED, RETIRED].contains(&into.status)),
                format!("is absorbed by {:?}, which does not stand for it", stat.merged_into),
            ),
            (
                stat.status == MERGED && into.is_some_and(|into| into.lesson_id != stat.lesson_id),
                "has another lesson than the memory that absorbed it".to_owned(),
            ),
            (
                !is_retired && superseded.is_some() != (stat.status == DISABLED),
                format!("has status {} and is superseded by {:?}", stat.status, stat.superseded_by),
            ),
            (
                superseded == Some(false),
                format!("is superseded by the review {:?}, which does not count", stat.superseded_by),
            ),
        ];
        cases.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, what)| what).collect()
    };
    let named = |stat: &StatFact| {
        let id = stat.memory_id;
        wrong(stat)
            .into_iter()
            .map(move |what| Violation::new(Invariant::I4, format!("memory {id} {what}")))
            .collect::<Vec<_>>()
    };
    facts.stats.iter().flat_map(named).collect()
}
