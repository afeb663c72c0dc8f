//! The faults that fault runs build in on purpose. Compiled only with the feature `faults`.

use std::time::Duration;

use sqlx::{Postgres, Transaction};

/// Commits some time after the client has been told that its data is safe.
#[expect(clippy::disallowed_methods, reason = "a task that nobody waits for is the very fault")]
pub(crate) fn commit_later(transaction: Transaction<'static, Postgres>) {
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(20)).await;
        if let Err(error) = transaction.commit().await {
            tracing::warn!(%error, "the late commit of the fault run failed");
        }
    });
}
