//! A ranking is served as lessons, each of them once.

use proptest::prelude::*;

use super::*;

fn memory(number: u128, lesson: Option<u128>, similarity: f32) -> Considered {
    Considered {
        memory_id: MemoryId::from_uuid(Uuid::from_u128(number)),
        similarity,
        q: 0.5,
        credit: Credit::START,
        untrusted: None,
        lesson: lesson.map(Uuid::from_u128),
        text: None,
        absorbed: 0,
    }
}

fn untrusted(memory: Considered) -> Considered {
    let key = KeyId::from_uuid(Uuid::from_u128(1));
    Considered { untrusted: Some(Source { key, trace: TraceId::from_uuid(Uuid::from_u128(1)) }), ..memory }
}

fn grouped(candidates: &[Considered], limit: usize) -> PerLesson {
    lessons(rank(candidates, Ranking::Learned, 0.0, -1.0), candidates, limit)
}

fn keys(candidate: &Considered) -> Vec<Uuid> {
    candidate.lesson_keys().collect()
}

fn number(id: MemoryId) -> u128 {
    id.as_uuid().as_u128()
}

fn ids(ranked: &[Ranked]) -> Vec<u128> {
    ranked.iter().map(|one| number(one.memory_id)).collect()
}

/// The chosen memories with the votes of their lessons.
fn shown(lessons: &PerLesson) -> Vec<(u128, usize)> {
    lessons.chosen.iter().map(|one| (number(one.memory_id), lessons.votes_of[&one.memory_id])).collect()
}

fn pairs(ranked: &[(Ranked, MemoryId)]) -> Vec<(u128, u128)> {
    ranked.iter().map(|(one, by)| (number(one.memory_id), number(*by))).collect()
}

#[test]
fn the_best_votes_are_shown_as_lessons_with_their_support() {
    let copies = (1..=5).map(|number| memory(number, Some(1), 0.9));
    let all: Vec<Considered> =
        copies.chain([memory(6, Some(2), 0.95), memory(7, Some(3), 0.5), memory(8, None, 0.4)]).collect();
    let grouped = grouped(&all, 4);
    assert_eq!(ids(&grouped.chosen), [6, 1]);
    let support = |number| grouped.votes_of[&memory(number, None, 0.0).memory_id];
    assert_eq!((support(6), support(1), grouped.votes), (1, 3, 4));
    assert_eq!(pairs(&grouped.covered), [(2, 1), (3, 1)]);
    assert_eq!((pairs(&grouped.repeated), ids(&grouped.outranked)), (vec![(4, 1), (5, 1)], vec![7, 8]));
}

#[test]
fn a_memory_that_is_not_selected_is_repeated_if_its_lesson_is_served() {
    let lessons = [1, 2, 1, 1, 3, 2, 4];
    let all: Vec<Considered> =
        (1..).zip(lessons).map(|(at, lesson)| memory(at, Some(lesson), 1.0 - at as f32 / 100.0)).collect();
    let grouped = grouped(&all, 5);
    assert_eq!((shown(&grouped), grouped.votes), (vec![(1, 3), (2, 1), (5, 1)], 5));
    assert_eq!(pairs(&grouped.covered), [(3, 1), (4, 1)]);
    assert_eq!((pairs(&grouped.repeated), ids(&grouped.outranked)), (vec![(6, 2)], vec![7]));
}

#[test]
fn a_memory_that_absorbed_runs_has_two_votes_if_they_are_left() {
    let strong = |number, similarity| Considered { absorbed: 7, ..memory(number, Some(number), similarity) };
    let grouped = grouped(&[strong(1, 0.9), strong(2, 0.8), strong(3, 0.7), memory(4, Some(4), 0.6)], 5);
    assert_eq!((shown(&grouped), grouped.votes), (vec![(1, 2), (2, 2), (3, 1)], 5));
    assert_eq!(ids(&grouped.outranked), [4]);
}

