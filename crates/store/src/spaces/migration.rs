//! Embedding migrations: moving a project to another embedding space.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{MemoryId, SpaceChangeState};
use uuid::Uuid;

use super::SpaceStore;
use crate::audit::{self, AuditActor};
use crate::db::ProjectTx;
use crate::error::{StoreError, violates};
use crate::ids::SpaceId;
use crate::jobs;
use crate::memories;

/// Other processes cache for a few seconds which space is read, and must find it complete.
const BEFORE_CLEARING: Duration = Duration::from_secs(10);

/// A migration of a project to another space.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct EmbeddingMigration {
    /// Its id.
    pub change_id: Uuid,
    /// The space that was read before.
    pub from_space: SpaceId,
    /// The space that is to be read.
    pub to_space: SpaceId,
    state: i16,
    /// The last memory of the pass.
    pub cursor: MemoryId,
    /// How many memories are embedded.
    pub done: i64,
    /// How many there were to embed.
    pub total: i64,
    /// Why it waits, if it does.
    pub last_error: Option<String>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When reads last switched to the new space.
    pub switched_at: Option<DateTime<Utc>>,
    /// How long ago that was, by the database's clock.
    pub switched_seconds: Option<f64>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// When the abandoned space was empty.
    pub cleared_at: Option<DateTime<Utc>>,
}

impl EmbeddingMigration {
    /// The state. An unknown state of a newer version counts as finished.
    pub fn state(&self) -> SpaceChangeState {
        SpaceChangeState::from_code(self.state).unwrap_or(SpaceChangeState::Finished)
    }
}

