//! The driver of a run: executes the steps that the state machine requests and applies their results.
//!
//! All waiting happens here: models, hooks, the long-term memory, the clock. Only
//! [`RunState`](crate::RunState) decides what the next step is.

mod attempts;
mod calls;
mod context;
mod recall;
mod record;
mod reflect;
mod trial;

use std::error::Error;
use std::sync::Arc;

use reflect_evaluation::{Evaluator, Usage};
use reflection_pipeline::Reflector;
use tracing::{Instrument, Span, info_span};

use self::context::RunContext;
use crate::actor::Actor;
use crate::cancel::CancelToken;
use crate::checkpoint::Checkpoint;
use crate::emitter::{Clock, Events, Observer};
use crate::event::Event;
use crate::hooks::Hooks;
use crate::long_term::LongTermMemory;
use crate::options::{Options, RunConfig};
use crate::outcome::{ErrorKind, Outcome, RunError};
use crate::state::{NextStep, Phase, RunState, Stop, Transition};

type BoxError = Box<dyn Error + Send + Sync>;

/// The components of a learner and their configuration.
pub(crate) struct Components {
    pub(crate) actor: Arc<dyn Actor>,
    pub(crate) evaluator: Arc<dyn Evaluator>,
    pub(crate) reflector: Option<Arc<dyn Reflector>>,
    pub(crate) memory: Option<Arc<dyn LongTermMemory>>,
    pub(crate) hooks: Option<Arc<dyn Hooks>>,
    pub(crate) checkpoint: Option<Arc<dyn Checkpoint>>,
    pub(crate) observers: Arc<[Observer]>,
    pub(crate) price: Option<Arc<dyn Fn(Usage) -> f64 + Send + Sync>>,
    pub(crate) clock: Clock,
    pub(crate) config: RunConfig,
}

impl Components {
    pub(crate) fn options(&self) -> &Options {
        &self.config.options
    }
}

/// Why a step did not complete.
enum StepError {
    /// The run must stop. It can be resumed.
    Stopped(Stop),
    /// A component failed.
    Failed(ErrorKind, BoxError),
}

impl StepError {
    /// The state does not allow the step, for instance because it was edited.
    fn invalid_state(message: &'static str) -> Self {
        Self::Failed(ErrorKind::State, message.into())
    }
}

type StepResult<T = ()> = Result<T, StepError>;

pub(crate) struct Driver {
    run: RunContext,
    resumed: bool,
}

impl Driver {
    pub(crate) fn new(
        components: Arc<Components>,
        mut state: RunState,
        resumed: bool,
        cancel: CancelToken,
    ) -> (Self, Events) {
        if resumed {
            state.reopen(&components.config);
        }
        let (run, events) = RunContext::new(components, state, cancel);
        (Self { run, resumed }, events)
    }

    pub(crate) fn run_id(&self) -> &str {
        &self.run.state.run_id
    }

    /// Runs to the end.
    pub(crate) async fn drive(mut self) -> Result<Outcome, RunError> {
        let task_length = self.run.state.task.text.len();
        let span = info_span!(
            "reflexion.run",
            run_id = %self.run.state.run_id,
            task_length,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.usage.input_tokens = tracing::field::Empty,
            gen_ai.usage.output_tokens = tracing::field::Empty,
        );
        // The time budget starts with the first poll, not when the run was prepared.
        self.run.restart_timer();
        let ended = self.run_steps().instrument(span.clone()).await;
        let mut run = self.run;
        run.trial_span = Span::none();
        span.record("gen_ai.usage.input_tokens", run.state.spent.usage.input_tokens);
        span.record("gen_ai.usage.output_tokens", run.state.spent.usage.output_tokens);
        let _entered = span.enter();
        let trials = u32::try_from(run.state.trials.len()).unwrap_or(u32::MAX);
        match ended {
            Ok(stop) => {
                tracing::debug!(trials, ?stop, "the run ended");
                run.emitter.emit(Event::RunEnd {
                    success: stop.is_success(),
                    trials,
                    stop: Some(stop),
                    error: None,
                });
                run.state.next_seq = run.emitter.next_seq();
                let best = run.state.best(run.options());
                Ok(Outcome { stop, best, state: run.state })
            }
            Err((kind, source)) => {
                tracing::debug!(trials, ?kind, "the run failed");
                let error = Some(error_chain(source.as_ref()));
                run.emitter.emit(Event::RunEnd { success: false, trials, stop: None, error });
                run.update_elapsed();
                run.state.next_seq = run.emitter.next_seq();
                let trial = trial_of(run.state.phase);
                Err(RunError { kind, trial, source, partial: Box::new(run.state) })
            }
        }
    }

    async fn run_steps(&mut self) -> Result<Stop, (ErrorKind, BoxError)> {
        if self.resumed {
            // Save before the first event: after a second crash the same event numbers must not be used again.
            self.run.save().await?;
            self.run.emit_start();
        }
        loop {
            calls::yield_now().await;
            self.run.update_elapsed();
            let next = self.run.state.next_step(self.run.config());
            if let NextStep::Finished { stop } = next {
                return Ok(stop);
            }
            let result = if self.run.cancel.is_cancelled() {
                Err(StepError::Stopped(Stop::Cancelled))
            } else {
                self.step(next).await
            };
            match result {
                Ok(()) => {}
                Err(StepError::Stopped(stop)) => self.stop(stop)?,
                Err(StepError::Failed(kind, source)) => return Err((kind, source)),
            }
            self.run.save().await?;
        }
    }

    async fn step(&mut self, next: NextStep) -> StepResult {
        let run = &mut self.run;
        match next {
            NextStep::Begin => {
                run.emit_start();
                run.apply(Transition::Begun)
            }
            NextStep::Recall { trial } => recall::recall(run, trial).await,
            NextStep::Start { trial } => trial::start(run, trial).await,
            NextStep::Attempt { trial, .. } => attempts::Attempts::new(run, trial).run().await,
            NextStep::Reflect { trial } => reflect::reflect(run, trial).await,
            NextStep::Announce { trial } => trial::announce_reflection(run, trial).await,
            NextStep::Record { trial, candidate } => record::record(run, trial, candidate).await,
            NextStep::End { trial } => trial::end(run, trial).await,
            NextStep::Stop { stop } => Err(StepError::Stopped(stop)),
            NextStep::Finished { .. } => Ok(()),
        }
    }

    fn stop(&mut self, stop: Stop) -> Result<(), (ErrorKind, BoxError)> {
        if let Stop::Budget(kind) = stop {
            self.run.emitter.emit(Event::Budget { kind });
        }
        match self.run.apply(Transition::Stopped(stop)) {
            Err(StepError::Failed(kind, source)) => Err((kind, source)),
            _ => Ok(()),
        }
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
fn error_chain(error: &(dyn Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| (**error).source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
