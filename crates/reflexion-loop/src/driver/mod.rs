//! Does what the state says is to be done, and tells it what happened.
//!
//! Here is everything that waits: models, hooks, the long-term memory, the clock. What comes next is decided by
//! [`RunState`](crate::RunState) alone.

mod attempts;
mod record;
mod steps;
mod waiting;

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use reflect_evaluation::{Evaluator, Usage};
use reflection_pipeline::Reflector;
use tokio::time::Instant;
use tracing::{Instrument, Span, info_span};

use crate::budget::Price;
use crate::emitter::{Clock, Emitter, Events, Observer};
use crate::state::{Happened, Step};
use crate::{
    Actor, CancelToken, Checkpoint, ErrorKind, Event, Hooks, LongTermMemory, Options, Outcome, Phase,
    RunError, RunState, Stop,
};

/// Who takes part, and how.
pub(crate) struct Parts {
    pub(crate) actor: Arc<dyn Actor>,
    pub(crate) evaluator: Arc<dyn Evaluator>,
    pub(crate) reflector: Option<Arc<dyn Reflector>>,
    pub(crate) memory: Option<Arc<dyn LongTermMemory>>,
    pub(crate) hooks: Option<Arc<dyn Hooks>>,
    pub(crate) checkpoint: Option<Arc<dyn Checkpoint>>,
    pub(crate) observers: Arc<[Observer]>,
    pub(crate) price: Option<Arc<dyn Fn(Usage) -> f64 + Send + Sync>>,
    pub(crate) clock: Clock,
    pub(crate) options: Options,
}

/// Why a step was not finished.
enum Unfinished {
    /// The run is to stop; it could go on.
    Stopped(Stop),
    /// Something does not work.
    Broken(ErrorKind, Box<dyn Error + Send + Sync>),
}

type Stepped<T = ()> = Result<T, Unfinished>;

pub(crate) struct Driver {
    parts: Arc<Parts>,
    state: RunState,
    resumed: bool,
    emitter: Emitter,
    cancel: CancelToken,
    /// When this process began, and what the run had taken before.
    began: Instant,
    elapsed_before: Duration,
    trial_span: Span,
}

impl Driver {
    pub(crate) fn new(
        parts: Arc<Parts>,
        mut state: RunState,
        resumed: bool,
        cancel: CancelToken,
    ) -> (Self, Events) {
        if resumed {
            state.reopen(&parts.options);
        }
        let (observers, clock) = (Arc::clone(&parts.observers), Arc::clone(&parts.clock));
        let (emitter, events) = Emitter::new(&state.run_id, state.next_seq, observers, clock);
        let elapsed_before = Duration::from_millis(state.spent.elapsed_ms);
        let (began, trial_span) = (Instant::now(), Span::none());
        (Self { parts, state, resumed, emitter, cancel, began, elapsed_before, trial_span }, events)
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.state.run_id
    }

    /// Runs to the end.
    pub(crate) async fn drive(mut self) -> Result<Outcome, RunError> {
        let task_length = self.state.task.text.len();
        let span = info_span!(
            "reflexion.run",
            run_id = %self.state.run_id,
            task_length,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.usage.input_tokens = tracing::field::Empty,
            gen_ai.usage.output_tokens = tracing::field::Empty,
        );
        // Time counts from when somebody lets the run go, not from when it was prepared.
        self.began = Instant::now();
        let ended = self.steps().instrument(span.clone()).await;
        self.trial_span = Span::none();
        span.record("gen_ai.usage.input_tokens", self.state.spent.usage.input_tokens);
        span.record("gen_ai.usage.output_tokens", self.state.spent.usage.output_tokens);
        let _entered = span.enter();
        let trials = u32::try_from(self.state.trials.len()).unwrap_or(u32::MAX);
        match ended {
            Ok(stop) => {
                tracing::debug!(trials, ?stop, "the run ended");
                self.emitter.emit(Event::RunEnd {
                    success: stop.is_success(),
                    trials,
                    stop: Some(stop),
                    error: None,
                });
                self.state.next_seq = self.emitter.next_seq();
                let best = self.state.best(&self.parts.options);
                Ok(Outcome { stop, best, state: self.state })
            }
            Err((kind, source)) => {
                tracing::debug!(trials, ?kind, "the run cannot go on");
                let error = Some(chain(source.as_ref()));
                self.emitter.emit(Event::RunEnd { success: false, trials, stop: None, error });
                self.account_time();
                self.state.next_seq = self.emitter.next_seq();
                let trial = trial_of(self.state.phase);
                Err(RunError { kind, trial, source, partial: Box::new(self.state) })
            }
        }
    }

