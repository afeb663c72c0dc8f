//! Cancellation in each phase, by token and by dropping the run.

use std::sync::Arc;

use async_trait::async_trait;
use reflection_pipeline::{Analysis, ReflectionError, ReflectionInput};
use reflexion_loop::*;
use tokio::sync::Notify;

use crate::stage::{Bank, BoxError, Counter, Talkative, kinds, learner, passes_in};

/// Blocks in one phase and signals when it is reached. All other phases complete.
#[derive(Clone)]
struct Hangs {
    at: &'static str,
    reached: Arc<Notify>,
    bank: Bank,
}

impl Hangs {
    fn new(at: &'static str) -> Self {
        Self { at, reached: Arc::default(), bank: Bank::default() }
    }

    async fn pass(&self, phase: &str) {
        if phase == self.at {
            self.reached.notify_one();
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Actor for Hangs {
    async fn attempt(&self, cx: TrialContext) -> Result<Attempt, ActorError> {
        self.pass(&format!("act{}", cx.trial())).await;
        Counter::default().attempt(cx).await
    }
}

#[async_trait]
impl Evaluator for Hangs {
    async fn evaluate(&self, task: &Task, attempt: &Attempt) -> Result<Evaluation, EvaluationError> {
        self.pass("evaluate").await;
        passes_in(3).evaluate(task, attempt).await
    }
}

#[async_trait]
impl Reflector for Hangs {
    async fn analyze(&self, _: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        self.pass("reflect").await;
        Ok(Analysis::default())
    }
}

#[async_trait]
impl LongTermMemory for Hangs {
    async fn recall(&self, task: &Task, query: &RecallQuery) -> Result<Recall, BoxError> {
        self.pass("recall").await;
        self.bank.recall(task, query).await
    }

    async fn record(&self, record: TraceRecord<'_>) -> Result<Recorded, BoxError> {
        self.pass("record").await;
        self.bank.record(record).await
    }
}

#[async_trait]
impl Hooks for Hangs {
    async fn on_trial_start(&self, trial: u32) -> Result<(), BoxError> {
        self.pass(&format!("start{trial}")).await;
        Ok(())
    }

    async fn on_reflection_generated(&self, _: u32, _: &str) -> Result<(), BoxError> {
        self.pass("announce").await;
        Ok(())
    }

    async fn on_trial_end(&self, _: u32, _: &Evaluation) -> Result<(), BoxError> {
        self.pass("end").await;
        Ok(())
    }
}

fn hanging(parts: &Hangs) -> Reflexion {
    Reflexion::builder()
        .actor(parts.clone())
        .evaluator(parts.clone())
        .reflector(parts.clone())
        .long_term_memory(parts.clone())
        .hooks(parts.clone())
        .build()
        .unwrap()
}

#[tokio::test]
async fn saying_stop_works_in_each_phase_and_blames_nobody() {
    for (at, ended, recorded) in [
        ("recall", 0, 0),
        ("start1", 0, 0),
        ("act1", 0, 0),
        ("evaluate", 0, 0),
        ("reflect", 0, 0),
        ("announce", 0, 0),
        ("record", 0, 0),
        ("end", 0, 1),
        ("act2", 1, 1),
    ] {
        let parts = Hangs::new(at);
        let run = hanging(&parts).start_as("run", "task");
        let token = run.cancel_token();

        let reached = Arc::clone(&parts.reached);
        let (outcome, ()) = tokio::join!(run.outcome(), async {
            reached.notified().await;
            token.cancel();
        });

        let outcome = outcome.unwrap();
        assert_eq!(outcome.stop, Stop::Cancelled, "{at}");
        assert_eq!(outcome.state.trials.len(), ended, "{at}");
        assert_eq!(parts.bank.keys().len(), recorded, "{at}");

        // The run resumes in the same phase with the same state.
        let resumed = hanging(&Hangs { at: "nowhere", ..parts.clone() });
        let resumed = resumed.resume(outcome.state).outcome().await.unwrap();
        assert_eq!((resumed.stop, resumed.state.trials.len()), (Stop::Passed, 3), "{at}");
        assert_eq!(parts.bank.keys(), ["run/1/1", "run/2/1", "run/3/1"], "{at}");
    }
}

#[tokio::test]
async fn dropping_a_run_drops_its_work_and_records_nothing() {
    let parts = Hangs::new("act1");
    let mut run = hanging(&parts).start("task");

    let mut seen = Vec::new();
    while let Some(envelope) = run.next_event().await {
        seen.push(envelope);
        if matches!(seen.last().unwrap().event, Event::TrialStart { .. }) {
            break;
        }
    }
    drop(run);

    assert_eq!(kinds(&seen), ["run_start", "memories_recalled1", "trial_start1"]);
    assert!(parts.bank.keys().is_empty());
    assert_eq!(Arc::strong_count(&parts.reached), 1, "nothing holds the parts any more");
}

#[tokio::test]
async fn a_pass_that_was_judged_is_the_answer_even_if_recording_it_was_interrupted() {
    let parts = Hangs::new("record");
    let learner = learner(1).long_term_memory(parts.clone()).build().unwrap();
    let run = learner.start("task");
    let token = run.cancel_token();

    let (outcome, ()) = tokio::join!(run.outcome(), async {
        parts.reached.notified().await;
        token.cancel();
    });

    let outcome = outcome.unwrap();
    assert_eq!((outcome.stop, outcome.answer()), (Stop::Cancelled, Some("answer 1")));
    assert_eq!(outcome.best.unwrap().verdict, Verdict::Pass);
}

#[tokio::test]
async fn a_run_that_is_cancelled_before_it_begins_does_nothing() {
    let hooks = Talkative::default();
    let run = learner(1).hooks(hooks.clone()).build().unwrap().start("task");

    run.cancel();
    let outcome = run.outcome().await.unwrap();

    assert_eq!((outcome.stop, outcome.best), (Stop::Cancelled, None));
    assert!(hooks.0.read().is_empty());
}

#[tokio::test]
async fn a_reader_sees_events_as_they_happen_and_can_say_stop_between_two_steps() {
    // No step of this run waits.
    let mut run = learner(0).build().unwrap().start("task");

    while let Some(envelope) = run.next_event().await {
        if matches!(envelope.event, Event::TrialEnd { trial_number: 1, .. }) {
            run.cancel();
        }
    }

    let outcome = run.outcome().await.unwrap();
    assert_eq!((outcome.stop, outcome.state.trials.len()), (Stop::Cancelled, 1));
}
