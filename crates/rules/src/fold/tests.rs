//! The fold from any checkpoint is the fold from the start, also after an entry was withdrawn.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::credit::Share;

fn entry(memory_id: MemoryId, seq: i64, reward: f32) -> LedgerEntry {
    let credited = i32::try_from(seq).ok();
    let (used, expected) = (None, Some(0.5));
    LedgerEntry {
        memory_id,
        seq,
        reward,
        alpha: 0.3,
        annealed: true,
        used,
        expected,
        credited,
        untrusted: false,
    }
}

fn placed(memory_id: MemoryId, seq: i64, after: i32, step: CurationStep) -> PlacedStep {
    PlacedStep { memory_id, seq, entered: i64::from(after), credited: after, step }
}

fn share(q: f32, reviews: i32, credit: f32, evidence: i32) -> Share {
    Share { memory_id: MemoryId::generate(), q, reviews, passes: reviews, credit, evidence, origin: None }
}

fn end(entries: &[LedgerEntry], steps: &[PlacedStep], memory: MemoryId) -> (UtilityStanding, Credit) {
    fold(entries, steps, &[memory])[&memory]
}

#[test]
fn a_curation_step_applies_at_its_position() {
    let memory = MemoryId::generate();
    let entries: Vec<LedgerEntry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();

    let early = end(&entries, &[placed(memory, 1, 2, CurationStep::Halved)], memory);
    let late = end(&entries, &[placed(memory, 1, 4, CurationStep::Halved)], memory);

    assert_eq!((early.1.evidence(), late.1.evidence()), (3, 2));
    // There is less evidence after the change, so later reviews move the credit further.
    assert!(early.1.value() > late.1.value());
    assert_eq!(early.0, late.0);
}

#[test]
fn a_step_keeps_its_position_when_an_earlier_review_is_withdrawn() {
    let memory = MemoryId::generate();
    let entries: Vec<LedgerEntry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();
    let halved = [placed(memory, 1, 2, CurationStep::Halved)];

    let without_first = end(&entries[1..], &halved, memory);

    let expected = Credit::START.after(1.0, 0.5, None).halved().after(1.0, 0.5, None).after(1.0, 0.5, None);
    assert_eq!(without_first.1, expected);
}

#[test]
fn merged_memories_are_weighted_by_their_reviews() {
    let memory = MemoryId::generate();
    let entries = [entry(memory, 1, 0.0), entry(memory, 2, 1.0)];

    let pooled = CurationStep::Pooled(vec![share(0.9, 3, 0.8, 3)]);
    let (standing, credit) = end(&entries, &[placed(memory, 1, 1, pooled)], memory);

    // (0.35 · 1 + 0.9 · 3) / 4, and then a pass.
    assert_eq!((standing.reviews, standing.passes), (5, 4));
    assert!((standing.utility.get() - (0.7625 + 0.3 * (1.0 - 0.7625))).abs() < 1e-6, "{standing:?}");
    assert_eq!(credit.evidence(), 5);
}

#[test]
fn a_step_that_is_added_at_the_last_checkpoint_counts() {
    let memory = MemoryId::generate();
    let entries: Vec<LedgerEntry> = (1..=4).map(|seq| entry(memory, seq, 1.0)).collect();
    let refs: Vec<&LedgerEntry> = entries.iter().collect();
    let checkpoint: FoldCheckpoint<Credit> = FoldCheckpoint::START.advanced(&refs, &[]);

    let halved = placed(memory, 1, 4, CurationStep::Halved);

    assert_eq!(checkpoint.position, 4);
    assert_eq!(checkpoint.finished(&[&halved]), end(&entries, &[halved], memory).1);
}

/// One memory with entries whose credits moved in another order than its utility, and steps between them.
#[derive(Debug)]
struct Ledger {
    entries: Vec<LedgerEntry>,
    steps: Vec<PlacedStep>,
}

prop_compose! {
    fn an_entry()(
        pass in any::<bool>(), alpha in 0.0_f32..=1.0, annealed in any::<bool>(), used in any::<Option<bool>>(),
        expected in 0.0_f32..=1.0, untrusted in any::<bool>(), gap in 1_i64..4, credited in any::<Option<u16>>(),
    ) -> (LedgerEntry, i64, Option<u16>) {
        let reward = if pass { 1.0 } else { 0.0 };
        let memory_id = MemoryId::from_uuid(Default::default());
        let expected = credited.map(|_| expected);
        (LedgerEntry { memory_id, seq: 0, reward, alpha, annealed, used, expected, credited: None, untrusted },
         gap, credited)
    }
}

