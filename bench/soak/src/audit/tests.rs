//! Tests that the audit finds each kind of violation.

use serde_json::json;
use uuid::Uuid;

use super::facts::{
    CheckpointFact, EventFact, JobFact, MemoryFact, ProjectFact, ReviewFact, StatFact, StateFact, TraceFact,
    VectorFact,
};
use super::{Facts, Invariant, examine};
use crate::client::{Log, SentTrace, Standing};

const TRACE: Uuid = Uuid::from_u128(1);
const REVIEW: Uuid = Uuid::from_u128(2);
const LEARNED: Uuid = Uuid::from_u128(3);
const SHOWN: Uuid = Uuid::from_u128(4);
const STRANGER: Uuid = Uuid::from_u128(5);
const STEP: Uuid = Uuid::from_u128(6);

/// One run that was shown a memory, passed, and became a memory; and the responses that its client got.
fn sound() -> (Facts, Log) {
    let memory = |memory_id, source_review, source_trace| MemoryFact {
        project_id: 1,
        memory_id,
        source_review,
        source_trace,
        step: None,
    };
    let stat = |memory_id, q, reviews, credit: f32| StatFact {
        project_id: 1,
        memory_id,
        q,
        reviews,
        passes: reviews,
        credit,
        evidence: reviews,
        status: 1,
        lesson_id: Some(memory_id),
        merged_into: None,
        superseded_by: None,
        absorbed: 0,
    };
    let facts = Facts {
        projects: vec![ProjectFact { project_id: 1, slug: "p".to_owned(), write_spaces: vec![7] }],
        traces: vec![TraceFact {
            project_id: 1,
            trace_id: TRACE,
            task: "t".to_owned(),
            metadata: json!({ "run": "a" }),
            retrieved: vec![SHOWN.to_string(), SHOWN.to_string(), STRANGER.to_string(), "no id".to_owned()],
            retrieval_id: None,
            linked: vec![SHOWN, SHOWN, STRANGER],
            erased: false,
        }],
        states: vec![StateFact {
            project_id: 1,
            trace_id: TRACE,
            ingest: 2,
            reviewed: true,
            review_id: Some(REVIEW),
            memory_id: Some(LEARNED),
            attempts: 1,
            last_error: None,
        }],
        reviews: vec![ReviewFact {
            project_id: 1,
            review_id: REVIEW,
            trace_id: TRACE,
            passed: true,
            alpha: 0.3,
            live: true,
        }],
        events: vec![EventFact {
            seq: 1,
            project_id: 1,
            review_id: REVIEW,
            memory_id: SHOWN,
            reward: 1.0,
            alpha: 0.3,
            withdrawn: false,
            annealed: true,
            used: Some(true),
            expected: Some(0.5),
            credited: Some(1),
        }],
        memories: vec![memory(LEARNED, Some(REVIEW), Some(TRACE)), memory(SHOWN, None, None)],
        stats: vec![stat(LEARNED, 0.5, 0, 0.5), stat(SHOWN, 0.65, 1, 0.575)],
        vectors: [LEARNED, SHOWN]
            .map(|memory_id| VectorFact { project_id: 1, memory_id, space_id: 7, is_parked: false })
            .to_vec(),
        bodies: [(TRACE, Ok(json!([])))].into(),
        ..Facts::default()
    };
    let sent = SentTrace {
        project: "p".to_owned(),
        marker: "a".to_owned(),
        body: json!({ "task": "t", "trajectory": [], "metadata": { "run": "a" } }),
        acknowledged: Some(TRACE),
        standing: Standing::Verdict(true),
    };
    let log = Log {
        traces: vec![sent],
        reviews: vec![REVIEW],
        served: [("p".to_owned(), SHOWN)].into(),
        ..Log::default()
    };
    (facts, log)
}

/// The invariants that are violated after this change.
fn after(change: impl FnOnce(&mut Facts, &mut Log)) -> Vec<Invariant> {
    let (mut facts, mut log) = sound();
    change(&mut facts, &mut log);
    let mut violated: Vec<Invariant> =
        examine(&facts, &log, true).into_iter().map(|violation| violation.of).collect();
    violated.sort();
    violated.dedup();
    violated
}

