//! Runs that arrive as OpenTelemetry spans, until they have ended.
//!
//! Each span is stored once, under its own id. A job closes the run when its time has come: from then on it takes no
//! spans, so that what becomes the trace and what is removed afterwards is the same.

use std::collections::BTreeMap;
use std::time::Duration;

use reflect_types::{KeyId, TraceId, Trust};
use uuid::Uuid;

use super::read::decode;
use super::record::Body;
#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::{ProjectDb, ProjectTx, coded};
use crate::error::StoreError;
use crate::ids::OtlpId;
use crate::jobs;
use crate::sealing::{SealedColumn, Sealer};

/// A run with more spans takes no further ones.
const MOST_PARTS: i32 = 10_000;
/// States of a run.
const OPEN: i16 = 0;
const CLOSED: i16 = 1;

/// Runs that arrive as spans.
#[derive(Debug, Clone, Copy)]
pub struct SpanStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// Who sends spans.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpanSender {
    /// The key.
    pub key_id: KeyId,
    /// Its name in reviews and in the audit log.
    pub name: String,
    /// How far it is trusted.
    pub trust: Trust,
}

/// When a run ends, and how large it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpanPolicy {
    /// How long to wait for further spans after the root has ended.
    pub grace: Duration,
    /// How long to wait if the root has not ended.
    pub quiet: Duration,
    /// How large the parts of a run may be together, before compression.
    pub max_run_bytes: u64,
}

/// A run that spans belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct SpanRun {
    /// Its id in OpenTelemetry.
    pub otlp_id: OtlpId,
    /// The trace that it becomes, if it is new.
    pub trace_id: TraceId,
    /// Whether its root is among the spans that arrived.
    pub root_ended: bool,
    /// Whether the spans are those of an agent. Others are kept only if the run is there.
    pub opens: bool,
    /// What its spans say about it.
    pub spans: Vec<NewSpan>,
}

/// What one span says about its run.
#[derive(Debug, Clone, PartialEq)]
pub struct NewSpan {
    /// The id of the span, or a digest of a log record.
    pub part_id: Uuid,
    /// What it says.
    pub body: Body,
}

/// What became of spans.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StagedSpans {
    /// They were stored.
    pub added: u64,
    /// They had arrived before.
    pub repeated: u64,
    /// Their run has ended without them.
    pub late: u64,
    /// Their run is too large.
    pub dropped: u64,
    /// They are no spans of an agent, and there is no run that they belong to.
    pub unrelated: u64,
}

/// How the assembly of a run ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunEnd {
    /// It is stored as a trace.
    Stored,
    /// It cannot be stored, for this reason.
    Refused(String),
}

/// A run that takes no more spans.
#[derive(Debug, Clone, PartialEq)]
pub struct ClosedRun {
    /// The trace that it becomes.
    pub trace_id: TraceId,
    /// The key that sent its first span, with the lowest trust of all keys.
    pub sender: SpanSender,
    /// What its spans say.
    pub parts: Vec<String>,
    /// How many spans were dropped because the run was too large.
    pub dropped: u64,
}

#[derive(sqlx::FromRow)]
struct OpenedRow {
    otlp_id: Uuid,
    state: i16,
    parts: i32,
    bytes: i64,
    merged: Vec<Uuid>,
    is_new: bool,
}

#[derive(sqlx::FromRow)]
struct LockedRow {
    state: i16,
    trace_id: TraceId,
    key_id: KeyId,
    key_name: String,
    trust: i16,
    dropped: i32,
    waits: f64,
}

#[derive(sqlx::FromRow)]
struct PartRow {
    part_id: Uuid,
    codec: i16,
    length: i32,
    digest: Vec<u8>,
    content: Vec<u8>,
}