#[test]
fn an_equal_text_is_one_lesson_whatever_the_groups_say() {
    let with_text = |memory: Considered| Considered { text: Some(Uuid::from_u128(7)), ..memory };
    let (one, other) = (with_text(memory(1, Some(1), 0.9)), with_text(memory(3, Some(2), 0.7)));
    let grouped = grouped(&[one, memory(2, Some(2), 0.8), other], 5);
    assert_eq!((shown(&grouped), pairs(&grouped.covered)), (vec![(1, 3)], vec![(2, 1), (3, 1)]));
}

#[test]
fn a_memory_that_is_not_grouped_has_the_lesson_of_an_equal_text() {
    let text = Some(Uuid::from_u128(7));
    let new = Considered { text, ..memory(1, Some(1), 0.9) };
    let old = Considered { text, lesson: text, ..memory(2, None, 0.8) };
    assert_eq!(pairs(&grouped(&[new, old], 5).covered), [(2, 1)]);
}

#[test]
fn the_highest_rank_stands_for_a_lesson_with_its_own_numbers() {
    let tried = Considered { credit: Credit::stored(0.9, 9), ..memory(1, Some(1), 0.4) };
    let grouped = grouped(&[tried, memory(2, Some(1), 0.8)], 5);
    assert_eq!((ids(&grouped.chosen), grouped.chosen[0].similarity), (vec![2], 0.8));
    assert_eq!(pairs(&grouped.covered), [(1, 2)]);
}

#[test]
fn a_copy_of_an_untrusted_source_neither_stands_for_a_lesson_nor_is_covered() {
    let copies = [untrusted(memory(1, Some(1), 0.9)), memory(2, Some(1), 0.8)];
    let trusted = grouped(&copies, 5);
    assert_eq!((ids(&trusted.chosen), pairs(&trusted.repeated)), (vec![2], vec![(1, 2)]));
    assert!(trusted.covered.is_empty());
    assert_eq!((shown(&trusted), trusted.votes), (vec![(2, 1)], 2), "it gives the lesson no vote");
    assert_eq!(ids(&grouped(&copies[..1], 5).chosen), [1]);
}

#[test]
fn memories_without_a_lesson_are_not_the_same() {
    assert_eq!(ids(&grouped(&[memory(1, None, 0.9), memory(2, None, 0.8)], 5).chosen), [1, 2]);
}

#[test]
fn without_votes_or_memories_nothing_is_chosen() {
    assert_eq!(ids(&grouped(&[memory(1, Some(1), 0.9)], 0).outranked), [1]);
    assert_eq!(grouped(&[], 5), PerLesson::default());
}

proptest! {
    #[test]
    fn every_memory_is_chosen_or_represented_or_outranked(
        given in proptest::collection::vec((0_u128..6, 0_u128..6, 0_i32..4, any::<bool>()), 0..30),
        limit in 0_usize..12,
    ) {
        let given = given.into_iter().enumerate();
        let all: Vec<Considered> = given
            .map(|(at, (lesson, text, absorbed, is_untrusted))| {
                let lesson = (lesson > 0).then_some(1000 + lesson);
                let text = (text > 0).then(|| Uuid::from_u128(2000 + text));
                let one = memory(at as u128, lesson, 1.0 - at as f32 / 100.0);
                let one = if is_untrusted { untrusted(one) } else { one };
                Considered { text, absorbed, ..one }
            })
            .collect();
        let grouped = grouped(&all, limit);
        let represented = || grouped.covered.iter().chain(&grouped.repeated);
        let mut found = ids(&grouped.chosen);
        prop_assert!(represented().all(|(_, by)| found.contains(&number(*by))));
        found.extend(represented().map(|(one, _)| number(one.memory_id)));
        found.extend(ids(&grouped.outranked));
        found.sort_unstable();
        prop_assert_eq!(found, (0..all.len() as u128).collect::<Vec<_>>());
        prop_assert!(grouped.votes <= limit && grouped.votes_of.values().sum::<usize>() <= grouped.votes);
        let candidate = |one: &Ranked| all[number(one.memory_id) as usize];
        let kept: Vec<Uuid> = grouped.chosen.iter().flat_map(|one| keys(&candidate(one))).collect();
        prop_assert_eq!(kept.iter().collect::<HashSet<_>>().len(), kept.len());
    }
}