impl SpaceStore<'_> {
    /// The last migration, running or not.
    pub async fn migration(&self) -> Result<Option<EmbeddingMigration>, StoreError> {
        let mut transaction = self.db.read().await?;
        let found = sqlx::query_as(include_str!("../../sql/spaces/latest.sql")).bind(self.db.project);
        let found = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(found)
    }

    /// Starts a migration: memories are also embedded in another space.
    pub async fn start(&self, from: SpaceId, to: SpaceId, actor: &AuditActor) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let change = Uuid::now_v7();
        let started = sqlx::query(include_str!("../../sql/spaces/start.sql"))
            .bind(self.db.project)
            .bind(from)
            .bind(to)
            .bind(change)
            .execute(&mut *transaction)
            .await;
        match started {
            Ok(done) if done.rows_affected() == 1 => {}
            Ok(_) => {
                return Err(StoreError::Conflict {
                    what: "the embedding space of the project was changed in the meantime; try again",
                });
            }
            // The only unique index besides the primary key, whose second part is new.
            Err(error) if violates(&error, "project_id") => {
                return Err(StoreError::Conflict { what: "an embedding migration is already running" });
            }
            Err(error) => return Err(error.into()),
        }
        jobs::enqueue_reembedding(&mut transaction, Duration::ZERO).await?;
        audit::record(&mut transaction, actor, "embedding.start", &change.to_string()).await?;
        transaction.commit().await
    }

    /// Stores the vectors of a batch and advances the cursor, in one transaction. Returns false if another process
    /// advanced it.
    pub async fn advance(
        &self,
        change: &EmbeddingMigration,
        memories: &[(MemoryId, String)],
        vectors: &[Vec<f32>],
    ) -> Result<bool, StoreError> {
        let Some((last, _)) = memories.last() else { return Ok(true) };
        let mut transaction = self.db.write().await?;
        memories::index_in(&mut transaction, change.to_space, memories, vectors).await?;
        let advanced = sqlx::query(include_str!("../../sql/spaces/advance.sql"))
            .bind(self.db.project)
            .bind(change.change_id)
            .bind(change.cursor)
            .bind(last)
            .bind(memories.len() as i64)
            .execute(&mut *transaction)
            .await?;
        if advanced.rows_affected() == 0 {
            return Ok(false);
        }
        transaction.commit().await?;
        Ok(true)
    }

    /// Ends a pass. The migration is ready if no memory is missing, else another pass starts.
    pub async fn finish_pass(&self, change: &EmbeddingMigration) -> Result<bool, StoreError> {
        let mut transaction = self.db.write().await?;
        let nil = MemoryId::from_uuid(Uuid::nil());
        let complete = memories::unindexed_in(&mut transaction, change.to_space, nil).await?.is_empty();
        let statement = match complete {
            true => include_str!("../../sql/spaces/ready.sql"),
            false => include_str!("../../sql/spaces/restart.sql"),
        };
        let ended = sqlx::query(statement).bind(self.db.project).bind(change.change_id);
        ended.execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(complete)
    }

    /// Records why a migration waits, or clears the reason.
    pub async fn set_error(&self, change: &EmbeddingMigration, why: Option<&str>) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        write_error(&mut transaction, change, why).await?;
        transaction.commit().await
    }

    /// Queues the migration job again, with the reason if there is one.
    pub async fn postpone(
        &self,
        change: &EmbeddingMigration,
        reason: Option<&str>,
        delay: Duration,
    ) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        if reason.is_some() {
            write_error(&mut transaction, change, reason).await?;
        }
        jobs::enqueue_reembedding(&mut transaction, delay).await?;
        transaction.commit().await
    }

    /// Switches reads to the new space. Returns false if memories have no vector there; they are then queued.
    pub async fn switch(
        &self,
        change: &EmbeddingMigration,
        threshold: Option<f32>,
        actor: &AuditActor,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.db.write().await?;
        let nil = MemoryId::from_uuid(Uuid::nil());
        if !memories::unindexed_in(&mut transaction, change.to_space, nil).await?.is_empty() {
            jobs::enqueue_reembedding(&mut transaction, Duration::ZERO).await?;
            transaction.commit().await?;
            return Ok(false);
        }
        let switched =
            sqlx::query(include_str!("../../sql/spaces/switch.sql")).bind(self.db.project).bind(threshold);
        changed(switched.execute(&mut *transaction).await?.rows_affected())?;
        audit::record(&mut transaction, actor, "embedding.switch", &change.change_id.to_string()).await?;
        transaction.commit().await?;
        Ok(true)
    }

    /// Switches reads back to the old space.
    pub async fn roll_back(&self, change: &EmbeddingMigration, actor: &AuditActor) -> Result<(), StoreError> {
        let mut transaction = self.db.write().await?;
        let returned = sqlx::query(include_str!("../../sql/spaces/roll_back.sql")).bind(self.db.project);
        changed(returned.execute(&mut *transaction).await?.rows_affected())?;
        // Memories may be missing in the old space, if its embedder failed in the meantime.
        jobs::enqueue_reembedding(&mut transaction, Duration::ZERO).await?;
        audit::record(&mut transaction, actor, "embedding.rollback", &change.change_id.to_string()).await?;
        transaction.commit().await
    }

    /// Ends a migration that is in one of these states. The read space stays, and the other one is cleared.
    pub async fn finish(
        &self,
        change: &EmbeddingMigration,
        states: &[SpaceChangeState],
        actor: &AuditActor,
    ) -> Result<(), StoreError> {
        let codes: Vec<i16> = states.iter().map(|state| state.code()).collect();
        let mut transaction = self.db.write().await?;
        let ended = sqlx::query(include_str!("../../sql/spaces/end.sql")).bind(self.db.project).bind(codes);
        changed(ended.execute(&mut *transaction).await?.rows_affected())?;
        jobs::enqueue_reembedding(&mut transaction, BEFORE_CLEARING).await?;
        audit::record(&mut transaction, actor, "embedding.finish", &change.change_id.to_string()).await?;
        transaction.commit().await
    }

    /// Removes the vectors of an abandoned space. Can be interrupted and run again.
    pub async fn clear(&self, space: SpaceId) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let mut transaction = self.db.write().await?;
            let cleared = sqlx::query_scalar(include_str!("../../sql/spaces/clear.sql"));
            let some: i64 = cleared.bind(self.db.project).bind(space).fetch_one(&mut *transaction).await?;
            if some == 0 {
                let noted = sqlx::query(include_str!("../../sql/spaces/cleared.sql")).bind(self.db.project);
                noted.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            removed += u64::try_from(some).unwrap_or(0);
            if some == 0 {
                return Ok(removed);
            }
        }
    }
}

async fn write_error(
    transaction: &mut ProjectTx,
    change: &EmbeddingMigration,
    why: Option<&str>,
) -> Result<(), StoreError> {
    let noted = sqlx::query(include_str!("../../sql/spaces/set_error.sql")).bind(transaction.project);
    noted.bind(change.change_id).bind(why).execute(&mut **transaction).await?;
    Ok(())
}

/// Another process may have made the same or another transition just before.
fn changed(rows: u64) -> Result<(), StoreError> {
    match rows {
        0 => Err(StoreError::Conflict { what: "the embedding migration is not in a state that allows this" }),
        _ => Ok(()),
    }
}