impl SpanStore<'_> {
    /// Stores what spans say about their runs, in one transaction. Each run is in the list once.
    pub async fn stage(
        &self,
        sender: &SpanSender,
        runs: &[SpanRun],
        policy: &SpanPolicy,
    ) -> Result<StagedSpans, StoreError> {
        let mut staged = StagedSpans::default();
        if runs.is_empty() {
            return Ok(staged);
        }
        let mut transaction = self.db.ingest().await?;
        let opened = open(&mut transaction, sender, runs, policy).await?;
        let (mut accepted, mut dropped) = (Vec::new(), Vec::new());
        for run in runs {
            let Some(row) = opened.get(&run.otlp_id) else {
                staged.unrelated += run.spans.len() as u64;
                continue;
            };
            let chosen = choose(run, row, policy);
            staged.repeated += chosen.repeated;
            staged.late += chosen.late;
            if chosen.dropped > 0 {
                staged.dropped += chosen.dropped;
                dropped.push((run.otlp_id, i32::try_from(chosen.dropped).unwrap_or(i32::MAX)));
            }
            accepted.extend(chosen.accepted.into_iter().map(|span| (run.otlp_id, span)));
        }
        staged.added = add_parts(&mut transaction, &accepted).await?;
        staged.repeated += (accepted.len() as u64).saturating_sub(staged.added);
        count_dropped(&mut transaction, &dropped).await?;
        let waits = |run: &&SpanRun| opened.get(&run.otlp_id).is_some_and(|row| row.state == OPEN);
        let (ended, others): (Vec<&SpanRun>, Vec<&SpanRun>) =
            runs.iter().filter(waits).partition(|run| run.root_ended);
        let ended: Vec<OtlpId> = ended.into_iter().map(|run| run.otlp_id).collect();
        let is_new = |run: &&SpanRun| opened.get(&run.otlp_id).is_some_and(|row| row.is_new);
        let new: Vec<OtlpId> = others.into_iter().filter(is_new).map(|run| run.otlp_id).collect();
        jobs::enqueue_assembly(&mut transaction, &ended, policy.grace).await?;
        jobs::enqueue_assembly(&mut transaction, &new, policy.quiet).await?;
        transaction.commit().await?;
        Ok(staged)
    }

    /// Closes a run whose time has come, and reads its parts. Returns them again if the run was closed before and is not
    /// ended. `None` if it is not due, and its job is queued again, or if there is nothing to do.
    pub async fn close(&self, run: OtlpId) -> Result<Option<ClosedRun>, StoreError> {
        let mut transaction = self.db.write().await?;
        let locked = sqlx::query_as(include_str!("../../sql/spans/lock_run.sql"));
        let locked: Option<LockedRow> =
            locked.bind(self.db.project).bind(run).fetch_optional(&mut *transaction).await?;
        let Some(locked) = locked.filter(|locked| [OPEN, CLOSED].contains(&locked.state)) else {
            return Ok(None);
        };
        if locked.state == OPEN {
            if locked.waits > 0.0 {
                let delay = Duration::from_secs_f64(locked.waits);
                jobs::enqueue_assembly(&mut transaction, &[run], delay).await?;
                transaction.commit().await?;
                return Ok(None);
            }
            // A statement of its own, which sees what was committed before the lock.
            let closed = sqlx::query(include_str!("../../sql/spans/close_run.sql"));
            closed.bind(self.db.project).bind(run).execute(&mut *transaction).await?;
        }
        let parts = sqlx::query_as(include_str!("../../sql/spans/parts.sql"));
        let parts: Vec<PartRow> = parts.bind(self.db.project).bind(run).fetch_all(&mut *transaction).await?;
        let parts =
            parts.into_iter().map(|part| part.text(&transaction.sealer, run)).collect::<Result<_, _>>();
        transaction.commit().await?;
        Ok(Some(ClosedRun {
            trace_id: locked.trace_id,
            sender: SpanSender {
                key_id: locked.key_id,
                name: locked.key_name,
                trust: coded(Trust::from_code(locked.trust))?,
            },
            parts: parts?,
            dropped: u64::try_from(locked.dropped).unwrap_or_default(),
        }))
    }

    /// Ends a closed run, and removes its parts.
    pub async fn end(&self, run: OtlpId, end: &RunEnd) -> Result<(), StoreError> {
        let (state, error) = match end {
            RunEnd::Stored => (2_i16, None),
            RunEnd::Refused(reason) => (3, Some(reason.replace('\0', "\u{fffd}"))),
        };
        let mut transaction = self.db.write().await?;
        let ended = sqlx::query(end_statement(&transaction)).bind(self.db.project).bind(run);
        ended.bind(state).bind(error).execute(&mut *transaction).await?;
        transaction.commit().await
    }

    /// The trace that a run becomes or became. `None` if no span of it arrived in the last days.
    pub async fn trace_of(&self, run: OtlpId) -> Result<Option<TraceId>, StoreError> {
        let mut transaction = self.db.look_up().await?;
        let found = sqlx::query_scalar(include_str!("../../sql/spans/trace_of_run.sql"));
        let found = found.bind(self.db.project).bind(run).fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(found)
    }
}

/// Queues the assembly of runs that are due and have no job. Returns how many.
pub(crate) async fn requeue(db: &ProjectDb) -> Result<u64, StoreError> {
    let mut transaction = db.write().await?;
    let orphans = sqlx::query_scalar(include_str!("../../sql/spans/orphans.sql")).bind(db.project);
    let orphans: Vec<OtlpId> = orphans.fetch_all(&mut *transaction).await?;
    jobs::enqueue_assembly(&mut transaction, &orphans, Duration::ZERO).await?;
    transaction.commit().await?;
    Ok(orphans.len() as u64)
}

