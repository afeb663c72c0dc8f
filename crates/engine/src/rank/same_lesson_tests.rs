//! Memories with the same lesson are served once.

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
    }
}

fn untrusted(memory: Considered) -> Considered {
    let key = KeyId::from_uuid(Uuid::from_u128(1));
    Considered { untrusted: Some(Source { key, trace: TraceId::from_uuid(Uuid::from_u128(1)) }), ..memory }
}

fn grouped(candidates: &[Considered], limit: usize) -> PerLesson {
    one_per_lesson(rank(candidates, Ranking::Learned, 0.0, -1.0), candidates, limit)
}

fn number(id: MemoryId) -> u128 {
    id.as_uuid().as_u128()
}

fn ids(ranked: &[Ranked]) -> Vec<u128> {
    ranked.iter().map(|one| number(one.memory_id)).collect()
}

fn pairs(ranked: &[(Ranked, MemoryId)]) -> Vec<(u128, u128)> {
    ranked.iter().map(|(one, by)| (number(one.memory_id), number(*by))).collect()
}

#[test]
fn eight_memories_with_one_lesson_take_one_place() {
    let copies = (1..=8).map(|number| memory(number, Some(1), 0.9));
    let all: Vec<Considered> = copies.chain([memory(9, Some(2), 0.5)]).collect();
    let grouped = grouped(&all, 3);
    assert_eq!(ids(&grouped.chosen), [1, 9]);
    assert_eq!(pairs(&grouped.covered), [(2, 1), (3, 1)], "within the limit");
    assert_eq!(pairs(&grouped.repeated), [(4, 1), (5, 1), (6, 1), (7, 1), (8, 1)]);
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
    assert_eq!(ids(&grouped(&copies[..1], 5).chosen), [1]);
}

#[test]
fn memories_without_a_lesson_are_not_the_same() {
    assert_eq!(ids(&grouped(&[memory(1, None, 0.9), memory(2, None, 0.8)], 5).chosen), [1, 2]);
}

proptest! {
    #[test]
    fn every_memory_is_chosen_or_represented_by_a_chosen_one(
        lessons in proptest::collection::vec(proptest::option::of(0_u128..5), 0..30), limit in 1_usize..12,
    ) {
        let lessons = lessons.into_iter().enumerate();
        let all: Vec<Considered> =
            lessons.map(|(at, lesson)| memory(at as u128, lesson, 1.0 - at as f32 / 100.0)).collect();
        let grouped = grouped(&all, limit);
        let represented = || grouped.covered.iter().chain(&grouped.repeated);
        let mut found = ids(&grouped.chosen);
        prop_assert!(represented().all(|(_, by)| found.contains(&number(*by))));
        found.extend(represented().map(|(one, _)| number(one.memory_id)));
        found.sort_unstable();
        prop_assert_eq!(found, (0..all.len() as u128).collect::<Vec<_>>());
        prop_assert!(grouped.covered.len() < limit);
        let lesson_of = |one: &Ranked| all[number(one.memory_id) as usize].lesson;
        let kept: Vec<Uuid> = grouped.chosen.iter().filter_map(lesson_of).collect();
        prop_assert_eq!(kept.iter().collect::<HashSet<_>>().len(), kept.len());
    }
}
