//! The steps around an attempt: recall, start, reflect, announce, end.

use std::error::Error;
use std::sync::Arc;

use reflect_evaluation::Verdict;
use reflection_pipeline::{Parse, ReflectionInput, Section};
use tracing::{Instrument, Span, info_span};

use super::waiting::{Failed, Kept, retried};
use super::{Driver, Stepped, Unfinished, chain};
use crate::long_term::{Recall, RecallQuery};
use crate::notes::note_text;
use crate::state::Happened;
use crate::{ErrorKind, Event, MemoryFailure, OnHookError};

impl Driver {
    pub(super) async fn recall(&mut self, trial: u32) -> Stepped {
        let Some(memory) = self.parts.memory.clone() else {
            return self.happened(Happened::Recalled(Recall::default()));
        };
        let query = RecallQuery {
            limit: self.parts.options.recall_limit,
            trial,
            exclude_run_id: self.state.run_id.clone(),
        };
        let task = self.state.task.clone();
        let one_try = || -> Kept<'_, _> {
            let recalled = memory.recall(&task, &query);
            Box::pin(async move { recalled.await.map_err(Failed::for_good) })
        };
        // An agent waits for it, so it is asked once: open is better than late.
        let retries = crate::Retries { times: 0, ..self.parts.options.retries };
        let span = info_span!("reflexion.recall", trial);
        let recalling = retried(retries, self.parts.options.timeouts.recall, one_try).instrument(span);
        let recalled = match self.ear().listen(recalling).await? {
            Ok((recalled, _)) => {
                let memory_ids = recalled.memories.iter().map(|memory| memory.id.clone()).collect();
                self.emitter.emit(Event::MemoriesRecalled { trial_number: trial, memory_ids });
                recalled
            }
            Err(failed) => {
                self.memory_failed(trial, "recall", failed.source)?;
                Recall::default()
            }
        };
        self.happened(Happened::Recalled(recalled))
    }

    /// Says that the long-term memory did not answer, or stops, as the options want it.
    pub(super) fn memory_failed(
        &self,
        trial_number: u32,
        operation: &str,
        source: Box<dyn Error + Send + Sync>,
    ) -> Stepped {
        if self.parts.options.memory_failure == MemoryFailure::Closed {
            return Err(Unfinished::Broken(ErrorKind::Memory, source));
        }
        let error = chain(source.as_ref());
        tracing::warn!(operation, "the long-term memory did not answer; the run goes on without it");
        self.emitter.emit(Event::MemoryUnavailable { trial_number, operation: operation.to_owned(), error });
        Ok(())
    }

    pub(super) async fn start_trial(&mut self, trial: u32) -> Stepped {
        self.trial_span = Span::none();
        let span = self.span_of_trial(trial);
        let at = self.emitter.now();
        if let Some(hooks) = self.parts.hooks.clone() {
            let called = async move { hooks.on_trial_start(trial).await };
            let called = self.patient_ear().listen(called.instrument(span)).await?;
            self.hook_called(called)?;
        }
        self.emitter.emit(Event::TrialStart { trial_number: trial });
        self.happened(Happened::Started { at })
    }

    fn hook_called(&self, called: Result<(), Box<dyn Error + Send + Sync>>) -> Stepped {
        let Err(source) = called else { return Ok(()) };
        match self.parts.options.on_hook_error {
            OnHookError::Abort => Err(Unfinished::Broken(ErrorKind::Hook, source)),
            OnHookError::Log => {
                tracing::warn!(error = chain(source.as_ref()), "a hook failed and the run goes on");
                Ok(())
            }
        }
    }

    pub(super) async fn reflect(&mut self, trial: u32) -> Stepped {
        let (Some(reflector), Some(input)) = (self.parts.reflector.clone(), self.reflection_input()) else {
            let missing = "there is no reflector, or nothing to reflect on";
            return Err(Unfinished::Broken(ErrorKind::State, missing.into()));
        };
        let trial_span = self.span_of_trial(trial);
        let span = info_span!(
            parent: &trial_span,
            "reflexion.reflect",
            gen_ai.operation.name = "reflect",
            gen_ai.agent.name = reflector.name(),
        );
        let one_try = || -> Kept<'_, _> {
            let reflected = reflector.reflect(&input);
            Box::pin(async move {
                reflected.await.map_err(|error| Failed {
                    remedy: error.remedy(),
                    usage: error.usage(),
                    source: error.into(),
                })
            })
        };
        let options = &self.parts.options;
        let reflecting = retried(options.retries, options.timeouts.reflect, one_try).instrument(span);
        match self.ear().listen(reflecting).await? {
            Ok((reflection, wasted)) => {
                // A repaired or a lost answer took two calls; the reflector does not count them itself.
                let calls = if reflection.parse == Parse::Clean { 1 } else { 2 };
                self.paid(wasted, None, 0)?;
                self.paid(reflection.usage, None, calls)?;
                self.happened(Happened::Reflected(reflection))
            }
            Err(failed) => {
                self.paid(failed.usage, None, 1)?;
                Err(Unfinished::Broken(ErrorKind::Reflector, failed.source))
            }
        }
    }

    /// What the reflector sees. Nothing of [`Evaluation::private`](reflect_evaluation::Evaluation::private) is in it.
    fn reflection_input(&self) -> Option<ReflectionInput> {
        let options = &self.parts.options;
        let (candidate, evaluation) = self.state.open.as_ref()?.decided()?;
        let earlier = self.state.trials.iter().max_by(|one, other| {
            let worth =
                |trial: &crate::Trial| (trial.verdict, trial.evaluation.score.map_or(-1.0, f64::from));
            worth(one).partial_cmp(&worth(other)).unwrap_or(std::cmp::Ordering::Equal)
        });
        let best = earlier.map(|trial| {
            let feedback = trial.evaluation.feedback.as_deref().unwrap_or("(nothing)");
            let text = format!(
                "Trial {}: {}\nAnswer: {}\nFeedback: {feedback}",
                trial.number, trial.verdict, trial.attempt.final_response
            );
            Section::new("Best attempt before this one", text)
        });
        let attempt = &candidate.attempt;
        Some(ReflectionInput {
            input: Some(self.state.task.text.clone()),
            output: Some(attempt.final_response.clone()),
            error: attempt.error.clone(),
            iteration: self.state.open.as_ref().map(|open| open.number),
            passed: match evaluation.verdict_at(options.score_threshold) {
                Verdict::Pass => Some(true),
                Verdict::Fail => Some(false),
                Verdict::Unclear => None,
            },
            feedback: evaluation.feedback.clone(),
            score: evaluation.score.map(f64::from),
            cost: attempt.cost,
            trajectory: attempt.trajectory.clone(),
            earlier_notes: self.state.notes.iter().map(|note| note.text.clone()).collect(),
            sections: best.into_iter().collect(),
            ..ReflectionInput::default()
        })
    }

    pub(super) async fn announce(&mut self, trial: u32) -> Stepped {
        let reflection = self.state.open.as_ref().and_then(|open| open.reflection.as_ref());
        let reflection = reflection.map(note_text).unwrap_or_default();
        if let Some(hooks) = self.parts.hooks.clone() {
            let told = Arc::<str>::from(reflection.as_str());
            let called = async move { hooks.on_reflection_generated(trial, &told).await };
            let called = self.patient_ear().listen(called).await?;
            self.hook_called(called)?;
        }
        self.emitter.emit(Event::ReflectionGenerated { trial_number: trial, reflection });
        self.happened(Happened::Announced)
    }

    pub(super) async fn end_trial(&mut self, trial: u32) -> Stepped {
        let decided = self.state.open.as_ref().and_then(|open| open.decided());
        let Some(evaluation) = decided.map(|(_, evaluation)| evaluation.clone()) else {
            return Err(Unfinished::Broken(ErrorKind::State, "a trial ends that nobody judged".into()));
        };
        let verdict = evaluation.verdict_at(self.parts.options.score_threshold);
        let (feedback, score) = (evaluation.feedback.clone(), evaluation.score);
        if let Some(hooks) = self.parts.hooks.clone() {
            let called = async move { hooks.on_trial_end(trial, &evaluation).await };
            let called = self.patient_ear().listen(called).await?;
            self.hook_called(called)?;
        }
        self.emitter.emit(Event::TrialEnd {
            trial_number: trial,
            success: verdict == Verdict::Pass,
            feedback: feedback.filter(|feedback| !feedback.is_empty()),
            score,
            verdict,
        });
        let at = self.emitter.now();
        self.happened(Happened::Ended { at })?;
        self.trial_span = Span::none();
        Ok(())
    }
}