prop_compose! {
    fn a_ledger()(
        entries in vec(an_entry(), 1..60),
        steps in vec((any::<proptest::sample::Index>(), any::<proptest::sample::Index>(), any::<Option<(u8, u8)>>()), 0..8),
    ) -> Ledger {
        let memory_id = MemoryId::from_uuid(Default::default());
        let mut seq = 0;
        let mut order: Vec<(u16, usize)> = Vec::new();
        let mut made: Vec<LedgerEntry> = Vec::new();
        for (entry, gap, credited) in entries {
            seq += gap;
            order.extend(credited.map(|key| (key, made.len())));
            made.push(LedgerEntry { seq, ..entry });
        }
        order.sort_unstable();
        for (place, (_, at)) in order.iter().enumerate() {
            made[*at].credited = i32::try_from(place + 1).ok();
        }
        let steps = steps.into_iter().zip(1..).map(|((entered, credited, pooled), seq)| {
            let entered = i64::try_from(entered.index(made.len() * 2 + 1)).unwrap();
            let credited = i32::try_from(credited.index(order.len() + 1)).unwrap();
            let step = match pooled {
                Some((q, reviews)) => {
                    let value = f32::from(q) / 255.0;
                    CurationStep::Pooled(vec![share(value, i32::from(reviews), value, i32::from(reviews))])
                }
                None => CurationStep::Halved,
            };
            PlacedStep { memory_id, seq, entered, credited, step }
        });
        let steps = steps.collect();
        Ledger { entries: made, steps }
    }
}

/// The checkpoints after every `every` entries, and the end of the fold.
fn with_checkpoints<S: Folded>(
    entries: &[&LedgerEntry],
    steps: &[&PlacedStep],
    every: usize,
) -> (Vec<FoldCheckpoint<S>>, S) {
    let mut entries: Vec<&LedgerEntry> =
        entries.iter().copied().filter(|entry| S::position(entry).is_some()).collect();
    entries.sort_by_key(|entry| S::position(entry));
    let (mut at, mut made) = (FoldCheckpoint::<S>::START, Vec::new());
    for page in entries.chunks(every) {
        at = at.advanced(page, steps);
        made.push(at);
    }
    (made, at.finished(steps))
}

fn check<S: Folded + PartialEq + std::fmt::Debug>(ledger: &Ledger, every: usize, withdrawn: usize) {
    let entries: Vec<&LedgerEntry> = ledger.entries.iter().collect();
    let steps: Vec<&PlacedStep> = ledger.steps.iter().collect();
    let full = replay(FoldCheckpoint::<S>::START, &entries, &steps, |_, _, _| ());
    let (checkpoints, end) = with_checkpoints::<S>(&entries, &steps, every);
    assert_eq!(end, full, "in pages of {every}");
    assert!(checkpoints_hold(&checkpoints, &entries, &steps));
    for checkpoint in &checkpoints {
        assert_eq!(replay(*checkpoint, &entries, &steps, |_, _, _| ()), full, "from {checkpoint:?}");
    }

    let gone = entries[withdrawn];
    let rest: Vec<&LedgerEntry> = entries.iter().copied().filter(|entry| entry.seq != gone.seq).collect();
    let full = replay(FoldCheckpoint::<S>::START, &rest, &steps, |_, _, _| ());
    let valid =
        checkpoints.iter().filter(|checkpoint| S::position(gone).is_none_or(|at| checkpoint.position < at));
    for checkpoint in valid {
        assert_eq!(replay(*checkpoint, &rest, &steps, |_, _, _| ()), full, "without {gone:?}");
    }
}

proptest! {
    #[test]
    fn the_fold_from_a_checkpoint_is_the_fold_from_the_start(
        ledger in a_ledger(), every in 1_usize..20, withdrawn in any::<proptest::sample::Index>(),
    ) {
        let withdrawn = withdrawn.index(ledger.entries.len());
        check::<UtilityStanding>(&ledger, every, withdrawn);
        check::<Credit>(&ledger, every, withdrawn);
    }
}

#[test]
fn a_checkpoint_that_contains_a_withdrawn_entry_is_noticed() {
    let memory = MemoryId::generate();
    let entries: Vec<LedgerEntry> = (1..=4).map(|seq| entry(memory, seq, (seq % 2) as f32)).collect();
    let refs: Vec<&LedgerEntry> = entries.iter().collect();
    let (checkpoints, _) = with_checkpoints::<UtilityStanding>(&refs, &[], 2);

    assert!(checkpoints_hold(&checkpoints, &refs, &[]));
    assert!(!checkpoints_hold(&checkpoints, &refs[1..], &[]));
    assert!(
        !checkpoints_hold(&checkpoints, &[refs[0], refs[1], refs[3]], &[]),
        "only the later one is wrong"
    );
    assert!(checkpoints_hold(&checkpoints[..1], &[refs[0], refs[1], refs[3]], &[]));
}
