//! Kept plans, for transactions that find their rows by key.
//!
//! To plan a statement over partitioned tables costs up to ten times its execution. If the plan does not depend on the
//! values, Postgres makes it once per connection. A kept plan locks every partition of its tables, also the unused ones.

use sqlx::PgConnection;

use crate::error::StoreError;

/// With more hash partitions, the locks of a few dozen transactions would fill the lock table of a database server with
/// default settings, so statements are planned for each execution.
const MOST_PARTITIONS: i32 = 32;
/// A kept plan outlives the statistics that it was made with, so it must not read a whole partition.
const KEPT: &str = "; set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off";

/// The settings of point reads and point writes in this installation.
pub(crate) async fn point_settings(connection: &mut PgConnection) -> Result<&'static str, StoreError> {
    let partitions: i32 = sqlx::query_scalar(include_str!("../sql/maintenance/hash_partitions.sql"))
        .fetch_one(connection)
        .await?;
    Ok(settings(partitions))
}

const fn settings(partitions: i32) -> &'static str {
    if partitions <= MOST_PARTITIONS { KEPT } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_unless_they_would_lock_too_many_partitions() {
        assert_eq!(settings(16), KEPT);
        assert_eq!(settings(128), "");
    }
}
