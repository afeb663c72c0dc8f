//! The candidates of a trial: they work and are evaluated at the same time, until one is chosen.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use reflect_evaluation::{Attempt, Evaluation, Usage, Verdict};
use tracing::{Instrument, Span, info_span};

use super::waiting::{Failed, Kept, retried};
use super::{Driver, Parts, Stepped, Unfinished, chain};
use crate::actor::TrialContext;
use crate::prompt::compose;
use crate::state::{Happened, Step};
use crate::{ErrorKind, Event, OnActorError, OnEvaluatorError, Stop};

/// What one candidate has come to.
enum Report {
    Acted(Result<(Attempt, Usage), Failed>),
    Evaluated(Result<(Evaluation, Usage), Failed>),
}

/// Work under way, by candidate. Dropped when it is not wanted any more.
struct UnderWay(Vec<(u32, Kept<'static, Report>)>);

impl UnderWay {
    fn has(&self, candidate: u32) -> bool {
        self.0.iter().any(|(number, _)| *number == candidate)
    }

    /// The next that is done. Candidates are few, so all are polled whenever one wakes.
    async fn next(&mut self) -> (u32, Report) {
        poll_fn(|cx| {
            for index in 0..self.0.len() {
                if let Poll::Ready(report) = self.0[index].1.as_mut().poll(cx) {
                    return Poll::Ready((self.0.remove(index).0, report));
                }
            }
            Poll::Pending
        })
        .await
    }
}

impl Driver {
    pub(super) async fn attempts(&mut self, trial: u32) -> Stepped {
        let span = self.span_of_trial(trial);
        let composed = Arc::new(compose(&self.state, &self.parts.options));
        let context = |candidate| TrialContext {
            run_id: self.state.run_id.clone(),
            task: self.state.task.clone(),
            trial,
            candidate,
            max_trials: self.parts.options.max_trials.get(),
            composed: Arc::clone(&composed),
            cancel: self.cancel.clone(),
            emitter: self.emitter.clone(),
        };
        let contexts: Vec<TrialContext> = (1..=self.parts.options.parallel.get()).map(context).collect();
        let ear = self.ear();
        let mut under_way = UnderWay(Vec::new());
        loop {
            let Step::Attempt { act, evaluate, .. } = self.state.next_step(&self.parts.options) else {
                return Ok(());
            };
            for candidate in act.into_iter().filter(|number| !under_way.has(*number)).collect::<Vec<_>>() {
                if let Some(cx) = contexts.iter().find(|cx| cx.candidate == candidate) {
                    under_way.0.push((candidate, act_work(Arc::clone(&self.parts), cx.clone(), &span)));
                }
            }
            for candidate in evaluate.into_iter().filter(|number| !under_way.has(*number)).collect::<Vec<_>>()
            {
                let open = self.state.open.as_ref().and_then(|open| open.candidate(candidate));
                if let Some(found) = open {
                    let (task, attempt) = (self.state.task.clone(), found.attempt.clone());
                    let work = evaluate_work(Arc::clone(&self.parts), task, attempt, candidate, &span);
                    under_way.0.push((candidate, work));
                }
            }
            let (candidate, report) = ear.listen(under_way.next()).await?;
            self.account_time();
            match report {
                Report::Acted(acted) => self.acted(trial, candidate, acted)?,
                Report::Evaluated(evaluated) => self.evaluated(trial, candidate, evaluated)?,
            }
            if self.state.is_past_attempts(&self.parts.options) {
                // A trial that was judged ends before the run does; the limit is told when it is reached.
                if let Some(Stop::Budget(kind)) = self.state.open.as_ref().and_then(|open| open.stop) {
                    self.emitter.emit(Event::Budget { kind });
                }
                return Ok(());
            }
            // What a candidate has done is kept while the others are still at work.
            self.save().await.map_err(|(kind, source)| Unfinished::Broken(kind, source))?;
        }
    }

    fn acted(&mut self, trial: u32, candidate: u32, acted: Result<(Attempt, Usage), Failed>) -> Stepped {
        let attempt = match acted {
            Ok((attempt, wasted)) => {
                self.paid(wasted, None, 0)?;
                self.paid(attempt.usage, attempt.cost, attempt.calls)?;
                attempt
            }
            Err(failed) => {
                self.paid(failed.usage, None, 1)?;
                match self.parts.options.on_actor_error {
                    OnActorError::Abort => return Err(Unfinished::Broken(ErrorKind::Actor, failed.source)),
                    OnActorError::FailTrial => {
                        let why = format!("the agent did not work: {}", chain(failed.source.as_ref()));
                        Attempt::default().failed(why)
                    }
                }
            }
        };
        let gave_up = attempt.error.clone();
        self.happened(Happened::Acted { candidate, attempt })?;
        if let Some(error) = gave_up {
            self.emit_evaluated(trial, candidate, &Evaluation::fail().with_feedback(error));
        }
        Ok(())
    }

    fn evaluated(
        &mut self,
        trial: u32,
        candidate: u32,
        evaluated: Result<(Evaluation, Usage), Failed>,
    ) -> Stepped {
        let (evaluation, settled) = match evaluated {
            Ok((evaluation, wasted)) => {
                self.paid(wasted, None, 0)?;
                self.paid(evaluation.usage, evaluation.cost, evaluation.calls)?;
                (evaluation, false)
            }
            Err(failed) => {
                self.paid(failed.usage, None, 1)?;
                match self.parts.options.on_evaluator_error {
                    OnEvaluatorError::Abort => {
                        return Err(Unfinished::Broken(ErrorKind::Evaluator, failed.source));
                    }
                    OnEvaluatorError::Unjudged => (Evaluation::unclear(), true),
                }
            }
        };
        self.emit_evaluated(trial, candidate, &evaluation);
        self.happened(Happened::Evaluated { candidate, evaluation, settled })
    }

    fn emit_evaluated(&self, trial_number: u32, candidate: u32, evaluation: &Evaluation) {
        let verdict: Verdict = evaluation.verdict_at(self.parts.options.score_threshold);
        let (score, feedback) = (evaluation.score, evaluation.feedback.clone());
        self.emitter.emit(Event::Evaluated { trial_number, candidate, verdict, score, feedback });
    }
}

fn act_work(parts: Arc<Parts>, cx: TrialContext, trial: &Span) -> Kept<'static, Report> {
    let span = info_span!(
        parent: trial,
        "reflexion.act",
        candidate = cx.candidate,
        gen_ai.operation.name = "invoke_agent",
        gen_ai.agent.name = parts.actor.name(),
    );
    let work = async move {
        let one_try = || -> Kept<'_, _> {
            let (actor, cx) = (Arc::clone(&parts.actor), cx.clone());
            Box::pin(async move {
                actor.attempt(cx).await.map_err(|error| Failed {
                    remedy: error.remedy,
                    usage: error.usage,
                    source: error.source,
                })
            })
        };
        Report::Acted(retried(parts.options.retries, parts.options.timeouts.act, one_try).await)
    };
    Box::pin(work.instrument(span))
}

fn evaluate_work(
    parts: Arc<Parts>,
    task: crate::Task,
    attempt: Attempt,
    candidate: u32,
    trial: &Span,
) -> Kept<'static, Report> {
    let span = info_span!(
        parent: trial,
        "reflexion.evaluate",
        candidate,
        gen_ai.operation.name = "evaluate",
        gen_ai.agent.name = parts.evaluator.name(),
    );
    let work = async move {
        let one_try = || -> Kept<'_, _> {
            let evaluated = parts.evaluator.evaluate(&task, &attempt);
            Box::pin(async move {
                evaluated.await.map_err(|error| Failed {
                    remedy: error.remedy(),
                    usage: error.usage(),
                    source: error.into(),
                })
            })
        };
        Report::Evaluated(retried(parts.options.retries, parts.options.timeouts.evaluate, one_try).await)
    };
    Box::pin(work.instrument(span))
}
