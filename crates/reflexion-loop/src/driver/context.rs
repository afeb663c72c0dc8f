//! What all steps of a run share: the components, the state, the events and the timer.

use std::sync::Arc;
use std::time::Duration;

use reflect_evaluation::Usage;
use tokio::time::Instant;
use tracing::{Span, info_span};

use super::calls::Interrupt;
use super::{BoxError, Components, StepError, StepResult, error_chain};
use crate::budget::Price;
use crate::cancel::CancelToken;
use crate::emitter::{Emitter, Events};
use crate::event::Event;
use crate::options::{MemoryFailure, OnHookError, Options, RunConfig};
use crate::outcome::ErrorKind;
use crate::state::{RunState, Transition};

pub(super) struct RunContext {
    pub(super) components: Arc<Components>,
    pub(super) state: RunState,
    pub(super) emitter: Emitter,
    pub(super) cancel: CancelToken,
    pub(super) trial_span: Span,
    /// When this process started the run.
    started: Instant,
    /// The time that earlier processes used.
    elapsed_before: Duration,
}

impl RunContext {
    pub(super) fn new(components: Arc<Components>, state: RunState, cancel: CancelToken) -> (Self, Events) {
        let (observers, clock) = (Arc::clone(&components.observers), Arc::clone(&components.clock));
        let (emitter, events) = Emitter::new(&state.run_id, state.next_seq, observers, clock);
        let elapsed_before = Duration::from_millis(state.spent.elapsed_ms);
        let (started, trial_span) = (Instant::now(), Span::none());
        (Self { components, state, emitter, cancel, trial_span, started, elapsed_before }, events)
    }

    pub(super) fn config(&self) -> &RunConfig {
        &self.components.config
    }

    pub(super) fn options(&self) -> &Options {
        &self.components.config.options
    }

    pub(super) fn apply(&mut self, transition: Transition) -> StepResult {
        let applied = self.state.apply(&self.components.config, transition);
        applied.map_err(|error| StepError::Failed(ErrorKind::State, error.into()))
    }

    /// Adds usage and cost to the budget. Without a reported cost, the price function of the builder applies.
    pub(super) fn charge(&mut self, usage: Usage, cost: Option<f64>, calls: u32) -> StepResult {
        let price = || self.components.price.as_ref().map(|price| price(usage));
        let cost = cost.or_else(price).unwrap_or(0.0);
        self.apply(Transition::Paid(Price { usage, cost, calls }))
    }

    pub(super) fn restart_timer(&mut self) {
        self.started = Instant::now();
    }

    pub(super) fn update_elapsed(&mut self) {
        let elapsed = self.elapsed_before + self.started.elapsed();
        self.state.spent.elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    }

    pub(super) fn emit_start(&self) {
        self.emitter.emit(Event::RunStart {
            task: self.state.task.text.clone(),
            max_trials: self.options().max_trials,
            resumes: self.state.resumes,
        });
    }

    pub(super) async fn save(&mut self) -> Result<(), (ErrorKind, BoxError)> {
        let Some(checkpoint) = &self.components.checkpoint else { return Ok(()) };
        self.state.next_seq = self.emitter.next_seq();
        checkpoint.save(&self.state).await.map_err(|source| (ErrorKind::Checkpoint, source))?;
        self.emitter.emit(Event::Checkpoint { phase: self.state.phase });
        Ok(())
    }

    /// The span of the trial. A run that resumes within a trial gets a new span.
    pub(super) fn span_of_trial(&mut self, trial: u32) -> Span {
        if self.trial_span.is_none() {
            self.trial_span = info_span!("reflexion.trial", trial);
        }
        self.trial_span.clone()
    }

    /// Interrupts work that costs money: on cancellation and at the end of the time budget.
    pub(super) fn cancel_or_deadline(&self) -> Interrupt {
        let left = self.options().budget.time.map(|time| time.saturating_sub(self.elapsed_before));
        let deadline = left.and_then(|left| self.started.checked_add(left));
        Interrupt { cancel: self.cancel.clone(), deadline }
    }

    /// Interrupts work that completes a trial: on cancellation only.
    pub(super) fn cancel_only(&self) -> Interrupt {
        Interrupt { cancel: self.cancel.clone(), deadline: None }
    }

    /// Emits an event for a failed memory call, or stops the run, depending on the options.
    pub(super) fn memory_failed(&self, trial_number: u32, operation: &str, source: BoxError) -> StepResult {
        if self.options().memory_failure == MemoryFailure::Closed {
            return Err(StepError::Failed(ErrorKind::Memory, source));
        }
        let error = error_chain(source.as_ref());
        tracing::warn!(operation, "the long-term memory failed; the run continues without it");
        self.emitter.emit(Event::MemoryUnavailable { trial_number, operation: operation.to_owned(), error });
        Ok(())
    }

    /// Logs the error of a hook, or stops the run, depending on the options.
    pub(super) fn hook_result(&self, result: Result<(), BoxError>) -> StepResult {
        let Err(source) = result else { return Ok(()) };
        match self.options().on_hook_error {
            OnHookError::Abort => Err(StepError::Failed(ErrorKind::Hook, source)),
            OnHookError::Log => {
                tracing::warn!(error = error_chain(source.as_ref()), "a hook failed; the run continues");
                Ok(())
            }
        }
    }
}
