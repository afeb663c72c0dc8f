//! Erasure of all data about one trace or one subject.

use reflect_store::{
    AuditActor, Claim, EraseJob, Erased, ErasureId, ErasureTarget, NewErasure, Store, StoreError,
};
use reflect_types::TraceId;
use uuid::Uuid;

use crate::caller::Visitor;
use crate::client_text::{Redaction, storable};
use crate::error::EngineError;

const LONGEST_SUBJECT: usize = 500;

/// A request to erase data. Exactly one of `trace` and `subject` is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasureRequest {
    /// One trace.
    pub trace: Option<TraceId>,
    /// All traces about one subject.
    pub subject: Option<String>,
    /// Whether memories that were learned from them are kept.
    pub keep_memories: bool,
}

/// Erases traces and all data about a subject.
#[derive(Debug, Clone)]
pub struct Erasures {
    store: Store,
    redaction: Redaction,
}

impl Erasures {
    pub(crate) const fn new(store: Store, redaction: Redaction) -> Self {
        Self { store, redaction }
    }

    /// Stores a request to erase data. A job does the work; the id shows its progress.
    pub async fn request(
        &self,
        visitor: &Visitor,
        request: ErasureRequest,
        actor: &AuditActor,
        claim: Option<&Claim>,
    ) -> Result<ErasureId, EngineError> {
        let target = match (request.trace, request.subject) {
            (Some(trace), None) => ErasureTarget::Trace(trace),
            (None, Some(subject)) => ErasureTarget::Subject(self.stored_subject(visitor, subject).await?),
            _ => return Err(EngineError::invalid("trace_id", "or subject must be sent, and not both")),
        };
        let erasure = NewErasure { erasure_id: Uuid::now_v7(), target, keep_memories: request.keep_memories };
        Ok(self.store.project(visitor.project).erasures().request(&erasure, actor, claim).await?)
    }

    /// The subject as traces store it, which is redacted.
    async fn stored_subject(&self, visitor: &Visitor, subject: String) -> Result<String, EngineError> {
        let subject = storable(subject);
        if subject.trim().is_empty() || subject.chars().count() > LONGEST_SUBJECT {
            return Err(EngineError::invalid("subject", "must have 1 to 500 characters"));
        }
        let mut redactor = self.redaction.redactor(visitor.project).await?;
        redactor.subject("subject", subject)
    }

    /// Erases everything that a request names. An interrupted job continues where it stopped.
    pub(crate) async fn erase(&self, job: EraseJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        loop {
            match project.erasures().erase_batch(job.erasure_id).await? {
                Erased::Some => {}
                Erased::Before => return Ok(()),
                Erased::All => break,
            }
        }
        project.erasures().finish(job.erasure_id).await
    }
}
