//! Stores receipts in the background, several in one transaction.
//!
//! The response to a retrieval does not wait for its receipt. A receipt that cannot be written in time is given up. From
//! the first failed write until the next successful one, new receipts are refused, so that the response can say that there
//! is no receipt.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use reflect_rules::receipts::{WRITE_TIME, WRITTEN_WITHIN, stored_score};
use reflect_types::{CrashPoint, ProjectId};
use sqlx::types::Json;

use super::ReceiptStore;
use crate::db::{ProjectDb, ProjectTx};
use crate::error::StoreError;
use crate::receipt_queue::{Accepted, QueuedReceipt, Receipt, ReceiptQueue, ReceiptRefusal};

/// The pauses before a failed write is repeated.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How long the response to a retrieval waits for its receipt after earlier writes failed.
const TRIAL_TIME: Duration = Duration::from_millis(500);

impl ReceiptStore<'_> {
    /// Accepts a receipt, to store it in the background. An error means that it is not stored and never will be.
    pub async fn submit(&self, receipt: Receipt) -> Result<(), ReceiptRefusal> {
        let submitted = self.accept(receipt).await;
        if submitted.is_err() {
            metrics::counter!("reflect_receipts_lost_total", "answer" => "marked").increment(1);
        }
        submitted
    }

    async fn accept(&self, receipt: Receipt) -> Result<(), ReceiptRefusal> {
        let Accepted { start_writer, trial } =
            self.db.receipts.accept(self.db.project, receipt, Instant::now())?;
        if start_writer {
            run_writer(self.db.clone());
        }
        let Some(stored) = trial else { return Ok(()) };
        match tokio::time::timeout(TRIAL_TIME, stored).await {
            Ok(Ok(())) => Ok(()),
            _ => Err(ReceiptRefusal::Unavailable),
        }
    }
}

/// Starts the task that writes receipts of all projects until none is left.
#[expect(
    clippy::disallowed_methods,
    reason = "ends when the queue is empty, and `Store::close` waits for that"
)]
fn run_writer(db: ProjectDb) {
    tokio::spawn(async move {
        let _on_panic = AbandonOnPanic(&db.receipts);
        loop {
            db.receipts.linger().await;
            let Some(batch) = db.receipts.take() else { return };
            let count = batch.len();
            write(&db, batch).await;
            db.receipts.settle(count);
        }
    });
}

/// Gives up the queued receipts if the writer panics.
struct AbandonOnPanic<'a>(&'a ReceiptQueue);

impl Drop for AbandonOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.abandon();
        }
    }
}

/// Stores a batch, or gives it up.
async fn write(db: &ProjectDb, mut batch: Vec<QueuedReceipt>) {
    let mut pause = FIRST_PAUSE;
    loop {
        let before = batch.len();
        batch.retain(|queued| queued.accepted_at.elapsed() < WRITTEN_WITHIN);
        note_lost(before - batch.len());
        if batch.is_empty() {
            return;
        }
        let inserted = insert_in_time(db, &batch).await;
        match inserted {
            Ok(()) => return note_stored(db, batch),
            Err(error @ StoreError::Unavailable(_)) => {
                note_failure(db, &error);
                // A request waits for the outcome of a trial, so it is not repeated. Its sender is dropped.
                batch.retain(|queued| queued.stored.is_none());
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LONGEST_PAUSE);
            }
            Err(error) => {
                tracing::warn!(%error, "receipts could not be stored together: {error}");
                return write_separately(db, batch).await;
            }
        }
    }
}

/// A receipt that the database refuses must not take the others with it.
async fn write_separately(db: &ProjectDb, batch: Vec<QueuedReceipt>) {
    for queued in batch {
        if queued.accepted_at.elapsed() >= WRITTEN_WITHIN {
            note_lost(1);
            continue;
        }
        let inserted = insert_in_time(db, std::slice::from_ref(&queued)).await;
        match inserted {
            Ok(()) => note_stored(db, vec![queued]),
            Err(error) => {
                note_lost(1);
                if !refuses_values(&error) {
                    note_failure(db, &error);
                }
                let id = queued.receipt.retrieval_id;
                tracing::warn!(%error, retrieval.id = %id, "receipt {id} could not be stored: {error}");
            }
        }
    }
}

/// Whether the database refuses the values of one receipt. Other errors, such as a missing right, meet every receipt, so the
/// next responses must be marked. One client must not be able to cause that for others.
fn refuses_values(error: &StoreError) -> bool {
    const CLASSES: [&str; 3] = ["22", "23", "54"];
    match error {
        StoreError::Database(sqlx::Error::Encode(_)) => true,
        StoreError::Database(sqlx::Error::Database(refusal)) => {
            refusal.code().is_some_and(|code| CLASSES.iter().any(|class| code.starts_with(class)))
        }
        _ => false,
    }
}

