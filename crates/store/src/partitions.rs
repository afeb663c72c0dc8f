//! Partitions by time: created before they are needed, dropped when they have expired.
//!
//! Each partition is its own short transaction. A partition that another session uses, for example a dump, is tried again,
//! and does not stop the others.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;

use crate::error::StoreError;

/// How often a partition in use is tried in one round. The next round tries it again.
const ATTEMPTS: usize = 3;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// What happened to one partition.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct PartitionWork {
    /// `made`, `dropped`, `blocked` (in use by another session), `stray` (rows moved from a default partition to their
    /// own) or `left` (rows that are still in a default partition).
    pub action: String,
    /// Which one.
    pub partition: String,
    /// How many rows.
    pub row_count: i64,
}

/// Creates the partitions of the coming weeks and drops the expired ones.
pub(crate) async fn keep_partitions(connection: &mut PgConnection) -> Result<Vec<PartitionWork>, StoreError> {
    let mut done = all_steps(connection, None).await?;
    let left = sqlx::query_as(include_str!("../sql/maintenance/default_partition_rows.sql"));
    let left: Vec<PartitionWork> = left.fetch_all(connection).await?;
    done.extend(left);
    Ok(done)
}

/// Creates the partitions of a time in the past.
pub(crate) async fn keep_partitions_at(
    connection: &mut PgConnection,
    at: DateTime<Utc>,
) -> Result<Vec<PartitionWork>, StoreError> {
    all_steps(connection, Some(at)).await
}

async fn all_steps(
    connection: &mut PgConnection,
    at: Option<DateTime<Utc>>,
) -> Result<Vec<PartitionWork>, StoreError> {
    let mut done = Vec::new();
    for attempt in 1..=ATTEMPTS {
        let mut blocked: Vec<PartitionWork> = Vec::new();
        loop {
            let (in_use, changed): (Vec<PartitionWork>, Vec<PartitionWork>) =
                step(connection, at, &blocked).await?.into_iter().partition(|work| work.action == "blocked");
            blocked.extend(in_use);
            if changed.is_empty() {
                break;
            }
            done.extend(changed);
        }
        if blocked.is_empty() {
            break;
        }
        if attempt == ATTEMPTS {
            for PartitionWork { partition, .. } in &blocked {
                tracing::warn!(
                    partition,
                    "partition {partition} is in use and was not created or dropped yet"
                );
            }
            done.extend(blocked);
        } else {
            tokio::time::sleep(PAUSE).await;
        }
    }
    Ok(done)
}

/// Creates or drops at most one partition, in its own transaction. Tables with a blocked partition are left alone.
async fn step(
    connection: &mut PgConnection,
    at: Option<DateTime<Utc>>,
    blocked: &[PartitionWork],
) -> Result<Vec<PartitionWork>, StoreError> {
    let blocked: Vec<&str> = blocked.iter().map(|work| work.partition.as_str()).collect();
    let step = match at {
        None => sqlx::query_as(include_str!("../sql/maintenance/partition_step.sql")).bind(blocked),
        Some(at) => {
            let step = sqlx::query_as(include_str!("../sql/maintenance/partition_step_at.sql"));
            step.bind(blocked).bind(at)
        }
    };
    Ok(step.fetch_all(connection).await?)
}
