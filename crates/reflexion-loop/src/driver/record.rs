//! Records a candidate as a trace: its review, and the memories that it gives credit to.

use reflect_evaluation::Verdict;
use serde_json::{Map, Value};
use tracing::{Instrument, info_span};

use super::calls::{BoxFuture, CallError, with_retries};
use super::context::RunContext;
use super::{StepError, StepResult};
use crate::event::Event;
use crate::long_term::{Lesson, Recorded, TraceRecord, TraceReview};
use crate::options::{Options, RecallWhen, RecordWhen};
use crate::state::{Candidate, OpenTrial, RunState, Transition};

pub(super) async fn record(run: &mut RunContext, trial: u32, number: u32) -> StepResult {
    let Some((memory, open)) = run.components.memory.clone().zip(run.state.open.clone()) else {
        return Err(StepError::invalid_state("there is no long-term memory, or no trial to record"));
    };
    let Some(candidate) = open.candidate(number) else {
        return Err(StepError::invalid_state("the candidate to record does not exist"));
    };
    let record = trace_record(run, &open, candidate);
    let call = || -> BoxFuture<'_, _> {
        let recorded = memory.record(record.clone());
        Box::pin(async move { recorded.await.map_err(CallError::permanent) })
    };
    let span = info_span!(parent: &run.trial_span, "reflexion.record", trial, candidate = number);
    let (retries, limit) = (run.options().retries, run.options().timeouts.record);
    let recording = with_retries(retries, limit, call).instrument(span);
    let recorded = match run.cancel_only().run(recording).await? {
        Ok((recorded, _)) => {
            let Recorded { trace_id, memory_id } = recorded.clone();
            run.emitter.emit(Event::TraceRecorded {
                trial_number: trial,
                candidate: number,
                trace_id,
                memory_id,
            });
            recorded
        }
        Err(error) => {
            run.memory_failed(trial, "record", error.source)?;
            Recorded::default()
        }
    };
    run.apply(Transition::Recorded { candidate: number, recorded })
}

fn trace_record<'a>(run: &'a RunContext, open: &'a OpenTrial, candidate: &'a Candidate) -> TraceRecord<'a> {
    let (state, options) = (&run.state, run.options());
    let is_chosen = open.chosen == Some(candidate.number);
    // Only the chosen candidate gives credit to the memories that the trial showed.
    let credited = if is_chosen { open.credited(state, options) } else { Vec::new() };
    let from_recall = state.recalled.iter().any(|memory| credited.contains(&memory.id));
    // A recall without results has a receipt too. It records that the trial had no memories.
    let searched = open.number == 1 || options.recall == RecallWhen::EveryTrial;
    let found_nothing = is_chosen && searched && state.recalled.is_empty();
    TraceRecord {
        idempotency_key: state.idempotency_key(open.number, candidate.number),
        task: &state.task,
        attempt: &candidate.attempt,
        review: review(options, open, candidate, is_chosen),
        retrieved_memory_ids: credited,
        retrieval_id: state.retrieval_id.as_deref().filter(|_| from_recall || found_nothing),
        metadata: metadata(state, run.components.evaluator.name(), open, candidate),
    }
}

/// `None` for an unclear verdict: the trace waits for a review by a person or a judge.
fn review<'a>(
    options: &Options,
    open: &OpenTrial,
    candidate: &'a Candidate,
    is_chosen: bool,
) -> Option<TraceReview<'a>> {
    if options.record == RecordWhen::Deferred {
        return None;
    }
    let evaluation = candidate.evaluation.as_ref()?;
    let verdict = evaluation.verdict_at(options.threshold());
    let reflection =
        open.reflection.as_ref().filter(|reflection| is_chosen && !reflection.parse.is_fallback());
    Some(TraceReview {
        result: verdict.result()?,
        feedback: evaluation.feedback.as_deref(),
        alpha: evaluation.alpha(),
        lesson: reflection
            .map(|reflection| Lesson::of(reflection, &candidate.attempt, verdict == Verdict::Pass)),
    })
}

fn metadata(
    state: &RunState,
    evaluator: &str,
    open: &OpenTrial,
    candidate: &Candidate,
) -> Map<String, Value> {
    let mut metadata = state.task.metadata.clone();
    metadata.insert("run_id".into(), state.run_id.clone().into());
    metadata.insert("trial".into(), open.number.into());
    metadata.insert("candidate".into(), candidate.number.into());
    metadata.insert("evaluator".into(), evaluator.into());
    if let Some(evaluation) = &candidate.evaluation {
        metadata.insert("evaluated_by".into(), serde_json::to_value(evaluation.by).unwrap_or_default());
        metadata.extend(evaluation.score.map(|score| ("score".to_owned(), score.get().into())));
    }
    metadata
}
