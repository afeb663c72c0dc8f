//! Recording and deleting runs.

use reflect_types::{Arm, IngestStatus, KeyId, MemoryId, RetrievalId, TraceId, Trust};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{Postgres, Transaction};

use crate::audit::Actor;
use crate::body::Body;
use crate::error::StoreError;
use crate::idempotency::{Claim, Replay};
use crate::keys::coded;
use crate::learning::{NewMemory, Reviewed};
use crate::project_ctx::ProjectCtx;
use crate::reviews::NewReview;
use crate::traces::Linked;

/// A run to store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewTrace {
    /// Its id, made by the client or by us.
    pub trace_id: TraceId,
    /// What the agent was asked to do.
    pub task: String,
    /// The agent's answer.
    pub final_response: Option<String>,
    /// The model that ran.
    pub model: Option<String>,
    /// Anything worth filtering by.
    pub metadata: serde_json::Value,
    /// The memories that were shown to the agent, as sent.
    pub retrieved: Vec<String>,
    /// The receipt of the retrieval that served them, as sent.
    pub retrieval_id: Option<RetrievalId>,
    /// Which memories the run had, and how that is known.
    pub link: Linked,
    /// Which of them it made use of, when the client says so.
    pub used: Option<Vec<MemoryId>>,
    /// Fixed text that the run was held against.
    pub reference_context: Option<String>,
    /// How many messages the trajectory has.
    pub messages: i32,
    /// Digest of all that was sent.
    pub content_digest: [u8; 32],
    /// The trajectory.
    pub body: Body,
    /// The key that sent it.
    pub key_id: KeyId,
    /// How far that key's word is trusted.
    pub trust: Trust,
    /// Whether work waits.
    pub ingest: IngestStatus,
    /// The verdict, when it came along.
    pub review: Option<NewReview>,
    /// The lesson, when that came along too.
    pub lesson: Option<NewMemory>,
}

/// What became of a run that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// Its id.
    pub trace_id: TraceId,
    /// Whether work waits.
    pub ingest: IngestStatus,
    /// The memory, when the lesson came along.
    #[serde(default)]
    pub memory_id: Option<MemoryId>,
}

impl NewTrace {
    pub(crate) fn outcome(&self) -> Recorded {
        let memory_id = self.lesson.as_ref().map(|lesson| lesson.memory_id);
        Recorded { trace_id: self.trace_id, ingest: self.ingest, memory_id }
    }

    fn reviewed(&self) -> Option<Reviewed<'_>> {
        let review = self.review.as_ref()?;
        Some(Reviewed {
            trace: self.trace_id,
            review,
            linked: &self.link.memories,
            lesson: self.lesson.as_ref(),
        })
    }
}

impl ProjectCtx {
    /// Stores one run in a transaction of its own.
    pub(crate) async fn record_alone(
        &self,
        trace: &NewTrace,
        claim: Option<&Claim>,
    ) -> Result<Replay<Recorded>, StoreError> {
        let mut transaction = self.ingest().await?;
        let outcome = trace.outcome();
        if let Some(answer) = self.claim(&mut transaction, claim, Some(&outcome)).await? {
            return Ok(Replay { answer, replayed: true });
        }
        let earlier = self.insert_trace(&mut transaction, trace).await?;
        if earlier.is_none() {
            self.begin_learning(&mut transaction, trace.reviewed().as_slice()).await?;
        }
        self.commit(transaction).await?;
        Ok(Replay { answer: earlier.unwrap_or(outcome), replayed: earlier.is_some() })
    }

    /// Stores many runs in one transaction, and answers for each of them. A gap, and one that clashes
    /// with an existing trace, is answered with nothing; the others are stored.
    pub async fn record_traces(
        &self,
        traces: &[Option<NewTrace>],
        claim: Option<&Claim>,
    ) -> Result<Replay<Vec<Option<Recorded>>>, StoreError> {
        let mut transaction = self.ingest().await?;
        if let Some(answer) = self.claim(&mut transaction, claim, None).await? {
            return Ok(Replay { answer, replayed: true });
        }
        let mut outcomes = Vec::with_capacity(traces.len());
        let mut reviewed = Vec::new();
        for trace in traces {
            let Some(trace) = trace else {
                outcomes.push(None);
                continue;
            };
            outcomes.push(match self.insert_trace(&mut transaction, trace).await {
                Ok(None) => {
                    reviewed.extend(trace.reviewed());
                    Some(trace.outcome())
                }
                Ok(earlier) => earlier,
                Err(StoreError::Conflict { .. }) => None,
                Err(error) => return Err(error),
            });
        }
        // All at once, because memories have to be locked in one order.
        self.begin_learning(&mut transaction, &reviewed).await?;
        self.remember(&mut transaction, claim, &outcomes).await?;
        self.commit(transaction).await?;
        Ok(Replay::fresh(outcomes))
    }