/// Makes the run unlearned: its review waits for a job that does not exist.
fn unlearn(facts: &mut Facts) {
    facts.memories.remove(0);
    facts.stats.remove(0);
    facts.vectors.remove(0);
    facts.states[0] = StateFact { ingest: 0, reviewed: false, memory_id: None, ..facts.states[0].clone() };
}

#[test]
fn consistent_data_has_no_violations() {
    assert_eq!(after(|_, _| ()), []);
}

/// Removes the texts of the run, as an erasure does. It was sent by another program, so no client knows it.
fn erase_run(facts: &mut Facts, log: &mut Log) {
    let trace =
        TraceFact { erased: true, metadata: json!({}), linked: Vec::new(), ..facts.traces[0].clone() };
    facts.traces[0] = TraceFact { retrieved: Vec::new(), ..trace };
    facts.states.clear();
    log.traces.clear();
}

#[test]
fn an_erased_run_leaves_numbers_and_no_texts_or_vectors() {
    let erase = |facts: &mut Facts, log: &mut Log| {
        erase_run(facts, log);
        facts.memories.remove(0);
        facts.stats[0].status = 3;
        facts.vectors.remove(0);
    };
    assert_eq!(after(erase), []);
    let with_its_vector = after(|facts, log| {
        let vector = facts.vectors[0].clone();
        erase(facts, log);
        facts.vectors.push(vector);
    });
    assert_eq!(with_its_vector, [Invariant::I4]);
    let with_another_verdict = after(|facts, log| {
        erase(facts, log);
        facts.events[0].reward = 0.0;
    });
    assert!(with_another_verdict.contains(&Invariant::I2), "{with_another_verdict:?}");
}

#[test]
fn retention_removes_old_runs_and_keeps_their_reviews_and_memories() {
    let remove = |facts: &mut Facts, log: &mut Log| {
        facts.traces.clear();
        facts.states.clear();
        log.traces.clear();
    };
    let expired = after(|facts, log| {
        remove(facts, log);
        facts.kept_since = [(1, Uuid::from_u128(TRACE.as_u128() + 1))].into();
    });
    assert_eq!(expired, []);
    let too_early = after(|facts, log| {
        remove(facts, log);
        facts.kept_since = [(1, TRACE)].into();
    });
    assert_eq!(too_early, [Invariant::I2, Invariant::I6]);
}

#[test]
fn a_memory_of_a_deleted_run_stays() {
    let delete = |facts: &mut Facts, log: &mut Log| {
        erase_run(facts, log);
        facts.reviews.clear();
        facts.events.clear();
        log.reviews.clear();
        (facts.stats[1].q, facts.stats[1].reviews, facts.stats[1].passes) = (0.5, 0, 0);
        (facts.stats[1].credit, facts.stats[1].evidence) = (0.5, 0);
    };
    assert_eq!(after(delete), []);
    let retired = after(|facts, log| {
        delete(facts, log);
        facts.stats[0].status = 2;
    });
    assert!(retired.contains(&Invariant::I4), "{retired:?}");
}

#[test]
fn lost_changed_and_unreadable_traces_are_found() {
    assert_eq!(after(|facts, _| facts.bodies = [(TRACE, Ok(json!([{}])))].into()), [Invariant::I1]);
    assert_eq!(after(|facts, _| facts.bodies = [(TRACE, Err("digest".to_owned()))].into()), [Invariant::I1]);
    assert_eq!(after(|facts, _| facts.traces[0].task = "other".to_owned()), [Invariant::I1]);
    assert_eq!(after(|_, log| log.traces[0].acknowledged = Some(STRANGER))[0], Invariant::I1);
}

#[test]
fn a_run_that_is_stored_twice_is_found() {
    let violated = after(|facts, _| {
        let twin = TraceFact { trace_id: STRANGER, ..facts.traces[0].clone() };
        facts.traces.push(twin);
    });
    assert_eq!(violated, [Invariant::I7]);
}

#[test]
fn a_second_live_review_is_found() {
    let violated = after(|facts, _| {
        let second = ReviewFact { review_id: STRANGER, ..facts.reviews[0].clone() };
        let event = EventFact { seq: 2, review_id: STRANGER, ..facts.events[0].clone() };
        facts.reviews.push(second);
        facts.events.push(event);
    });
    assert!(violated.contains(&Invariant::I2), "{violated:?}");
}

