//! Starts and ends a trial and calls the hooks.

use std::sync::Arc;

use reflect_evaluation::Verdict;
use tracing::{Instrument, Span};

use super::context::RunContext;
use super::{StepError, StepResult};
use crate::event::Event;
use crate::notes::note_text;
use crate::state::Transition;

pub(super) async fn start(run: &mut RunContext, trial: u32) -> StepResult {
    run.trial_span = Span::none();
    let span = run.span_of_trial(trial);
    let at = run.emitter.now();
    if let Some(hooks) = run.components.hooks.clone() {
        let call = async move { hooks.on_trial_start(trial).await };
        let result = run.cancel_only().run(call.instrument(span)).await?;
        run.hook_result(result)?;
    }
    run.emitter.emit(Event::TrialStart { trial_number: trial });
    run.apply(Transition::Started { at })
}

pub(super) async fn announce_reflection(run: &mut RunContext, trial: u32) -> StepResult {
    let reflection = run.state.open.as_ref().and_then(|open| open.reflection.as_ref());
    let reflection = reflection.map(note_text).unwrap_or_default();
    if let Some(hooks) = run.components.hooks.clone() {
        let text = Arc::<str>::from(reflection.as_str());
        let call = async move { hooks.on_reflection_generated(trial, &text).await };
        let result = run.cancel_only().run(call).await?;
        run.hook_result(result)?;
    }
    run.emitter.emit(Event::ReflectionGenerated { trial_number: trial, reflection });
    run.apply(Transition::Announced)
}

pub(super) async fn end(run: &mut RunContext, trial: u32) -> StepResult {
    let decided = run.state.open.as_ref().and_then(|open| open.decided());
    let Some(evaluation) = decided.map(|(_, evaluation)| evaluation.clone()) else {
        return Err(StepError::invalid_state("the trial to end has no evaluation"));
    };
    let verdict = evaluation.verdict_at(run.options().threshold());
    let (feedback, score) = (evaluation.feedback.clone(), evaluation.score);
    if let Some(hooks) = run.components.hooks.clone() {
        let call = async move { hooks.on_trial_end(trial, &evaluation).await };
        let result = run.cancel_only().run(call).await?;
        run.hook_result(result)?;
    }
    run.emitter.emit(Event::TrialEnd {
        trial_number: trial,
        success: verdict == Verdict::Pass,
        feedback: feedback.filter(|feedback| !feedback.is_empty()),
        score,
        verdict,
    });
    let at = run.emitter.now();
    run.apply(Transition::Ended { at })?;
    run.trial_span = Span::none();
    Ok(())
}
