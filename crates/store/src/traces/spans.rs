//! Runs that arrive as OpenTelemetry spans, until they have ended.
//!
//! Each span is stored once, under its own id. A job closes the run when its time has come: from then on it takes no
//! spans, so that what becomes the trace and what is removed afterwards is the same.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use reflect_types::{CrashPoint, KeyId, TraceId, Trust};
use uuid::Uuid;

use super::record::Body;
use super::span_parts::{PartRow, part_row, read_parts};
#[cfg(debug_assertions)]
use crate::connect::StoreFault;
use crate::db::{ProjectDb, ProjectTx, coded};
use crate::error::StoreError;
use crate::ids::OtlpId;
use crate::jobs;
use crate::sealing::SealedColumn;

/// A run with more spans takes no further ones.
const MOST_PARTS: i32 = 10_000;
/// How many runs of a project wait for their end at most, and how large their spans are together. Then new runs have to be sent
/// again later, so that no sender can fill the database with runs that never end.
const MOST_RUNS: i64 = 20_000;
const MOST_BYTES: i64 = 1 << 30;
/// With this many bytes, spans of runs that are known have to wait too.
const MOST_BYTES_OF_ALL: i64 = 2 * MOST_BYTES;
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
    /// They are not stored, because too many runs of the project wait. They have to be sent again.
    pub deferred: u64,
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
    /// How many of its spans are damaged.
    pub unreadable: u64,
    /// How many spans were dropped because the run was too large.
    pub dropped: u64,
}

