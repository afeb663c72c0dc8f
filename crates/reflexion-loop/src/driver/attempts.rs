//! The candidates of a trial act and are evaluated in parallel until one is chosen.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use reflect_evaluation::{Attempt, Evaluation, Task, Usage, Verdict};
use tracing::{Instrument, Span, info_span};

use super::calls::{BoxFuture, CallError, with_retries};
use super::context::RunContext;
use super::{Components, StepError, StepResult, error_chain};
use crate::actor::TrialContext;
use crate::event::Event;
use crate::options::{OnActorError, OnEvaluatorError};
use crate::outcome::ErrorKind;
use crate::state::prompt::compose;
use crate::state::{NextStep, Stop, Transition};

/// The result of one piece of work of a candidate.
enum WorkResult {
    Acted(Result<(Attempt, Usage), CallError>),
    Evaluated(Result<(Evaluation, Usage), CallError>),
}

/// The running work, by candidate. Dropping it cancels the work.
struct RunningWork(Vec<(u32, BoxFuture<'static, WorkResult>)>);

impl RunningWork {
    fn has(&self, candidate: u32) -> bool {
        self.0.iter().any(|(number, _)| *number == candidate)
    }

    /// The next result. A trial has few candidates, so each wake-up polls all of them.
    async fn next(&mut self) -> (u32, WorkResult) {
        poll_fn(|cx| {
            for index in 0..self.0.len() {
                if let Poll::Ready(result) = self.0[index].1.as_mut().poll(cx) {
                    return Poll::Ready((self.0.remove(index).0, result));
                }
            }
            Poll::Pending
        })
        .await
    }
}

/// The attempts of one trial.
pub(super) struct Attempts<'a> {
    run: &'a mut RunContext,
    trial: u32,
    span: Span,
    contexts: Vec<TrialContext>,
    running: RunningWork,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(run: &'a mut RunContext, trial: u32) -> Self {
        let span = run.span_of_trial(trial);
        let composed = Arc::new(compose(&run.state, run.options()));
        let context = |candidate| TrialContext {
            run_id: run.state.run_id.clone(),
            task: run.state.task.clone(),
            trial,
            candidate,
            max_trials: run.options().max_trials,
            composed: Arc::clone(&composed),
            cancel: run.cancel.clone(),
            emitter: run.emitter.clone(),
        };
        let contexts = (1..=run.options().parallel).map(context).collect();
        Self { run, trial, span, contexts, running: RunningWork(Vec::new()) }
    }

    pub(super) async fn run(mut self) -> StepResult {
        let interrupt = self.run.cancel_or_deadline();
        loop {
            let next = self.run.state.next_step(self.run.config());
            let NextStep::Attempt { act, evaluate, .. } = next else { return Ok(()) };
            self.start_acting(&act);
            self.start_evaluating(&evaluate);
            let (candidate, result) = interrupt.run(self.running.next()).await?;
            self.run.update_elapsed();
            match result {
                WorkResult::Acted(result) => self.acted(candidate, result)?,
                WorkResult::Evaluated(result) => self.evaluated(candidate, result)?,
            }
            if !matches!(self.run.state.next_step(self.run.config()), NextStep::Attempt { .. }) {
                // An evaluated trial ends before the run does. The budget event belongs to the time of the limit.
                if let Some(Stop::Budget(kind)) = self.run.state.open.as_ref().and_then(|open| open.stop) {
                    self.run.emitter.emit(Event::Budget { kind });
                }
                return Ok(());
            }
            // Saves the result of a candidate while the others still work.
            self.run.save().await.map_err(|(kind, source)| StepError::Failed(kind, source))?;
        }
    }

    fn start_acting(&mut self, candidates: &[u32]) {
        for &candidate in candidates {
            if self.running.has(candidate) {
                continue;
            }
            if let Some(cx) = self.contexts.iter().find(|cx| cx.candidate == candidate) {
                let work = act(Arc::clone(&self.run.components), cx.clone(), &self.span);
                self.running.0.push((candidate, work));
            }
        }
    }

    fn start_evaluating(&mut self, candidates: &[u32]) {
        for &candidate in candidates {
            if self.running.has(candidate) {
                continue;
            }
            let state = &self.run.state;
            if let Some(found) = state.open.as_ref().and_then(|open| open.candidate(candidate)) {
                let (task, attempt) = (state.task.clone(), found.attempt.clone());
                let components = Arc::clone(&self.run.components);
                let work = evaluate(components, task, attempt, candidate, &self.span);
                self.running.0.push((candidate, work));
            }
        }
    }

    fn acted(&mut self, candidate: u32, result: Result<(Attempt, Usage), CallError>) -> StepResult {
        let attempt = match result {
            Ok((attempt, wasted)) => {
                self.run.charge(wasted, None, 0)?;
                self.run.charge(attempt.usage, attempt.cost, attempt.calls)?;
                attempt
            }
            Err(error) => {
                self.run.charge(error.usage, None, 1)?;
                match self.run.options().on_actor_error {
                    OnActorError::Abort => return Err(StepError::Failed(ErrorKind::Actor, error.source)),
                    OnActorError::FailTrial => {
                        let reason = format!("the actor failed: {}", error_chain(error.source.as_ref()));
                        Attempt::default().failed(reason)
                    }
                }
            }
        };
        let failure = attempt.error.clone();
        self.run.apply(Transition::Acted { candidate, attempt })?;
        if let Some(error) = failure {
            self.emit_evaluated(candidate, &Evaluation::fail().with_feedback(error));
        }
        Ok(())
    }

    fn evaluated(&mut self, candidate: u32, result: Result<(Evaluation, Usage), CallError>) -> StepResult {
        let (evaluation, is_final) = match result {
            Ok((evaluation, wasted)) => {
                self.run.charge(wasted, None, 0)?;
                self.run.charge(evaluation.usage, evaluation.cost, evaluation.calls)?;
                (evaluation, false)
            }
            Err(error) => {
                self.run.charge(error.usage, None, 1)?;
                match self.run.options().on_evaluator_error {
                    OnEvaluatorError::Abort => {
                        return Err(StepError::Failed(ErrorKind::Evaluator, error.source));
                    }
                    OnEvaluatorError::Unjudged => (Evaluation::unclear(), true),
                }
            }
        };
        self.emit_evaluated(candidate, &evaluation);
        self.run.apply(Transition::Evaluated { candidate, evaluation, is_final })
    }

    fn emit_evaluated(&self, candidate: u32, evaluation: &Evaluation) {
        let verdict: Verdict = evaluation.verdict_at(self.run.options().threshold());
        let (score, feedback) = (evaluation.score, evaluation.feedback.clone());
        let trial_number = self.trial;
        self.run.emitter.emit(Event::Evaluated { trial_number, candidate, verdict, score, feedback });
    }
}

fn act(components: Arc<Components>, cx: TrialContext, trial: &Span) -> BoxFuture<'static, WorkResult> {
    let span = info_span!(
        parent: trial,
        "reflexion.act",
        candidate = cx.candidate,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = components.actor.name(),
    );
    let work = async move {
        let call = || -> BoxFuture<'_, _> {
            let (actor, cx) = (Arc::clone(&components.actor), cx.clone());
            Box::pin(async move {
                actor.attempt(cx).await.map_err(|error| CallError {
                    remedy: error.remedy,
                    usage: error.usage,
                    source: error.source,
                })
            })
        };
        let options = components.options();
        WorkResult::Acted(with_retries(options.retries, options.timeouts.act, call).await)
    };
    Box::pin(work.instrument(span))
}

fn evaluate(
    components: Arc<Components>,
    task: Task,
    attempt: Attempt,
    candidate: u32,
    trial: &Span,
) -> BoxFuture<'static, WorkResult> {
    let span = info_span!(
        parent: trial,
        "reflexion.evaluate",
        candidate,
        gen_ai.operation.name = "evaluate",
        gen_ai.agent.name = components.evaluator.name(),
    );
    let work = async move {
        let call = || -> BoxFuture<'_, _> {
            let evaluated = components.evaluator.evaluate(&task, &attempt);
            Box::pin(async move {
                evaluated.await.map_err(|error| CallError {
                    remedy: error.remedy(),
                    usage: error.usage(),
                    source: error.into(),
                })
            })
        };
        let options = components.options();
        WorkResult::Evaluated(with_retries(options.retries, options.timeouts.evaluate, call).await)
    };
    Box::pin(work.instrument(span))
}
