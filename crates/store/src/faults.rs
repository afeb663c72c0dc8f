//! The faults that fault runs build in on purpose. Compiled only with the feature `faults`.

use std::time::Duration;

use sqlx::{Postgres, Transaction};

use crate::error::StoreError;

/// Commits some time after the client has been told that its data is safe.
pub(crate) fn commit_later(transaction: Transaction<'static, Postgres>) {
    later(async move { Ok(transaction.commit().await?) });
}

/// Does something some time after it was said to be done.
#[expect(clippy::disallowed_methods, reason = "a task that nobody waits for is the very fault")]
pub(crate) fn later(work: impl Future<Output = Result<(), StoreError>> + Send + 'static) {
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if let Err(error) = work.await {
            tracing::warn!(%error, "the late work of the fault run failed");
        }
    });
}