#[test]
fn missing_and_extra_ledger_rows_are_found() {
    let doubled = after(|facts, _| {
        let twin = EventFact { seq: 2, ..facts.events[0].clone() };
        facts.events.push(twin);
    });
    assert_eq!(doubled, [Invariant::I2, Invariant::I3]);
    assert_eq!(after(|facts, _| facts.events.clear()), [Invariant::I2, Invariant::I3]);
    assert_eq!(after(|facts, _| facts.events[0].withdrawn = true), [Invariant::I2, Invariant::I3]);
    assert_eq!(after(|facts, _| facts.traces[0].linked.clear()), [Invariant::I2]);
}

#[test]
fn a_missing_acknowledged_review_is_found() {
    assert_eq!(after(|_, log| log.reviews.push(STRANGER)), [Invariant::I2]);
    assert_eq!(after(|_, log| log.traces[0].standing = Standing::Verdict(false)), [Invariant::I2]);
    assert_eq!(after(|_, log| log.traces[0].standing = Standing::None), [Invariant::I2]);
    assert_eq!(after(|_, log| log.traces[0].standing = Standing::Unknown), []);
}

#[test]
fn a_utility_that_is_not_the_fold_is_found() {
    assert_eq!(after(|facts, _| facts.stats[1].q = 0.5), [Invariant::I3]);
    assert_eq!(after(|facts, _| facts.stats[1].passes = 0), [Invariant::I3]);
    assert_eq!(after(|facts, _| facts.stats[1].credit = 0.5), [Invariant::I3]);
    assert_eq!(after(|facts, _| facts.stats[1].evidence = 0), [Invariant::I3]);
    let with_checkpoint = |fold, value, passes| {
        let checkpoint =
            CheckpointFact { project_id: 1, memory_id: SHOWN, fold, position: 1, value, reviews: 1, passes };
        after(|facts, _| facts.checkpoints.push(checkpoint))
    };
    assert_eq!(with_checkpoint(0, 0.65, 1), []);
    assert_eq!(with_checkpoint(1, 0.575, 0), []);
    assert_eq!(with_checkpoint(0, 0.5, 1), [Invariant::I3]);
    assert_eq!(with_checkpoint(1, 0.5, 0), [Invariant::I3]);
}

#[test]
fn a_second_or_an_incomplete_memory_is_found() {
    let second = after(|facts, _| {
        let twin = MemoryFact { memory_id: STRANGER, ..facts.memories[0].clone() };
        facts.memories.push(twin);
    });
    assert!(second.contains(&Invariant::I4), "{second:?}");
    assert_eq!(after(|facts, _| _ = facts.vectors.remove(0)), [Invariant::I4]);
    assert_eq!(after(|facts, _| _ = facts.stats.remove(0)), [Invariant::I4]);
    assert_eq!(after(|facts, _| facts.stats[0].status = 2), [Invariant::I4]);
    assert_eq!(after(|facts, _| facts.states[0].memory_id = Some(SHOWN)), [Invariant::I4]);
}

/// The run is absorbed by the memory that it was shown.
fn absorb(facts: &mut Facts) {
    let shown = facts.stats[1].memory_id;
    let own = &mut facts.stats[0];
    (own.status, own.merged_into, own.lesson_id) = (5, Some(shown), Some(shown));
    facts.stats[1].absorbed = 1;
    facts.vectors[0].is_parked = true;
    facts.states[0].memory_id = Some(shown);
}

#[test]
fn a_run_may_be_absorbed_and_a_wrong_absorption_is_found() {
    let absorbed = |change: fn(&mut Facts)| {
        after(|facts, _| {
            absorb(facts);
            change(facts);
        })
    };
    assert_eq!(absorbed(|_| ()), []);
    assert_eq!(absorbed(|facts| facts.stats[1].absorbed = 0), [Invariant::I4]);
    assert_eq!(absorbed(|facts| facts.stats[0].lesson_id = Some(LEARNED)), [Invariant::I4]);
    assert_eq!(absorbed(|facts| facts.vectors[0].is_parked = false), [Invariant::I4]);
    assert_eq!(absorbed(|facts| facts.states[0].memory_id = Some(LEARNED)), [Invariant::I4]);
}

