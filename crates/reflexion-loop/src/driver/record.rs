//! A trial becomes a trace: what is said of it, and which memories answer for it.

use reflect_evaluation::Verdict;
use serde_json::{Map, Value};
use tracing::{Instrument, info_span};

use super::waiting::{Failed, Kept, retried};
use super::{Driver, Stepped, Unfinished};
use crate::long_term::{Lesson, Recorded, TraceRecord, TraceReview};
use crate::state::{Candidate, Happened, OpenTrial};
use crate::{ErrorKind, Event, RecallWhen, RecordWhen};

impl Driver {
    pub(super) async fn record(&mut self, trial: u32, candidate: u32) -> Stepped {
        let Some((memory, open)) = self.parts.memory.clone().zip(self.state.open.clone()) else {
            return Err(Unfinished::Broken(
                ErrorKind::State,
                "there is nothing to record, or nowhere".into(),
            ));
        };
        let Some(found) = open.candidate(candidate) else {
            return Err(Unfinished::Broken(ErrorKind::State, "the candidate to record is not there".into()));
        };
        let record = self.trace_record(&open, found);
        let one_try = || -> Kept<'_, _> {
            let recorded = memory.record(record.clone());
            Box::pin(async move { recorded.await.map_err(Failed::for_good) })
        };
        let span = info_span!(parent: &self.trial_span, "reflexion.record", trial, candidate);
        let options = &self.parts.options;
        let recording = retried(options.retries, options.timeouts.record, one_try).instrument(span);
        let recorded = match self.patient_ear().listen(recording).await? {
            Ok((recorded, _)) => {
                let Recorded { trace_id, memory_id } = recorded.clone();
                self.emitter.emit(Event::TraceRecorded {
                    trial_number: trial,
                    candidate,
                    trace_id,
                    memory_id,
                });
                recorded
            }
            Err(failed) => {
                self.memory_failed(trial, "record", failed.source)?;
                Recorded::default()
            }
        };
        self.happened(Happened::Recorded { candidate, recorded })
    }

    fn trace_record<'a>(&'a self, open: &'a OpenTrial, candidate: &'a Candidate) -> TraceRecord<'a> {
        let is_chosen = open.chosen == Some(candidate.number);
        // Only the candidate that stands for the trial answers for what the trial was shown.
        let credited = if is_chosen { open.credited(&self.state, &self.parts.options) } else { Vec::new() };
        let from_recall = self.state.recalled.iter().any(|memory| credited.contains(&memory.id));
        // A search that found nothing has a receipt too: it says that the trial had no memories.
        let options = &self.parts.options;
        let searched = open.number == 1 || options.recall == RecallWhen::EveryTrial;
        let in_vain = is_chosen && searched && self.state.recalled.is_empty();
        TraceRecord {
            idempotency_key: self.state.idempotency_key(open.number, candidate.number),
            task: &self.state.task,
            attempt: &candidate.attempt,
            review: self.review(open, candidate, is_chosen),
            retrieved_memory_ids: credited,
            retrieval_id: self.state.retrieval_id.as_deref().filter(|_| from_recall || in_vain),
            metadata: self.metadata(open, candidate),
        }
    }

    /// None for an unclear verdict: the trace waits for somebody who can tell.
    fn review<'a>(
        &self,
        open: &OpenTrial,
        candidate: &'a Candidate,
        is_chosen: bool,
    ) -> Option<TraceReview<'a>> {
        if self.parts.options.record == RecordWhen::Deferred {
            return None;
        }
        let evaluation = candidate.evaluation.as_ref()?;
        let verdict = evaluation.verdict_at(self.parts.options.score_threshold);
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

    fn metadata(&self, open: &OpenTrial, candidate: &Candidate) -> Map<String, Value> {
        let mut metadata = self.state.task.metadata.clone();
        metadata.insert("run_id".into(), self.state.run_id.clone().into());
        metadata.insert("trial".into(), open.number.into());
        metadata.insert("candidate".into(), candidate.number.into());
        metadata.insert("evaluator".into(), self.parts.evaluator.name().into());
        if let Some(evaluation) = &candidate.evaluation {
            metadata.insert("evaluated_by".into(), serde_json::to_value(evaluation.by).unwrap_or_default());
            metadata.extend(evaluation.score.map(|score| ("score".to_owned(), score.get().into())));
        }
        metadata
    }
}
