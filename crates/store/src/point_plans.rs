//! Kept plans, for transactions that find their rows by key and for searches by vector.
//!
//! To plan a statement over partitioned tables costs up to ten times its execution. If the plan does not depend on the
//! values, Postgres makes it once per connection. A kept plan locks every partition of its tables, also the unused ones.

use sqlx::PgConnection;

use crate::error::StoreError;

/// With more hash partitions, the locks of a few dozen transactions would fill the lock table of a database server with
/// default settings, so statements are planned for each execution.
const MOST_HASH_PARTITIONS: i32 = 32;
/// The same for the partitions of runs, their bodies and their states by time. Searches do not read these tables.
const MOST_TIME_PARTITIONS: i32 = 64;
/// A kept plan outlives the statistics that it was made with, and serves projects of every size. So it must neither read a whole
/// partition nor a whole project, which is what a hash or merge join does: rows are joined by key.
const POINT: &str = "; set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; \
                     set local enable_hashjoin = off; set local enable_mergejoin = off";
const SEARCH: &str = "; set local plan_cache_mode = force_generic_plan; \
                      set local enable_hashjoin = off; set local enable_mergejoin = off";

/// The settings of transactions that keep their plans. Empty if this installation has too many partitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeptPlans {
    /// For point reads and point writes.
    pub(crate) point: &'static str,
    /// For searches by vector.
    pub(crate) search: &'static str,
}

impl KeptPlans {
    /// The settings of this installation.
    pub(crate) async fn read(connection: &mut PgConnection) -> Result<Self, StoreError> {
        let partitions = sqlx::query_as(include_str!("../sql/maintenance/hash_partitions.sql"));
        let (by_hash, by_time): (i32, i32) = partitions.fetch_one(connection).await?;
        Ok(Self::of(by_hash, by_time))
    }

    const fn of(by_hash: i32, by_time: i32) -> Self {
        let searches = by_hash <= MOST_HASH_PARTITIONS;
        let points = searches && by_time <= MOST_TIME_PARTITIONS;
        Self { point: if points { POINT } else { "" }, search: if searches { SEARCH } else { "" } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_are_kept_unless_they_would_lock_too_many_partitions() {
        // The defaults: 16 hash partitions, and runs for 180 days in partitions of a week.
        assert_eq!(KeptPlans::of(16, 30), KeptPlans { point: POINT, search: SEARCH });
        // Partitions of a day.
        assert_eq!(KeptPlans::of(16, 200), KeptPlans { point: "", search: SEARCH });
        assert_eq!(KeptPlans::of(128, 30), KeptPlans { point: "", search: "" });
    }
}
