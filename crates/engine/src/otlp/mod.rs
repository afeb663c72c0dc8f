//! Runs that arrive as OpenTelemetry spans.
//!
//! [`SpanIntake::receive`] keeps what spans say until their run has ended. A job then builds the run, which is stored like
//! any other. Decisions about ids and sampling are in `identity`, the conversion of a run in `built_run`.

mod built_run;
mod evaluation;
mod identity;
mod receipt;
mod receive;
mod staging;
#[cfg(test)]
mod tests;

use std::fmt;

use reflect_store::{AssembleJob, RunEnd, Store, StoreError};
use reflect_types::ProjectSlug;

use crate::caller::Visitor;
use crate::client_text::Redaction;
use crate::error::EngineError;
use crate::intake::SubmittedRun;
use crate::project_cache::ProjectCache;
pub(crate) use evaluation::{EvaluationHandler, TakenResults};
pub use receipt::{SpanReceipt, Telemetry};

/// Takes OpenTelemetry spans, and builds runs from them.
#[derive(Clone)]
pub struct SpanIntake {
    store: Store,
    projects: ProjectCache,
    redaction: Redaction,
    evaluations: EvaluationHandler,
}

impl fmt::Debug for SpanIntake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpanIntake").finish_non_exhaustive()
    }
}

/// A run that was built from spans, and who sent them.
#[derive(Debug)]
pub(crate) struct BuiltRun {
    pub(crate) visitor: Visitor,
    pub(crate) run: SubmittedRun,
}

impl SpanIntake {
    pub(crate) const fn new(
        store: Store,
        projects: ProjectCache,
        redaction: Redaction,
        evaluations: EvaluationHandler,
    ) -> Self {
        Self { store, projects, redaction, evaluations }
    }

    /// Closes a run whose time has come and builds it. `None` if it is not due, or if nothing can be built.
    pub(crate) async fn build(&self, job: AssembleJob) -> Result<Option<BuiltRun>, StoreError> {
        let project = self.store.project(job.project());
        let mut rows = self.store.catalogue().project_rows(Some(&[job.project()])).await?;
        let slug = rows.pop().and_then(|row| row.slug.parse::<ProjectSlug>().ok());
        // The project may have been deleted.
        let Some(slug) = slug else { return Ok(None) };
        let Some(closed) = project.traces().spans().close(job.otlp_id).await? else { return Ok(None) };
        if closed.unreadable > 0 {
            // Another attempt would not read them either.
            let reason = format!("{} of its spans are damaged in the database", closed.unreadable);
            self.end(job, RunEnd::Refused(reason)).await?;
            return Ok(None);
        }
        let visitor = Visitor::of_spans(job.project(), slug, closed.sender.clone());
        let otlp_id = job.otlp_id;
        let built = tokio::task::spawn_blocking(move || built_run::build(otlp_id, &closed));
        let built = built.await.unwrap_or_else(|ended| std::panic::resume_unwind(ended.into_panic()));
        match built {
            Ok(run) => Ok(Some(BuiltRun { visitor, run })),
            Err(reason) => {
                self.end(job, RunEnd::Refused(reason.to_owned())).await?;
                Ok(None)
            }
        }
    }

    /// Ends a run after the attempt to store it. An error means that the attempt has to be repeated.
    pub(crate) async fn settle(
        &self,
        job: AssembleJob,
        stored: Result<(), EngineError>,
    ) -> Result<(), StoreError> {
        match stored {
            // An earlier attempt has stored it, before the settings of redaction changed.
            Ok(()) | Err(EngineError::Store(StoreError::Conflict { .. })) => {
                self.end(job, RunEnd::Stored).await
            }
            Err(EngineError::Store(error)) => Err(error),
            Err(error) => self.end(job, RunEnd::Refused(error.to_string())).await,
        }
    }

    async fn end(&self, job: AssembleJob, end: RunEnd) -> Result<(), StoreError> {
        let result = match &end {
            RunEnd::Stored => "stored",
            RunEnd::Refused(reason) => {
                let project = job.project_id;
                tracing::info!(project, reason, "a run of OpenTelemetry spans is not stored: {reason}");
                "refused"
            }
        };
        self.store.project(job.project()).traces().spans().end(job.otlp_id, &end).await?;
        metrics::counter!("reflect_otlp_runs_total", "result" => result).increment(1);
        Ok(())
    }
}
