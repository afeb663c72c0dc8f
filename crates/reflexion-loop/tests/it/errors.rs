//! Errors of components. The state keeps all completed work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use reflection_pipeline::{Analysis, ReflectionError, ReflectionInput};
use reflexion_loop::*;

use crate::stage::{BoxError, Counter, Diary, Writer, kinds, learner, passes_in, watched};

/// Fails in the second call only.
#[derive(Clone, Default)]
struct Shaky(Arc<AtomicU32>);

impl Shaky {
    fn call(&self) -> Result<(), BoxError> {
        if self.0.fetch_add(1, Ordering::SeqCst) == 1 { Err("it broke".into()) } else { Ok(()) }
    }
}

#[async_trait]
impl Evaluator for Shaky {
    async fn evaluate(&self, _: &Task, _: &Attempt) -> Result<Evaluation, EvaluationError> {
        self.call()?;
        Ok(Evaluation::fail())
    }
}

#[async_trait]
impl Reflector for Shaky {
    async fn analyze(&self, _: &ReflectionInput) -> Result<Analysis, ReflectionError> {
        self.call()?;
        Ok(Analysis::default())
    }
}

#[async_trait]
impl Hooks for Shaky {
    async fn on_trial_start(&self, _: u32) -> Result<(), BoxError> {
        self.call()
    }
}

#[async_trait]
impl Actor for Shaky {
    async fn attempt(&self, _: TrialContext) -> Result<Attempt, ActorError> {
        self.call().map_err(ActorError::new)?;
        Ok("answer".into())
    }
}

#[async_trait]
impl LongTermMemory for Shaky {
    async fn recall(&self, _: &Task, _: &RecallQuery) -> Result<Recall, BoxError> {
        Ok(Recall::default())
    }

    async fn record(&self, _: TraceRecord<'_>) -> Result<Recorded, BoxError> {
        self.call()?;
        Ok(Recorded::default())
    }
}

#[async_trait]
impl Checkpoint for Shaky {
    async fn save(&self, _: &RunState) -> Result<(), BoxError> {
        self.call()
    }
}

async fn broken(builder: ReflexionBuilder) -> (RunError, Outcome) {
    let learner = builder.build().unwrap();
    let error = learner.run("task").await.unwrap_err();
    assert_eq!(error.source.to_string(), "it broke");
    let resumed = learner.resume((*error.partial).clone()).outcome().await.unwrap();
    (error, resumed)
}

#[tokio::test]
async fn an_error_of_the_evaluator_keeps_the_partial_state() {
    let actor = Counter::default();

    let (error, outcome) = broken(learner(0).actor(actor.clone()).evaluator(Shaky::default())).await;

    assert_eq!((error.kind, error.trial), (ErrorKind::Evaluator, 2));
    assert_eq!(error.partial.trials.len(), 1);
    assert_eq!(error.partial.open.as_ref().unwrap().candidates[0].attempt.final_response, "answer 2");
    assert_eq!(
        error.to_string(),
        "the evaluation failed in trial 2; the state with 1 ended trials is kept and can resume"
    );
    assert_eq!(outcome.stop, Stop::MaxTrials);
    assert_eq!(actor.prompts.read().len(), 3, "trial 2 was not attempted again");
}

#[tokio::test]
async fn an_error_of_the_reflector_keeps_the_partial_state() {
    let (error, outcome) = broken(learner(0).reflector(Shaky::default())).await;

    assert_eq!((error.kind, error.trial), (ErrorKind::Reflector, 2));
    assert_eq!(error.partial.best(&Options::default()).unwrap().number, 2, "it was judged");
    assert_eq!(outcome.state.trials.len(), 3);
}

#[tokio::test]
async fn an_error_of_a_hook_keeps_the_partial_state_or_is_logged() {
    let (error, outcome) = broken(learner(0).hooks(Shaky::default())).await;
    let logged = learner(0)
        .hooks(Shaky::default())
        .options(Options { on_hook_error: OnHookError::Log, ..Options::default() });
    let logged = logged.build().unwrap().run("task").await.unwrap();

    assert_eq!((error.kind, error.trial), (ErrorKind::Hook, 2));
    assert_eq!(error.partial.trials.len(), 1);
    assert_eq!((outcome.state.trials.len(), logged.state.trials.len()), (3, 3));
}

#[tokio::test]
async fn an_error_of_the_actor_keeps_the_partial_state_or_fails_the_trial() {
    let (error, outcome) = broken(learner(0).actor(Shaky::default())).await;
    let failing = learner(0)
        .actor(Shaky::default())
        .options(Options { on_actor_error: OnActorError::FailTrial, ..Options::default() });
    let failing = failing.build().unwrap().run("task").await.unwrap();

    assert_eq!((error.kind, error.trial), (ErrorKind::Actor, 2));
    assert_eq!(outcome.state.trials.len(), 3);
    let second = &failing.state.trials[1];
    assert_eq!(second.verdict, Verdict::Fail);
    assert_eq!(second.evaluation.feedback.as_deref(), Some("the actor failed: it broke"));
}

