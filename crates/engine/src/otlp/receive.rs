//! Takes decoded spans and log records: sorts them by run, redacts what they say, and stores it.

use std::time::{Duration, SystemTime};

use reflect_store::{OtlpId, SpanPolicy, SpanSender};
use reflect_trajectory::otel::{OtelEvent, OtelSpan};
use reflect_types::OtlpSettings;

use super::SpanIntake;
use super::staging::{StagingPlan, plan};
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache;

/// To read and compress more than this would block other requests of the thread.
const PREPARED_ELSEWHERE: usize = 256 * 1024;

/// What one request brings.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Telemetry {
    /// Spans, with the runs they belong to.
    pub spans: Vec<(OtlpId, OtelSpan)>,
    /// Log records, with the runs they belong to if they name one.
    pub events: Vec<(Option<OtlpId>, OtelEvent)>,
    /// How large the request is, in bytes.
    pub bytes: usize,
}

/// What became of spans and log records. Each is counted once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SpanReceipt {
    /// They are kept until their run has ended.
    pub staged: u64,
    /// They had arrived before.
    pub repeated: u64,
    /// They follow none of the conventions for agents.
    pub unrelated: u64,
    /// Their run is not in the sample of the project.
    pub sampled_out: u64,
    /// Their run has ended without them.
    pub late: u64,
    /// Their run is too large.
    pub dropped: u64,
    /// They have no valid id, or personal data that the project does not accept.
    pub refused: u64,
    /// Evaluations that were taken.
    pub evaluated: u64,
    /// Evaluations that no service takes.
    pub not_evaluated: u64,
}

impl SpanReceipt {
    /// How many will never be part of a run, although they should.
    pub const fn rejected(&self) -> u64 {
        self.late + self.dropped + self.refused + self.not_evaluated
    }

    fn count(&self) {
        for (result, count) in [
            ("staged", self.staged),
            ("repeated", self.repeated),
            ("unrelated", self.unrelated),
            ("sampled_out", self.sampled_out),
            ("late", self.late),
            ("dropped", self.dropped),
            ("refused", self.refused),
            ("evaluated", self.evaluated),
            ("not_evaluated", self.not_evaluated),
        ] {
            if count > 0 {
                metrics::counter!("reflect_otlp_records_total", "result" => result).increment(count);
            }
        }
    }
}

impl SpanIntake {
    /// Keeps what spans and log records say until their runs have ended. Records that arrive again change nothing.
    pub async fn receive(&self, visitor: &Visitor, telemetry: Telemetry) -> Result<SpanReceipt, EngineError> {
        let facts = self.projects.settings_facts(visitor.project).await?;
        let settings = project_cache::settings(&facts.settings).otlp;
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        let (project, large) = (visitor.project, telemetry.bytes >= PREPARED_ELSEWHERE);
        let prepare = move || {
            let plan = plan(project, telemetry, settings.sample_rate, SystemTime::now(), &mut redactor);
            redactor.finish();
            plan
        };
        let StagingPlan { runs, evaluations, mut receipt } = if large {
            let planned = tokio::task::spawn_blocking(prepare).await;
            planned.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()))
        } else {
            prepare()
        };
        let sender = SpanSender { key_id: visitor.key_id, name: visitor.name.clone(), trust: visitor.trust };
        let project = self.store.project(visitor.project);
        let staged = project.traces().spans().stage(&sender, &runs, &policy(&settings)).await?;
        receipt.staged += staged.added;
        receipt.repeated += staged.repeated;
        receipt.late += staged.late;
        receipt.dropped += staged.dropped;
        receipt.unrelated += staged.unrelated;
        let sent = evaluations.len() as u64;
        receipt.evaluated = self.pass_on(visitor, evaluations).await?;
        receipt.not_evaluated = sent - receipt.evaluated;
        receipt.count();
        Ok(receipt)
    }
}

fn policy(settings: &OtlpSettings) -> SpanPolicy {
    SpanPolicy {
        grace: Duration::from_secs(u64::from(settings.grace_seconds)),
        quiet: Duration::from_secs(u64::from(settings.quiet_seconds)),
        max_run_bytes: u64::from(settings.max_run_bytes),
    }
}