    async fn steps(&mut self) -> Result<Stop, (ErrorKind, Box<dyn Error + Send + Sync>)> {
        if self.resumed {
            // Before the first event, so that a second crash cannot lead to the same numbers again.
            self.save().await?;
            self.emit_start();
        }
        loop {
            waiting::breathe().await;
            self.account_time();
            let step = self.state.next_step(&self.parts.options);
            if let Step::Finished { stop } = step {
                return Ok(stop);
            }
            let stepped = if self.cancel.is_cancelled() {
                Err(Unfinished::Stopped(Stop::Cancelled))
            } else {
                self.step(step).await
            };
            match stepped {
                Ok(()) => {}
                Err(Unfinished::Stopped(stop)) => self.stop(stop)?,
                Err(Unfinished::Broken(kind, source)) => return Err((kind, source)),
            }
            self.save().await?;
        }
    }

    async fn step(&mut self, step: Step) -> Stepped {
        match step {
            Step::Begin => {
                self.emit_start();
                self.happened(Happened::Begun)
            }
            Step::Recall { trial } => self.recall(trial).await,
            Step::Start { trial } => self.start_trial(trial).await,
            Step::Attempt { trial, .. } => self.attempts(trial).await,
            Step::Reflect { trial } => self.reflect(trial).await,
            Step::Announce { trial } => self.announce(trial).await,
            Step::Record { trial, candidate } => self.record(trial, candidate).await,
            Step::End { trial } => self.end_trial(trial).await,
            Step::Stop { stop } => Err(Unfinished::Stopped(stop)),
            Step::Finished { .. } => Ok(()),
        }
    }

    fn stop(&mut self, stop: Stop) -> Result<(), (ErrorKind, Box<dyn Error + Send + Sync>)> {
        if let Stop::Budget(kind) = stop {
            self.emitter.emit(Event::Budget { kind });
        }
        match self.happened(Happened::Stopped(stop)) {
            Err(Unfinished::Broken(kind, source)) => Err((kind, source)),
            _ => Ok(()),
        }
    }

    fn happened(&mut self, happened: Happened) -> Stepped {
        let applied = self.state.apply(&self.parts.options, happened);
        applied.map_err(|error| Unfinished::Broken(ErrorKind::State, error.into()))
    }

    fn paid(&mut self, usage: Usage, cost: Option<f64>, calls: u32) -> Stepped {
        let cost = cost.or_else(|| self.parts.price.as_ref().map(|price| price(usage))).unwrap_or(0.0);
        self.happened(Happened::Paid(Price { usage, cost, calls }))
    }

    fn account_time(&mut self) {
        let elapsed = self.elapsed_before + self.began.elapsed();
        self.state.spent.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    }

    fn emit_start(&self) {
        self.emitter.emit(Event::RunStart {
            task: self.state.task.text.clone(),
            max_trials: self.parts.options.max_trials.get(),
            resumes: self.state.resumes,
        });
    }

    async fn save(&mut self) -> Result<(), (ErrorKind, Box<dyn Error + Send + Sync>)> {
        let Some(checkpoint) = &self.parts.checkpoint else { return Ok(()) };
        self.state.next_seq = self.emitter.next_seq();
        checkpoint.save(&self.state).await.map_err(|source| (ErrorKind::Checkpoint, source))?;
        self.emitter.emit(Event::Checkpoint { phase: self.state.phase });
        Ok(())
    }

    /// The span of the trial, made anew where a run resumes in the middle of one.
    fn span_of_trial(&mut self, trial: u32) -> Span {
        if self.trial_span.is_none() {
            self.trial_span = info_span!("reflexion.trial", trial);
        }
        self.trial_span.clone()
    }
}

fn trial_of(phase: Phase) -> u32 {
    match phase {
        Phase::Recall { trial }
        | Phase::Start { trial }
        | Phase::Act { trial }
        | Phase::Evaluate { trial }
        | Phase::Reflect { trial }
        | Phase::Announce { trial }
        | Phase::Record { trial }
        | Phase::End { trial } => trial,
        Phase::New | Phase::Done { .. } => 0,
    }
}

/// An error with its causes on one line.
fn chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| (**error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
