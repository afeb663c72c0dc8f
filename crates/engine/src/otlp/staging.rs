//! Decides what is kept of a request: by run, redacted and compressed.

use std::collections::BTreeMap;
use std::time::SystemTime;

use reflect_store::{Body, NewSpan, OtlpId, SpanRun};
use reflect_trajectory::otel::{
    OtelEvent, OtelSpan, RunPart, RunPartKind, read_context, read_evaluation, read_event, read_span,
};
use reflect_types::ProjectId;
use uuid::Uuid;

use super::evaluation::ReceivedEvaluation;
use super::identity::{is_sampled, part_of_event, part_of_span, trace_id};
use super::receipt::{SpanReceipt, Telemetry};
use crate::client_text::ProjectRedactor;
use crate::error::EngineError;

/// What is stored, and what is already decided about the rest.
pub(super) struct StagingPlan {
    /// In the order of their ids, which prevents deadlocks.
    pub(super) runs: Vec<SpanRun>,
    pub(super) evaluations: Vec<ReceivedEvaluation>,
    pub(super) receipt: SpanReceipt,
}

struct Planner<'a> {
    project: ProjectId,
    sample_rate: f64,
    now: SystemTime,
    redactor: &'a mut ProjectRedactor,
    runs: BTreeMap<OtlpId, StartedRun>,
    evaluations: Vec<ReceivedEvaluation>,
    receipt: SpanReceipt,
}

/// A run, and when the first of its spans in this request started.
struct StartedRun {
    run: SpanRun,
    start: u64,
}

/// Sorts spans and log records by run.
pub(super) fn plan(
    project: ProjectId,
    telemetry: Telemetry,
    sample_rate: f64,
    now: SystemTime,
    redactor: &mut ProjectRedactor,
) -> StagingPlan {
    let (runs, evaluations, receipt) = (BTreeMap::new(), Vec::new(), SpanReceipt::default());
    let mut planner = Planner { project, sample_rate, now, redactor, runs, evaluations, receipt };
    for (run, span) in telemetry.spans {
        planner.span(run, span);
    }
    for (place, (run, event)) in (0..).zip(telemetry.events) {
        planner.event(run, &event, place);
    }
    let Planner { runs, evaluations, receipt, .. } = planner;
    let runs = runs.into_values().map(|StartedRun { run, start }| {
        let trace_id = trace_id(project, run.otlp_id, start, now);
        SpanRun { trace_id, ..run }
    });
    StagingPlan { runs: runs.collect(), evaluations, receipt }
}

impl Planner<'_> {
    fn span(&mut self, run: OtlpId, span: OtelSpan) {
        let Some(part_id) = part_of_span(&span.span_id).filter(|_| !run.is_nil()) else {
            self.receipt.refused += 1;
            return;
        };
        if !is_sampled(self.project, run, self.sample_rate) {
            self.receipt.sampled_out += 1;
            return;
        }
        self.evaluate(Some(run), &span.events);
        let (start, is_root) = (span.start, span.parent_id.is_none());
        let part = read_span(&span);
        let opens = part.as_ref().is_some_and(|part| part.kind != RunPartKind::Other);
        match part.or_else(|| read_context(&span)) {
            Some(part) => self.keep(run, start, part_id, part),
            None => self.receipt.unrelated += 1,
        }
        if opens || is_root {
            let run = self.run(run, start);
            run.opens |= opens;
            run.root_ended |= is_root;
        }
    }

    fn event(&mut self, run: Option<OtlpId>, event: &OtelEvent, place: u32) {
        let run = run.filter(|run| !run.is_nil());
        if run.is_some_and(|run| !is_sampled(self.project, run, self.sample_rate)) {
            self.receipt.sampled_out += 1;
            return;
        }
        if let Some(result) = read_evaluation(event) {
            self.evaluations.push(ReceivedEvaluation { run, result });
            return;
        }
        let (Some(run), Some(part)) = (run, read_event(event)) else {
            self.receipt.unrelated += 1;
            return;
        };
        self.keep(run, event.at, part_of_event(event), RunPart { place, ..part });
        self.run(run, event.at).opens = true;
    }

    fn evaluate(&mut self, run: Option<OtlpId>, events: &[OtelEvent]) {
        let results = events.iter().filter_map(read_evaluation);
        self.evaluations.extend(results.map(|result| ReceivedEvaluation { run, result }));
    }

    fn keep(&mut self, run: OtlpId, start: u64, part_id: Uuid, part: RunPart) {
        match self.content(part) {
            Ok(body) => self.run(run, start).spans.push(NewSpan { part_id, body }),
            Err(error) => {
                tracing::debug!(%error, "a span is not kept: {error}");
                self.receipt.refused += 1;
            }
        }
    }

    /// What a part says, redacted. It is redacted again as a part of its run. What identifies a run or a person gets long tags
    /// first: signals and erasures find the run by it.
    fn content(&mut self, mut part: RunPart) -> Result<Body, EngineError> {
        let context = &mut part.context;
        for text in [&mut context.session, &mut context.conversation, &mut context.user] {
            *text = text.take().map(|text| self.redactor.subject("span", text)).transpose()?;
        }
        let json = serde_json::value::to_raw_value(&part);
        let json = json.map_err(|error| EngineError::invalid("span", error))?;
        Ok(Body::encode(self.redactor.json("span", json)?.get()))
    }

    fn run(&mut self, run: OtlpId, start: u64) -> &mut SpanRun {
        let (project, now) = (self.project, self.now);
        let started = self.runs.entry(run).or_insert_with(|| {
            let trace_id = trace_id(project, run, start, now);
            let run = SpanRun { otlp_id: run, trace_id, root_ended: false, opens: false, spans: Vec::new() };
            StartedRun { run, start }
        });
        // A span without a time says nothing about the time of its run.
        if start > 0 && (started.start == 0 || start < started.start) {
            started.start = start;
        }
        &mut started.run
    }
}