#[test]
fn a_memory_may_be_superseded_by_a_review_that_counts() {
    let superseded = |change: fn(&mut Facts)| {
        after(|facts, _| {
            (facts.stats[1].status, facts.stats[1].superseded_by) = (4, Some(REVIEW));
            facts.vectors[1].is_parked = true;
            change(facts);
        })
    };
    assert_eq!(superseded(|_| ()), []);
    assert_eq!(superseded(|facts| facts.vectors[1].is_parked = false), [Invariant::I4]);
    assert_eq!(superseded(|facts| facts.stats[1].superseded_by = None), [Invariant::I4]);
    assert!(superseded(|facts| facts.reviews[0].live = false).contains(&Invariant::I4));
}

#[test]
fn a_step_has_one_memory_while_its_run_is_reviewed() {
    let step = |change: fn(&mut Facts)| {
        after(|facts, _| {
            let memory = MemoryFact { memory_id: STEP, source_review: None, ..facts.memories[0].clone() };
            facts.memories.push(MemoryFact { step: Some(1), ..memory });
            let stat = StatFact { memory_id: STEP, lesson_id: Some(STEP), ..facts.stats[0].clone() };
            facts.stats.push(stat);
            facts.vectors.push(VectorFact { memory_id: STEP, ..facts.vectors[0].clone() });
            change(facts);
        })
    };
    assert_eq!(step(|_| ()), []);
    assert_eq!(step(|facts| facts.memories[0].step = Some(1)), [Invariant::I4]);
    let unreviewed = step(|facts| facts.states[0].reviewed = false);
    assert!(unreviewed.contains(&Invariant::I4), "{unreviewed:?}");
}

fn job(kind: i16, worker: Option<Uuid>) -> JobFact {
    JobFact {
        project_id: 1,
        kind,
        subject: REVIEW,
        attempts: 1,
        worker,
        overdue: 0.0,
        last_error: None,
        obstacle: "nothing".to_owned(),
    }
}

#[test]
fn a_review_without_a_job_is_found() {
    assert_eq!(after(|facts, _| unlearn(facts)), [Invariant::I5]);
    let with = |jobs: Vec<JobFact>| {
        after(|facts, _| {
            unlearn(facts);
            facts.jobs = jobs;
        })
    };
    assert_eq!(with(vec![job(0, None)]), []);
    assert_eq!(with(vec![job(10, None)]), [Invariant::I5]);
    let given_up = |why: Option<&str>| {
        after(|facts, _| {
            unlearn(facts);
            facts.states[0].ingest = 3;
            facts.states[0].last_error = why.map(str::to_owned);
        })
    };
    assert_eq!(given_up(Some("tried 8 times")), []);
    assert_eq!(given_up(None), [Invariant::I5]);
}

#[test]
fn references_to_another_project_are_found() {
    assert_eq!(after(|facts, _| facts.memories[1].source_trace = Some(STRANGER)), [Invariant::I6]);
    assert_eq!(after(|_, log| _ = log.served.insert(("p".to_owned(), STRANGER))), [Invariant::I6]);
    let moved = after(|facts, _| facts.events[0].project_id = 2);
    assert!(moved.contains(&Invariant::I6), "{moved:?}");
}

#[test]
fn locks_of_dead_workers_and_extra_attempts_are_found() {
    let held = || job(0, Some(STRANGER));
    assert_eq!(after(|facts, _| facts.jobs.push(held())), [Invariant::I8]);
    assert_eq!(after(|facts, _| facts.states[0].attempts = 22), [Invariant::I8]);

    let (mut facts, log) = sound();
    facts.living_workers.insert(STRANGER);
    facts.jobs.push(held());
    let violated = |drained| -> Vec<Invariant> {
        examine(&facts, &log, drained).into_iter().map(|violation| violation.of).collect()
    };
    assert_eq!(violated(false), [Invariant::I5], "a living worker may hold a job, but it is not done");
    assert_eq!(violated(true), [Invariant::I8]);
}
