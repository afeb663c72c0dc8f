//! Takes decoded spans and log records: sorts them by run, redacts what they say, and stores it.

use std::time::{Duration, SystemTime};

use reflect_store::{SpanPolicy, SpanSender};
use reflect_types::OtlpSettings;

use super::SpanIntake;
use super::receipt::{SpanReceipt, Telemetry};
use super::staging::{StagingPlan, plan};
use crate::caller::Visitor;
use crate::error::EngineError;
use crate::project_cache;

/// To read and compress more than this would block other requests of the thread.
const PREPARED_ELSEWHERE: usize = 256 * 1024;

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
        receipt.deferred += staged.deferred;
        let passed_on = self.pass_on(visitor, evaluations).await?;
        receipt.evaluated = passed_on.taken;
        receipt.not_evaluated = passed_on.refused;
        receipt.surplus = passed_on.surplus;
        receipt.not_permitted = passed_on.not_permitted;
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
