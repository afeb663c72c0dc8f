//! The order of the queue, over any runs.

use proptest::prelude::*;
use reflect_types::MemoryId;

use super::*;

fn memory() -> impl Strategy<Value = MemoryStanding> {
    (0..50_i32, 0..50_i32, 0..50_i32).prop_map(|(passes, fails, evidence)| MemoryStanding {
        memory_id: MemoryId::generate(),
        reviews: passes + fails,
        passes,
        evidence,
    })
}

fn judge() -> impl Strategy<Value = Option<JudgeView>> {
    proptest::option::of(
        (proptest::option::of(any::<bool>()), proptest::option::of(0.0..=1.0_f32))
            .prop_map(|(passed, confidence)| JudgeView { passed, confidence }),
    )
}

fn run() -> impl Strategy<Value = Prospect> {
    let memories = proptest::collection::vec(memory(), 0..5);
    (memories, judge(), any::<bool>(), any::<bool>(), 0.0..1e8_f64).prop_map(
        |(memories, judge, troubled, nothing_near, age)| Prospect {
            trace_id: TraceId::generate(),
            memories,
            judge,
            troubled,
            nothing_near,
            age,
        },
    )
}

fn score(run: &Prospect) -> f64 {
    weigh(run).score()
}

proptest! {
    #[test]
    fn the_order_is_a_permutation_and_falls(runs in proptest::collection::vec(run(), 0..40)) {
        let ordered = most_informative_first(&runs);

        let mut given: Vec<TraceId> = runs.iter().map(|run| run.trace_id).collect();
        let mut got: Vec<TraceId> = ordered.iter().map(|run| run.trace_id).collect();
        given.sort_unstable();
        got.sort_unstable();
        prop_assert_eq!(given, got);
        prop_assert!(ordered.is_sorted_by(|one, other| one.score() >= other.score()));
    }

    #[test]
    fn every_reason_stays_within_its_most(run in run()) {
        for (reason, weight) in weigh(&run).reasons {
            prop_assert!(weight > 0.0 && weight <= reason.most(), "{:?} {}", reason, weight);
        }
    }

    #[test]
    fn less_evidence_about_a_memory_never_lowers_a_run(run in run(), at in any::<prop::sample::Index>(), less in 0..50_i32) {
        prop_assume!(!run.memories.is_empty());
        let mut thinner = run.clone();
        let memory = at.index(run.memories.len());
        thinner.memories[memory].evidence = (run.memories[memory].evidence - less).max(0);
        prop_assert!(score(&thinner) >= score(&run));
    }

    #[test]
    fn outcomes_that_are_more_divided_never_lower_a_run(run in run(), at in any::<prop::sample::Index>()) {
        prop_assume!(!run.memories.is_empty());
        let memory = at.index(run.memories.len());
        let MemoryStanding { reviews, passes, .. } = run.memories[memory];
        let mut divided = run.clone();
        divided.memories[memory].passes = passes + (reviews / 2 - passes).signum();
        prop_assert!(score(&divided) >= score(&run) - 1e-12);
    }

    #[test]
    fn one_more_memory_never_lowers_a_run(run in run(), memory in memory()) {
        let mut more = run.clone();
        more.memories.push(memory);
        prop_assert!(score(&more) >= score(&run));
    }

    #[test]
    fn a_judge_that_is_less_sure_never_lowers_a_run(run in run(), passed in any::<bool>(), sure in 0.0..=1.0_f32, less in 0.0..=1.0_f32) {
        let with = |confidence| Prospect {
            judge: Some(JudgeView { passed: Some(passed), confidence: Some(confidence) }),
            ..run.clone()
        };
        prop_assert!(score(&with(sure * less)) >= score(&with(sure)));
        let unjudged = Prospect { judge: None, ..run.clone() };
        prop_assert!(score(&with(sure)) >= score(&unjudged));
    }

    #[test]
    fn nothing_near_and_a_longer_wait_raise_a_run(run in run(), longer in 1.0..1e6_f64) {
        let near = Prospect { nothing_near: false, ..run.clone() };
        let alone = Prospect { nothing_near: true, ..run.clone() };
        prop_assert!(score(&alone) > score(&near));
        let older = Prospect { age: run.age + longer, ..run.clone() };
        prop_assert!(score(&older) > score(&run));
    }
}

fn plain() -> Prospect {
    Prospect {
        trace_id: TraceId::generate(),
        memories: Vec::new(),
        judge: None,
        troubled: false,
        nothing_near: false,
        age: 0.0,
    }
}

fn standing(passes: i32, fails: i32) -> MemoryStanding {
    MemoryStanding {
        memory_id: MemoryId::generate(),
        reviews: passes + fails,
        passes,
        evidence: passes + fails,
    }
}

#[test]
fn a_new_memory_a_divided_one_and_a_settled_one_come_in_this_order() {
    let with = |memory| Prospect { memories: vec![memory], ..plain() };
    let runs = [with(standing(40, 0)), with(standing(0, 0)), with(standing(20, 20))];
    let order: Vec<TraceId> = most_informative_first(&runs).iter().map(|run| run.trace_id).collect();
    assert_eq!(order, [runs[2].trace_id, runs[1].trace_id, runs[0].trace_id]);
}

#[test]
fn a_judge_that_passes_a_run_with_tool_errors_is_doubted_more_than_one_that_fails_it() {
    let judged = |passed| Prospect {
        judge: Some(JudgeView { passed: Some(passed), confidence: Some(1.0) }),
        troubled: true,
        ..plain()
    };
    assert_eq!(weigh(&judged(true)).reasons, [(Reason::JudgeDisagrees, 1.0)]);
    assert!(weigh(&judged(false)).reasons.is_empty());
}

#[test]
fn age_alone_never_comes_before_a_task_without_memories() {
    let years = Prospect { age: 1e9, ..plain() };
    let alone = Prospect { nothing_near: true, ..plain() };
    assert_eq!(most_informative_first(&[years, alone.clone()])[0].trace_id, alone.trace_id);
}
