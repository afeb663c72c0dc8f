//! The process that does maintenance: the one that holds an advisory lock.

use sqlx::{Connection, PgConnection};

use crate::error::StoreError;

/// Holds the lock as long as its connection lives.
#[derive(Debug)]
pub struct MaintenanceLeader(PgConnection);

impl MaintenanceLeader {
    /// `None` if another process does maintenance.
    pub(super) async fn elect(mut connection: PgConnection) -> Result<Option<Self>, StoreError> {
        let leads: bool = sqlx::query_scalar(include_str!("../../sql/maintenance/lead.sql"))
            .fetch_one(&mut connection)
            .await?;
        if leads {
            return Ok(Some(Self(connection)));
        }
        connection.close().await?;
        Ok(None)
    }

    /// Whether this process still holds the lock. Without its connection another process may lead.
    pub async fn leads(&mut self) -> bool {
        self.0.ping().await.is_ok()
    }

    /// Lets another process lead.
    pub async fn resign(self) {
        // The lock also ends if the connection cannot be closed properly.
        let _ = self.0.close().await;
    }
}
