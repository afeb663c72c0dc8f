//! What counts as a change.

use super::*;

fn memories<const N: usize>() -> [MemoryId; N] {
    std::array::from_fn(|_| MemoryId::generate())
}

fn asked(from: &[MemoryId], to: &[MemoryId]) -> ComparedQuestion {
    let found =
        |served: &[MemoryId]| SpaceResult { served: served.to_vec(), similarities: vec![0.5; served.len()] };
    ComparedQuestion {
        retrieval_id: RetrievalId::generate(),
        task: "t".to_owned(),
        from: found(from),
        to: found(to),
    }
}

#[test]
fn the_same_answers_are_no_change() {
    let [a, b] = memories();
    let same = compare(vec![asked(&[a, b], &[a, b]), asked(&[], &[])], 10, 0.3, 0.3);
    assert_eq!((same.overlap, same.same_first, same.rank_change), (1.0, 1.0, 0.0));
    assert!(same.most_changed.is_empty());
}

#[test]
fn another_order_moves_places_and_leaves_the_overlap() {
    let [a, b, c] = memories();
    let turned = compare(vec![asked(&[a, b, c], &[c, b, a])], 3, 0.3, 0.3);
    assert_eq!((turned.overlap, turned.same_first), (1.0, 0.0));
    assert!((turned.rank_change - 4.0 / 3.0).abs() < 1e-9, "{}", turned.rank_change);
}

#[test]
fn what_only_one_serves_stands_behind_the_last_place_of_the_other() {
    let [a, b] = memories();
    assert_eq!(overlap(&[a], &[b]), 0.0);
    assert_eq!(rank_change(&[a], &[b], 10), 10.0);
    assert_eq!(rank_change(&[a, b], &[a], 10), 4.5);
}

#[test]
fn the_most_changed_come_first_and_ten_at_most() {
    let [a, b, c] = memories();
    let mut questions: Vec<ComparedQuestion> = (0..12).map(|_| asked(&[a, b], &[b, a])).collect();
    questions.push(asked(&[a], &[c]));
    let compared = compare(questions, 10, 0.3, 0.2);
    assert_eq!(compared.most_changed.len(), 10);
    assert_eq!(compared.most_changed[0].to, [c]);
    assert_eq!((compared.from.questions, compared.from.memories), (13, 25));
    assert_eq!(compared.to.similarity_threshold, 0.2);
}

#[test]
fn a_threshold_matches_when_it_lets_the_same_share_through() {
    let from = [0.9, 0.5, 0.2, 0.1];
    assert_eq!(matching_threshold(&from, 0.3, vec![0.1, 0.3, 0.6, 0.8]), Some(0.45000002));
    assert_eq!(matching_threshold(&from, 0.3, vec![0.8, 0.6, 0.3, 0.1, 0.7, 0.65]), Some(0.625));
    let all = matching_threshold(&from, 0.0, vec![0.7, 0.4]).unwrap();
    assert_eq!(all, 0.4);
    let none = matching_threshold(&from, 0.95, vec![0.7, 0.4]).unwrap();
    assert!(none > 0.7);
    assert_eq!(matching_threshold(&[], 0.3, vec![0.7]), None);
}
