//! Keeping what was given out, giving it back, and putting it off.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_store::{Deferral, Lease, NewDeferral};
use reflect_types::TraceId;

use super::next::check_lease;
use crate::authenticate::Visitor;
use crate::review::reviewer;
use crate::submit::storable;
use crate::{Engine, EngineError};

const MOST_LEASES: usize = 100;
const LONGEST_NOTE: usize = 1000;
/// Longer, and it was forgotten rather than put off.
const LONGEST_DEFERRAL: Duration = Duration::from_secs(90 * 24 * 60 * 60);

/// Prolongs leases or gives them back.
#[derive(Debug, Clone)]
pub struct LeaseChange {
    /// Of these runs.
    pub traces: Vec<TraceId>,
    /// For how long from now on; none gives them back.
    pub lease: Option<Duration>,
    /// Who holds them, when the key alone does not say.
    pub reviewer: Option<String>,
}

/// Puts a run off.
#[derive(Debug, Clone)]
pub struct DeferRun {
    /// For so long, or
    pub time: Option<Duration>,
    /// until then.
    pub until: Option<DateTime<Utc>>,
    /// Why.
    pub note: Option<String>,
    /// Who does so, when the key alone does not say.
    pub reviewer: Option<String>,
}

impl Engine {
    /// Prolongs a holder's leases or gives them back. Says which they still have.
    pub async fn change_leases(
        &self,
        visitor: &Visitor,
        change: LeaseChange,
    ) -> Result<Vec<Lease>, EngineError> {
        if change.traces.len() > MOST_LEASES {
            let problem = format!("must not have more than {MOST_LEASES} entries");
            return Err(EngineError::invalid("trace_ids", problem));
        }
        let holder = reviewer(visitor, change.reviewer.as_deref())?;
        let project = self.store.project(visitor.project);
        let Some(lease) = change.lease else {
            project.release_leases(&holder, &change.traces).await?;
            return Ok(Vec::new());
        };
        check_lease(lease)?;
        Ok(project.renew_leases(&holder, &change.traces, lease).await?)
    }

    /// Puts a run off, and says until when and by whom.
    pub async fn defer(
        &self,
        visitor: &Visitor,
        trace: TraceId,
        asked: DeferRun,
    ) -> Result<(DateTime<Utc>, String), EngineError> {
        let until = match (asked.time, asked.until) {
            (Some(time), None) => Deferral::For(time.min(LONGEST_DEFERRAL + Duration::from_secs(1))),
            (None, Some(until)) => Deferral::Until(until),
            _ => return Err(EngineError::invalid("seconds", "or until must be sent, and not both")),
        };
        if asked.note.as_ref().is_some_and(|note| note.chars().count() > LONGEST_NOTE) {
            let problem = format!("must not be longer than {LONGEST_NOTE} characters");
            return Err(EngineError::invalid("note", problem));
        }
        let by = reviewer(visitor, asked.reviewer.as_deref())?;
        let mut redactor = self.redactor(visitor.project).await?;
        let note = redactor.optional("note", asked.note.map(storable))?;
        redactor.finish();
        let deferral = NewDeferral { until, by: by.clone(), note, longest: LONGEST_DEFERRAL };
        let until = self.store.project(visitor.project).defer_run(trace, &deferral).await?;
        let field = if asked.until.is_some() { "until" } else { "seconds" };
        let until = until.ok_or_else(|| {
            EngineError::invalid(field, "must lie in the future, and no more than 90 days from now")
        })?;
        Ok((until, by))
    }

    /// Lets a run that was put off wait again.
    pub async fn resume(&self, visitor: &Visitor, trace: TraceId) -> Result<(), EngineError> {
        Ok(self.store.project(visitor.project).resume_run(trace).await?)
    }
}
