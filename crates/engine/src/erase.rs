//! Forgetting: all that is known about one run or one subject, and what a project keeps for a time only.

use reflect_store::{Actor, Claim, EraseJob, Erased, ErasureId, ErasureTarget, NewErasure, StoreError};
use reflect_types::TraceId;
use uuid::Uuid;

use crate::authenticate::Visitor;
use crate::{Engine, EngineError, manage_project};

const LONGEST_SUBJECT: usize = 500;

/// What somebody wants removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErasureRequest {
    /// One run; or
    pub trace: Option<TraceId>,
    /// all runs about one subject.
    pub subject: Option<String>,
    /// Whether memories that came of them stay.
    pub keep_memories: bool,
}

impl Engine {
    /// Takes a request to forget. The work is done in the background; the id says how far it has come.
    pub async fn request_erasure(
        &self,
        visitor: &Visitor,
        request: ErasureRequest,
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<ErasureId, EngineError> {
        let target = match (request.trace, request.subject) {
            (Some(trace), None) => ErasureTarget::Trace(trace),
            (None, Some(subject)) => ErasureTarget::Subject(self.stored_subject(visitor, subject).await?),
            _ => return Err(EngineError::invalid("trace_id", "or subject must be given, one of both")),
        };
        let erasure = NewErasure { erasure_id: Uuid::now_v7(), target, keep_memories: request.keep_memories };
        Ok(self.store.project(visitor.project).request_erasure(&erasure, actor, claim).await?)
    }

    /// A subject as its runs have it: they were redacted when they came.
    async fn stored_subject(&self, visitor: &Visitor, subject: String) -> Result<String, EngineError> {
        let subject = crate::submit::storable(subject);
        if subject.trim().is_empty() || subject.chars().count() > LONGEST_SUBJECT {
            return Err(EngineError::invalid("subject", "must have 1 to 500 characters"));
        }
        let mut redactor = self.redactor(visitor.project).await?;
        redactor.subject("subject", subject)
    }

    /// Removes all that an erasure is about. Stopped anywhere, it goes on where it was.
    pub(crate) async fn erase(&self, job: EraseJob) -> Result<(), StoreError> {
        let project = self.store.project(job.project());
        loop {
            match project.erase_some(job.erasure_id).await? {
                Erased::Some => {}
                Erased::Before => return Ok(()),
                Erased::All => break,
            }
        }
        project.finish_erasure(job.erasure_id).await
    }

    /// Removes what projects keep for a shorter time than the installation does. Says how many rows went.
    pub async fn retain(&self) -> Result<u64, StoreError> {
        let mut removed = 0;
        for (project, _) in self.store.projects().await? {
            let settings = match self.store.project_facts(project).await {
                Ok(facts) => manage_project::read(&facts.settings),
                // Deleted meanwhile.
                Err(StoreError::NotFound { .. }) => continue,
                Err(error) => return Err(error),
            };
            removed += self.store.project(project).retain(&settings.retention).await?;
        }
        Ok(removed)
    }
}
