//! Waits until an installation has no work left.

use std::fmt;
use std::time::Duration;

use sqlx::{Connection, Executor, PgConnection};
use tokio::time::Instant;

/// The result of the wait.
#[derive(Debug, Clone, Copy)]
pub struct Drained {
    /// How long it took.
    pub after: Duration,
    /// What is left.
    pub left: Left,
}

/// Unfinished work: pending reviews, and waiting or running jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, sqlx::FromRow)]
pub struct Left {
    /// Pending reviews.
    pub reviews: i64,
    /// Waiting or running jobs.
    pub jobs: i64,
}

impl Drained {
    /// Whether nothing is left.
    pub fn is_complete(&self) -> bool {
        self.left == Left { reviews: 0, jobs: 0 }
    }
}

impl fmt::Display for Left {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} reviews and {} jobs", self.reviews, self.jobs)
    }
}

/// Waits until no work is left, at most this long. Delayed jobs are made due immediately, because their delay is not tested
/// here.
pub async fn drain(database_url: &str, longest: Duration) -> anyhow::Result<Drained> {
    let began = Instant::now();
    let mut connection = PgConnection::connect(database_url).await?;
    loop {
        connection.execute("update job set run_at = now() where ready_at is null and run_at > now()").await?;
        let left: Left = sqlx::query_as(
            "select (select count(*) from trace_state \
                     where review_id is not null and not reviewed and ingest in (0, 1)) as reviews, \
             (select count(*) from job) as jobs",
        )
        .fetch_one(&mut connection)
        .await?;
        let drained = Drained { after: began.elapsed(), left };
        if drained.is_complete() || drained.after > longest {
            return Ok(drained);
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