fn note_stored(db: &ProjectDb, batch: Vec<QueuedReceipt>) {
    if db.receipts.note_success() {
        tracing::info!("receipts are written again");
    }
    for stored in batch.into_iter().filter_map(|queued| queued.stored) {
        // An error means that the request has ended.
        let _ = stored.send(());
    }
}

fn note_failure(db: &ProjectDb, error: &StoreError) {
    if db.receipts.note_failure(Instant::now()) {
        tracing::warn!(%error, "receipts cannot be written, so retrievals are answered without one: {error}");
    }
}

/// The responses of these receipts were sent without a mark.
fn note_lost(receipts: usize) {
    if receipts > 0 {
        metrics::counter!("reflect_receipts_lost_total", "answer" => "unmarked").increment(receipts as u64);
    }
}

async fn insert_in_time(db: &ProjectDb, batch: &[QueuedReceipt]) -> Result<(), StoreError> {
    let inserted = tokio::time::timeout(WRITE_TIME, insert(db, batch)).await;
    inserted.unwrap_or(Err(StoreError::Unavailable(sqlx::Error::PoolTimedOut)))
}

/// One transaction for receipts of several projects. Each statement inserts rows of one project, which row-level security
/// checks.
async fn insert(db: &ProjectDb, batch: &[QueuedReceipt]) -> Result<(), StoreError> {
    let mut by_project: BTreeMap<ProjectId, Vec<&Receipt>> = BTreeMap::new();
    for queued in batch {
        by_project.entry(queued.project).or_default().push(&queued.receipt);
    }
    let mut transaction = db.receipt_transaction().await?;
    for (project, receipts) in by_project {
        enter(&mut transaction, project).await?;
        insert_of_project(&mut transaction, &receipts).await?;
    }
    transaction.commit_at(CrashPoint::ReceiptCommit).await
}

async fn enter(transaction: &mut ProjectTx, project: ProjectId) -> Result<(), StoreError> {
    if transaction.project != project {
        let entered = sqlx::query(include_str!("../../sql/receipts/enter_project.sql")).bind(project);
        entered.execute(&mut **transaction).await?;
        transaction.project = project;
    }
    Ok(())
}

/// Candidates of all receipts are sent in three flat arrays, with the number of candidates of each receipt: SQL has no
/// arrays of arrays with different lengths.
async fn insert_of_project(transaction: &mut ProjectTx, receipts: &[&Receipt]) -> Result<(), StoreError> {
    fn all<'a, T>(receipts: &[&'a Receipt], part: impl Fn(&'a Receipt) -> T) -> Vec<T> {
        receipts.iter().map(|receipt| part(receipt)).collect()
    }
    fn flat<'a, T, I: IntoIterator<Item = T>>(
        receipts: &[&'a Receipt],
        part: impl Fn(&'a Receipt) -> I,
    ) -> Vec<T> {
        receipts.iter().flat_map(|receipt| part(receipt)).collect()
    }
    let number = |count: usize| i32::try_from(count).unwrap_or(i32::MAX);
    sqlx::query(include_str!("../../sql/receipts/insert_many.sql"))
        .bind(transaction.project)
        .bind(all(receipts, |receipt| receipt.retrieval_id))
        .bind(all(receipts, |receipt| receipt.key_id))
        .bind(all(receipts, |receipt| receipt.space))
        .bind(all(receipts, |receipt| receipt.task.as_str()))
        .bind(all(receipts, |receipt| receipt.task_digest.as_slice()))
        .bind(all(receipts, |receipt| Json(&receipt.parameters)))
        .bind(all(receipts, |receipt| number(receipt.memory_ids.len())))
        .bind(all(receipts, |receipt| number(receipt.served)))
        .bind(all(receipts, |receipt| receipt.degraded))
        .bind(all(receipts, |receipt| receipt.held_out))
        .bind(all(receipts, |receipt| receipt.embed_us))
        .bind(all(receipts, |receipt| receipt.search_us))
        .bind(all(receipts, made_at))
        .bind(flat(receipts, |receipt| receipt.memory_ids.iter().copied()))
        .bind(flat(receipts, |receipt| {
            receipt.similarities.iter().chain(&receipt.utilities).map(|score| stored_score(*score))
        }))
        .bind(flat(receipts, |receipt| receipt.fates.iter().map(|fate| fate.code())))
        .execute(&mut **transaction)
        .await?;
    Ok(())
}

/// The time of the retrieval. The row is written later.
fn made_at(receipt: &Receipt) -> DateTime<Utc> {
    receipt.retrieval_id.made_at().map_or(DateTime::UNIX_EPOCH, DateTime::from)
}