async fn open(
    transaction: &mut ProjectTx,
    sender: &SpanSender,
    runs: &[SpanRun],
    policy: &SpanPolicy,
) -> Result<BTreeMap<OtlpId, OpenedRow>, StoreError> {
    let rows: Vec<OpenedRow> = sqlx::query_as(include_str!("../../sql/spans/open_runs.sql"))
        .bind(transaction.project)
        .bind(runs.iter().map(|run| run.otlp_id).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.trace_id).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.root_ended).collect::<Vec<_>>())
        .bind(runs.iter().map(|run| run.opens).collect::<Vec<_>>())
        .bind(sender.key_id)
        .bind(&sender.name)
        .bind(sender.trust.code())
        .bind(policy.grace.as_secs_f64())
        .bind(policy.quiet.as_secs_f64())
        .fetch_all(&mut **transaction)
        .await?;
    Ok(rows.into_iter().map(|row| (row.otlp_id, row)).collect())
}

/// Which spans a run takes.
#[derive(Default)]
struct ChosenSpans<'a> {
    accepted: Vec<&'a NewSpan>,
    repeated: u64,
    late: u64,
    dropped: u64,
}

fn choose<'a>(run: &'a SpanRun, row: &OpenedRow, policy: &SpanPolicy) -> ChosenSpans<'a> {
    let mut chosen = ChosenSpans::default();
    if row.state != OPEN {
        let (repeated, late): (Vec<&NewSpan>, Vec<&NewSpan>) =
            run.spans.iter().partition(|span| row.merged.contains(&span.part_id));
        return ChosenSpans { repeated: repeated.len() as u64, late: late.len() as u64, ..chosen };
    }
    let (mut bytes, mut parts) = (u64::try_from(row.bytes).unwrap_or_default(), row.parts);
    for span in &run.spans {
        let length = span.body.plain_length();
        if bytes + length > policy.max_run_bytes || parts >= MOST_PARTS {
            chosen.dropped += 1;
            continue;
        }
        bytes += length;
        parts += 1;
        chosen.accepted.push(span);
    }
    chosen
}

/// Returns how many were not there before.
async fn add_parts(transaction: &mut ProjectTx, parts: &[(OtlpId, &NewSpan)]) -> Result<u64, StoreError> {
    if parts.is_empty() {
        return Ok(0);
    }
    let contents: Result<Vec<_>, _> = parts
        .iter()
        .map(|(run, span)| {
            transaction
                .sealer
                .seal_bytes(SealedColumn::OtlpPart.of(row_of(*run, span.part_id)), &span.body.bytes)
        })
        .collect();
    let contents = contents?;
    let added: i64 = sqlx::query_scalar(add_statement(transaction))
        .bind(transaction.project)
        .bind(parts.iter().map(|(run, _)| *run).collect::<Vec<_>>())
        .bind(parts.iter().map(|(_, span)| span.part_id).collect::<Vec<_>>())
        .bind(parts.iter().map(|(_, span)| span.body.codec).collect::<Vec<_>>())
        .bind(parts.iter().map(|(_, span)| span.body.length).collect::<Vec<_>>())
        .bind(parts.iter().map(|(_, span)| span.body.digest.as_slice()).collect::<Vec<_>>())
        .bind(contents.iter().map(|content| &**content).collect::<Vec<&[u8]>>())
        .fetch_one(&mut **transaction)
        .await?;
    Ok(added.unsigned_abs())
}

async fn count_dropped(transaction: &mut ProjectTx, dropped: &[(OtlpId, i32)]) -> Result<(), StoreError> {
    if dropped.is_empty() {
        return Ok(());
    }
    sqlx::query(include_str!("../../sql/spans/count_dropped.sql"))
        .bind(transaction.project)
        .bind(dropped.iter().map(|(run, _)| *run).collect::<Vec<_>>())
        .bind(dropped.iter().map(|(_, spans)| *spans).collect::<Vec<_>>())
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

impl PartRow {
    fn text(self, sealer: &Sealer, run: OtlpId) -> Result<String, StoreError> {
        let corrupt = |_| StoreError::Corrupt { what: "span of a run" };
        let content =
            sealer.open_bytes(SealedColumn::OtlpPart.of(row_of(run, self.part_id)), &self.content)?;
        decode(self.codec, self.length, &self.digest, &content).map_err(corrupt)
    }
}

/// The row of a part, as encryption names it: a part of one run cannot be read as one of another.
fn row_of(run: OtlpId, part: Uuid) -> Uuid {
    Uuid::from_u128(run.as_u128() ^ part.as_u128().rotate_left(64))
}

fn add_statement(transaction: &ProjectTx) -> &'static str {
    match &transaction.faulty {
        #[cfg(debug_assertions)]
        Some((StoreFault::StageSpansAgain, _)) => crate::faults::STAGE_SPANS_AGAIN,
        _ => include_str!("../../sql/spans/add_parts.sql"),
    }
}

fn end_statement(transaction: &ProjectTx) -> &'static str {
    match &transaction.faulty {
        #[cfg(debug_assertions)]
        Some((StoreFault::ForgetEndedRuns, _)) => crate::faults::FORGET_ENDED_RUNS,
        _ => include_str!("../../sql/spans/end_run.sql"),
    }
}
