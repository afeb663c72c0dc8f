//! Reflects on a trial.

use reflect_evaluation::Verdict;
use reflection_pipeline::{Parse, ReflectionInput, Section};
use tracing::{Instrument, info_span};

use super::calls::{BoxFuture, CallError, with_retries};
use super::context::RunContext;
use super::{StepError, StepResult};
use crate::options::Options;
use crate::outcome::ErrorKind;
use crate::state::{RunState, Transition, Trial};

pub(super) async fn reflect(run: &mut RunContext, trial: u32) -> StepResult {
    let input = reflection_input(&run.state, run.options());
    let (Some(reflector), Some(input)) = (run.components.reflector.clone(), input) else {
        return Err(StepError::invalid_state("there is no reflector, or the trial has no evaluation"));
    };
    let trial_span = run.span_of_trial(trial);
    let span = info_span!(
        parent: &trial_span,
        "reflexion.reflect",
        gen_ai.operation.name = "reflect",
        gen_ai.agent.name = reflector.name(),
    );
    let call = || -> BoxFuture<'_, _> {
        let reflected = reflector.reflect(&input);
        Box::pin(async move {
            reflected.await.map_err(|error| CallError {
                remedy: error.remedy(),
                usage: error.usage(),
                source: error.into(),
            })
        })
    };
    let (retries, limit) = (run.options().retries, run.options().timeouts.reflect);
    let reflecting = with_retries(retries, limit, call).instrument(span);
    match run.cancel_or_deadline().run(reflecting).await? {
        Ok((reflection, wasted)) => {
            // The reflector does not report its calls. An answer that was not clean took a second call.
            let calls = if reflection.parse == Parse::Clean { 1 } else { 2 };
            run.charge(wasted, None, 0)?;
            run.charge(reflection.usage, None, calls)?;
            run.apply(Transition::Reflected(reflection))
        }
        Err(error) => {
            run.charge(error.usage, None, 1)?;
            Err(StepError::Failed(ErrorKind::Reflector, error.source))
        }
    }
}

/// The input of the reflector. It contains nothing of
/// [`Evaluation::private`](reflect_evaluation::Evaluation::private).
fn reflection_input(state: &RunState, options: &Options) -> Option<ReflectionInput> {
    let open = state.open.as_ref()?;
    let (candidate, evaluation) = open.decided()?;
    let rank = |trial: &Trial| (trial.verdict, trial.evaluation.score.map_or(-1.0, f64::from));
    let best = state
        .trials
        .iter()
        .max_by(|one, other| rank(one).partial_cmp(&rank(other)).unwrap_or(std::cmp::Ordering::Equal));
    let best = best.map(|trial| {
        let feedback = trial.evaluation.feedback.as_deref().unwrap_or("(nothing)");
        let text = format!(
            "Trial {}: {}\nAnswer: {}\nFeedback: {feedback}",
            trial.number, trial.verdict, trial.attempt.final_response
        );
        Section::new("Best attempt before this one", text)
    });
    let attempt = &candidate.attempt;
    Some(ReflectionInput {
        input: Some(state.task.text.clone()),
        output: Some(attempt.final_response.clone()),
        error: attempt.error.clone(),
        iteration: Some(open.number),
        passed: match evaluation.verdict_at(options.threshold()) {
            Verdict::Pass => Some(true),
            Verdict::Fail => Some(false),
            Verdict::Unclear => None,
        },
        feedback: evaluation.feedback.clone(),
        score: evaluation.score.map(f64::from),
        cost: attempt.cost,
        trajectory: attempt.trajectory.clone(),
        earlier_notes: state.notes.iter().map(|note| note.text.clone()).collect(),
        sections: best.into_iter().collect(),
        ..ReflectionInput::default()
    })
}