#[tokio::test]
async fn an_error_of_memory_or_checkpoint_keeps_the_partial_state() {
    let closed = learner(0)
        .long_term_memory(Shaky::default())
        .options(Options { memory_failure: MemoryFailure::Closed, ..Options::default() });
    let (memory, _) = broken(closed).await;
    let (checkpoint, outcome) = broken(learner(0).checkpoint(Shaky::default())).await;

    assert_eq!((memory.kind, memory.trial), (ErrorKind::Memory, 2));
    assert_eq!(checkpoint.kind, ErrorKind::Checkpoint);
    assert_eq!(outcome.state.trials.len(), 3);
}

#[tokio::test]
async fn a_run_that_breaks_says_so_at_the_end_of_its_events() {
    let learner = learner(0).evaluator(Shaky::default()).build().unwrap();

    let (events, outcome) = watched(learner.start("task")).await;

    let Event::RunEnd { success: false, trials: 1, stop: None, error: Some(why) } =
        &events.last().unwrap().event
    else {
        panic!("{events:?}");
    };
    assert_eq!(why, "it broke");
    let error = outcome.unwrap_err();
    assert_eq!(error.partial.next_seq, events.last().unwrap().seq + 1);
    assert!(!kinds(&events).contains(&"trial_end2".to_owned()));
}

#[tokio::test]
async fn an_evaluator_that_does_not_work_can_count_as_unclear() {
    let unjudged = learner(0)
        .evaluator(Shaky::default())
        .options(Options { on_evaluator_error: OnEvaluatorError::Unjudged, ..Options::default() });

    let outcome = unjudged.build().unwrap().run("task").await.unwrap();

    let verdicts: Vec<Verdict> = outcome.state.trials.iter().map(|trial| trial.verdict).collect();
    assert_eq!(verdicts, [Verdict::Fail, Verdict::Unclear, Verdict::Fail]);
}

/// Fails this many times with a retryable error.
fn busy(times: u32, tries: Diary) -> impl Actor {
    let calls = AtomicU32::new(0);
    actor_fn(move |_| {
        tries.write(format!("{:?}", tokio::time::Instant::now()));
        let works = calls.fetch_add(1, Ordering::SeqCst) >= times;
        async move { if works { Ok("answer 1") } else { Err(ModelError::retry_later("busy", None)) } }
    })
}

#[tokio::test(start_paused = true)]
async fn errors_that_pass_are_retried_with_growing_waits() {
    let (tries, began) = (Diary::default(), tokio::time::Instant::now());
    let patient = Reflexion::builder()
        .actor(busy(2, tries.clone()))
        .evaluator(passes_in(1))
        .reflector(Writer::default());

    let outcome = patient.build().unwrap().run("task").await.unwrap();

    assert_eq!((outcome.stop, tries.read().len()), (Stop::Passed, 3));
    assert_eq!(began.elapsed().as_millis() / 100, 15, "half a second, then one");
    let given_up = learner(1).actor(busy(3, Diary::default())).build().unwrap().run("task").await;
    assert_eq!(given_up.unwrap_err().kind, ErrorKind::Actor);
}

#[tokio::test(start_paused = true)]
async fn a_step_that_hangs_ends_with_its_timeout() {
    let hanging = actor_fn(|_| std::future::pending::<String>());
    let timeouts = Timeouts { act: Some(Duration::from_secs(7)), ..Timeouts::default() };
    let retries = Retries { times: 0, ..Retries::default() };

    let learner = learner(1)
        .actor(hanging)
        .options(Options { timeouts, retries, ..Options::default() })
        .build()
        .unwrap();
    let error = learner.run("task").await.unwrap_err();

    assert_eq!((error.kind, error.trial), (ErrorKind::Actor, 1));
    assert_eq!(error.source.to_string(), "it took longer than 7s");
}

#[tokio::test]
async fn giving_up_is_a_failed_trial_and_nobody_is_asked_to_judge_it() {
    let asked = Diary::default();
    let diary = asked.clone();
    let judge = check_fn(move |answer: &str| {
        diary.write(answer);
        true
    });
    let gives_up = actor_fn(|cx: TrialContext| async move {
        let attempt = Attempt::from(format!("answer {}", cx.trial()));
        if cx.trial() == 1 { attempt.failed("out of steps") } else { attempt }
    });

    let outcome = learner(0).actor(gives_up).evaluator(judge).build().unwrap().run("task").await.unwrap();

    assert_eq!(asked.read(), ["answer 2"]);
    assert_eq!(outcome.state.trials[0].evaluation.feedback.as_deref(), Some("out of steps"));
    assert_eq!(outcome.stop, Stop::Passed);
}
