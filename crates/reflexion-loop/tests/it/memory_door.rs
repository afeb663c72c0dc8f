//! A long-term memory that is unavailable, slow, or called twice.

use async_trait::async_trait;
use reflexion_loop::*;

use crate::stage::{Bank, BoxError, kinds, learner, watched};

/// A server that is down.
struct Away;

#[async_trait]
impl LongTermMemory for Away {
    async fn recall(&self, _: &Task, _: &RecallQuery) -> Result<Recall, BoxError> {
        Err("connection refused".into())
    }

    async fn record(&self, _: TraceRecord<'_>) -> Result<Recorded, BoxError> {
        Err("connection refused".into())
    }
}

/// A server that does not answer.
struct Silent;

#[async_trait]
impl LongTermMemory for Silent {
    async fn recall(&self, _: &Task, _: &RecallQuery) -> Result<Recall, BoxError> {
        std::future::pending().await
    }

    async fn record(&self, _: TraceRecord<'_>) -> Result<Recorded, BoxError> {
        std::future::pending().await
    }
}

#[tokio::test]
async fn a_memory_server_that_is_down_is_an_event_and_the_run_goes_on() {
    let learner = learner(2).long_term_memory(Away).build().unwrap();

    let (events, outcome) = watched(learner.start("task")).await;

    assert_eq!(outcome.unwrap().stop, Stop::Passed);
    let unavailable =
        events.iter().filter(|envelope| matches!(envelope.event, Event::MemoryUnavailable { .. }));
    assert_eq!(unavailable.count(), 3, "one recall and two records: {:?}", kinds(&events));
}

#[tokio::test]
async fn a_closed_memory_stops_the_run() {
    let learner = learner(2)
        .long_term_memory(Away)
        .options(Options { memory_failure: MemoryFailure::Closed, ..Options::default() })
        .build()
        .unwrap();

    let error = learner.run("task").await.unwrap_err();

    assert_eq!(error.kind, ErrorKind::Memory);
    assert_eq!(error.source.to_string(), "connection refused");
}

#[tokio::test(start_paused = true)]
async fn a_memory_server_that_does_not_answer_costs_no_more_than_its_timeouts() {
    let began = tokio::time::Instant::now();
    let learner = learner(1).long_term_memory(Silent).build().unwrap();

    let outcome = learner.run("task").await.unwrap();

    assert_eq!(outcome.stop, Stop::Passed);
    // 5 s for the recall, 3 × 10 s for the record, and 0.5 s and 1 s between the retries.
    assert_eq!(began.elapsed().as_secs(), 36);
}

#[tokio::test]
async fn recording_twice_under_one_key_keeps_one() {
    let bank = Bank::default();
    let states = crate::resuming::States::default();
    let learner = learner(1).long_term_memory(bank.clone()).checkpoint(states.clone()).build().unwrap();
    learner.start_as("run", "task").outcome().await.unwrap();

    // A process that crashed right after the call: the state still has the call as its next step.
    let before = states.all().into_iter().find(|state| matches!(state.phase, Phase::Record { .. })).unwrap();
    let again = learner.resume(before).outcome().await.unwrap();

    assert_eq!(again.stop, Stop::Passed);
    assert_eq!(bank.calls.read().iter().filter(|call| *call == "record run/1/1").count(), 2);
    assert_eq!(bank.keys(), ["run/1/1"]);
}

#[tokio::test]
async fn memories_are_recalled_once_or_before_every_trial() {
    let recalls = async |recall: RecallWhen| {
        let bank = Bank::default();
        learner(3)
            .long_term_memory(bank.clone())
            .options(Options { recall, ..Options::default() })
            .build()
            .unwrap()
            .run("task")
            .await
            .unwrap();
        bank.calls.read().into_iter().filter(|call| call.starts_with("recall")).collect::<Vec<_>>()
    };

    assert_eq!(recalls(RecallWhen::Once).await, ["recall 1"]);
    assert_eq!(recalls(RecallWhen::EveryTrial).await, ["recall 1", "recall 2", "recall 3"]);
}