    /// Stores runs that are known to be new; fails as a whole when one of them is not.
    pub(crate) async fn insert_traces(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        traces: &[&NewTrace],
    ) -> Result<(), StoreError> {
        fn all<'a, T>(traces: &[&'a NewTrace], part: impl Fn(&'a NewTrace) -> T) -> Vec<T> {
            traces.iter().map(|trace| part(trace)).collect()
        }
        sqlx::query(include_str!("../../sql/traces/insert_many.sql"))
            .bind(self.project)
            .bind(all(traces, |trace| trace.trace_id))
            .bind(all(traces, |trace| trace.task.as_str()))
            .bind(all(traces, |trace| trace.final_response.as_deref()))
            .bind(all(traces, |trace| trace.model.as_deref()))
            .bind(all(traces, |trace| Json(&trace.metadata)))
            .bind(all(traces, |trace| Json(&trace.retrieved)))
            .bind(all(traces, |trace| trace.retrieval_id))
            .bind(all(traces, |trace| trace.reference_context.as_deref()))
            .bind(all(traces, |trace| trace.messages))
            .bind(all(traces, |trace| trace.content_digest.as_slice()))
            .bind(all(traces, |trace| trace.body.codec))
            .bind(all(traces, |trace| trace.body.length))
            .bind(all(traces, |trace| trace.body.digest.as_slice()))
            .bind(all(traces, |trace| trace.key_id))
            .bind(all(traces, |trace| trace.trust.code()))
            .bind(all(traces, |trace| trace.body.bytes.as_slice()))
            .bind(all(traces, |trace| trace.ingest.code()))
            .bind(all(traces, |trace| trace.review.as_ref().map(|review| review.review_id)))
            .bind(all(traces, |trace| trace.link.by.code()))
            .bind(all(traces, |trace| Json(&trace.link.memories)))
            .bind(all(traces, |trace| trace.link.retrieval))
            .bind(all(traces, |trace| trace.used.as_ref().map(Json)))
            .bind(all(traces, |trace| trace.link.arm.map(Arm::code)))
            .execute(&mut **transaction)
            .await?;
        let reviewed: Vec<Reviewed<'_>> = traces.iter().filter_map(|trace| trace.reviewed()).collect();
        self.begin_learning(transaction, &reviewed).await
    }

    /// What became of the same run when it was sent before; none when it is new, and stored now.
    async fn insert_trace(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        trace: &NewTrace,
    ) -> Result<Option<Recorded>, StoreError> {
        let stored: bool = sqlx::query_scalar(include_str!("../../sql/traces/insert.sql"))
            .bind(self.project)
            .bind(trace.trace_id)
            .bind(&trace.task)
            .bind(&trace.final_response)
            .bind(&trace.model)
            .bind(&trace.metadata)
            .bind(&trace.retrieved)
            .bind(trace.retrieval_id)
            .bind(&trace.reference_context)
            .bind(trace.messages)
            .bind(trace.content_digest)
            .bind(trace.body.codec)
            .bind(trace.body.length)
            .bind(trace.body.digest)
            .bind(trace.key_id)
            .bind(trace.trust.code())
            .bind(&trace.body.bytes)
            .bind(trace.ingest.code())
            .bind(trace.review.as_ref().map(|review| review.review_id))
            .bind(trace.link.by.code())
            .bind(&trace.link.memories)
            .bind(trace.link.retrieval)
            .bind(&trace.used)
            .bind(trace.link.arm.map(Arm::code))
            .fetch_one(&mut **transaction)
            .await?;
        if stored {
            return Ok(None);
        }
        let earlier: Option<(Vec<u8>, i16, Option<MemoryId>)> =
            sqlx::query_as(include_str!("../../sql/traces/earlier.sql"))
                .bind(self.project)
                .bind(trace.trace_id)
                .fetch_optional(&mut **transaction)
                .await?;
        match earlier {
            Some((digest, ingest, memory_id)) if digest == trace.content_digest => {
                let ingest = coded(IngestStatus::from_code(ingest))?;
                Ok(Some(Recorded { trace_id: trace.trace_id, ingest, memory_id }))
            }
            _ => Err(StoreError::Conflict { what: "another trace has this id" }),
        }
    }

    /// Removes runs, and says which of them were there.
    pub async fn delete_traces(
        &self,
        traces: &[TraceId],
        actor: &Actor,
        claim: Option<&Claim>,
    ) -> Result<Vec<TraceId>, StoreError> {
        let mut transaction = self.write().await?;
        if let Some(earlier) = self.claim(&mut transaction, claim, None).await? {
            return Ok(earlier);
        }
        let held = sqlx::query(include_str!("../../sql/traces/hold.sql")).bind(self.project).bind(traces);
        held.execute(&mut *transaction).await?;
        let gone: Vec<TraceId> = sqlx::query_scalar(include_str!("../../sql/traces/delete.sql"))
            .bind(self.project)
            .bind(traces)
            .fetch_all(&mut *transaction)
            .await?;
        for trace in &gone {
            self.note(&mut transaction, actor, "trace.delete", &trace.to_string()).await?;
        }
        self.remember(&mut transaction, claim, &gone).await?;
        self.commit(transaction).await?;
        Ok(gone)
    }
}