#[derive(sqlx::FromRow)]
struct OpenedRow {
    otlp_id: Uuid,
    state: i16,
    parts: i32,
    bytes: i64,
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

impl SpanStore<'_> {
    /// Stores what spans say about their runs, in one transaction. Each run is in the list once. If too many runs wait, no others
    /// are opened; those that are known still take spans, and end.
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
        let Some(room) = room(&mut transaction).await? else {
            staged.deferred = runs.iter().map(|run| run.spans.len() as u64).sum();
            return Ok(staged);
        };
        let opened = open(&mut transaction, sender, runs, policy, room).await?;
        let known = known_spans(&mut transaction, runs, &opened, policy).await?;
        let (mut accepted, mut dropped) = (Vec::new(), Vec::new());
        for run in runs {
            let Some(row) = opened.get(&run.otlp_id) else {
                let count = run.spans.len() as u64;
                match run.opens {
                    true => staged.deferred += count,
                    false => staged.unrelated += count,
                }
                continue;
            };
            let chosen = choose(run, row, policy, &known);
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
        transaction.commit_at(CrashPoint::SpanStage).await?;
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
        let sealer = transaction.sealer.clone();
        transaction.commit_at(CrashPoint::SpanRunClose).await?;
        // After the commit, so that neither the row lock nor the connection is held while megabytes are decoded.
        let parts = read_parts(run, parts, sealer).await?;
        Ok(Some(ClosedRun {
            trace_id: locked.trace_id,
            sender: SpanSender {
                key_id: locked.key_id,
                name: locked.key_name,
                trust: coded(Trust::from_code(locked.trust))?,
            },
            parts: parts.texts,
            unreadable: parts.unreadable,
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
        transaction.commit_at(CrashPoint::SpanRunEnd).await
    }

    /// The traces that runs become or became, without runs of which no span arrived in the last days.
    pub async fn traces_of(&self, runs: &[OtlpId]) -> Result<Vec<(OtlpId, TraceId)>, StoreError> {
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let mut transaction = self.db.look_up().await?;
        let found = sqlx::query_as(include_str!("../../sql/spans/traces_of_runs.sql"));
        let found = found.bind(self.db.project).bind(runs).fetch_all(&mut *transaction).await?;
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

/// How many runs may be opened. `None` if the project takes no spans at all for now.
async fn room(transaction: &mut ProjectTx) -> Result<Option<i64>, StoreError> {
    let waiting = sqlx::query_as(include_str!("../../sql/spans/waiting.sql"));
    let waiting = waiting.bind(transaction.project).bind(MOST_RUNS);
    let (runs, bytes): (i64, i64) = waiting.fetch_one(&mut **transaction).await?;
    if bytes >= MOST_BYTES_OF_ALL {
        return Ok(None);
    }
    Ok(Some(if bytes >= MOST_BYTES { 0 } else { (MOST_RUNS - runs).max(0) }))
}

async fn open(
    transaction: &mut ProjectTx,
    sender: &SpanSender,
    runs: &[SpanRun],
    policy: &SpanPolicy,
    room: i64,
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
        .bind(room)
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

fn choose<'a>(
    run: &'a SpanRun,
    row: &OpenedRow,
    policy: &SpanPolicy,
    known: &HashSet<(OtlpId, Uuid)>,
) -> ChosenSpans<'a> {
    let mut chosen = ChosenSpans::default();
    let mut size = RunSize::of(row);
    for span in &run.spans {
        let larger = size.with(span);
        if known.contains(&(run.otlp_id, span.part_id)) {
            chosen.repeated += 1;
        } else if row.state != OPEN {
            chosen.late += 1;
        } else if larger.exceeds(policy) {
            chosen.dropped += 1;
        } else {
            size = larger;
            chosen.accepted.push(span);
        }
    }
    chosen
}

/// How large a run is.
#[derive(Clone, Copy)]
struct RunSize {
    bytes: u64,
    parts: i32,
}

impl RunSize {
    fn of(row: &OpenedRow) -> Self {
        Self { bytes: u64::try_from(row.bytes).unwrap_or_default(), parts: row.parts }
    }

    fn with(self, span: &NewSpan) -> Self {
        Self { bytes: self.bytes + span.body.plain_length(), parts: self.parts.saturating_add(1) }
    }

    const fn exceeds(self, policy: &SpanPolicy) -> bool {
        self.bytes > policy.max_run_bytes || self.parts > MOST_PARTS
    }
}

/// The spans among those that arrive which a run has or had. Looked up only where it matters: in runs that have ended, and in
/// runs without room for all of them. Elsewhere the primary key tells.
async fn known_spans(
    transaction: &mut ProjectTx,
    runs: &[SpanRun],
    opened: &BTreeMap<OtlpId, OpenedRow>,
    policy: &SpanPolicy,
) -> Result<HashSet<(OtlpId, Uuid)>, StoreError> {
    let rows = runs.iter().filter_map(|run| Some((run, opened.get(&run.otlp_id)?)));
    let (open, ended): (Vec<_>, Vec<_>) = rows.partition(|(_, row)| row.state == OPEN);
    let is_full = |(run, row): &(&SpanRun, &OpenedRow)| {
        run.spans.iter().fold(RunSize::of(row), RunSize::with).exceeds(policy)
    };
    let full: Vec<_> = open.into_iter().filter(is_full).collect();
    let mut known = HashSet::new();
    for (statement, runs) in [
        (include_str!("../../sql/spans/merged.sql"), ended),
        (include_str!("../../sql/spans/present.sql"), full),
    ] {
        let spans = runs.iter().flat_map(|(run, _)| &run.spans).map(|span| span.part_id);
        let spans: Vec<Uuid> = spans.collect();
        if spans.is_empty() {
            continue;
        }
        let found: Vec<(OtlpId, Uuid)> = sqlx::query_as(statement)
            .bind(transaction.project)
            .bind(runs.iter().map(|(run, _)| run.otlp_id).collect::<Vec<_>>())
            .bind(spans)
            .fetch_all(&mut **transaction)
            .await?;
        known.extend(found);
    }
    Ok(known)
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
                .seal_bytes(SealedColumn::OtlpPart.of(part_row(*run, span.part_id)), &span.body.bytes)
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
