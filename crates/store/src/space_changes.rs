//! Changing the embedding space of a project: how far it has come, and each step of it.

use std::time::Duration;

use chrono::{DateTime, Utc};
use reflect_types::{MemoryId, SpaceChangeState};
use sqlx::{Postgres, Transaction};
use uuid::Uuid;

use crate::audit::Actor;
use crate::error::{StoreError, violates};
use crate::project_ctx::ProjectCtx;
use crate::spaces::SpaceId;

/// A memory that could not be placed is tried again after this.
const REFILL: Duration = Duration::from_secs(5);
/// Other processes remember for a few seconds which space is read, and must find it full.
const BEFORE_CLEARING: Duration = Duration::from_secs(10);

/// A change of a project to another space.
#[derive(Debug, Clone, PartialEq, sqlx::FromRow)]
pub struct SpaceChange {
    /// Its id.
    pub change_id: Uuid,
    /// The space that was read before.
    pub from_space: SpaceId,
    /// The space that is to be read.
    pub to_space: SpaceId,
    state: i16,
    /// The walk has come this far.
    pub cursor: MemoryId,
    /// How many memories it has placed.
    pub done: i64,
    /// How many there were to place.
    pub total: i64,
    /// Why it waits, when it does.
    pub last_error: Option<String>,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// When questions last began to go to the new space.
    pub switched_at: Option<DateTime<Utc>>,
    /// How long ago that was, by the database's clock.
    pub switched_seconds: Option<f64>,
    /// When anything last happened.
    pub updated_at: DateTime<Utc>,
    /// When the space that was left was empty.
    pub cleared_at: Option<DateTime<Utc>>,
}

impl SpaceChange {
    /// How far it has come. A state of a newer version is none that this one works on.
    pub fn state(&self) -> SpaceChangeState {
        SpaceChangeState::from_code(self.state).unwrap_or(SpaceChangeState::Finished)
    }
}

impl ProjectCtx {
    /// The last change, live or not.
    pub async fn space_change(&self) -> Result<Option<SpaceChange>, StoreError> {
        let mut transaction = self.read().await?;
        let found = sqlx::query_as(include_str!("../sql/spaces/latest.sql")).bind(self.project);
        let found = found.fetch_optional(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(found)
    }

    /// Begins to place memories in another space too.
    pub async fn start_space_change(
        &self,
        from: SpaceId,
        to: SpaceId,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let change = Uuid::now_v7();
        let started = sqlx::query(include_str!("../sql/spaces/start.sql"))
            .bind(self.project)
            .bind(from)
            .bind(to)
            .bind(change)
            .execute(&mut *transaction)
            .await;
        match started {
            Ok(done) if done.rows_affected() == 1 => {}
            Ok(_) => return Err(StoreError::Conflict { what: "the project's space was changed just now" }),
            // The only unique index besides the primary key, whose second part is new.
            Err(error) if violates(&error, "project_id") => {
                return Err(StoreError::Conflict { what: "a change of the embedding model is under way" });
            }
            Err(error) => return Err(error.into()),
        }
        self.enqueue_reembed(&mut transaction, Duration::ZERO).await?;
        self.note(&mut transaction, actor, "embedding.start", &change.to_string()).await?;
        self.commit(transaction).await
    }

    /// Places memories that the walk has come to and notes how far it is, both or neither. False when the
    /// walk is not where it was thought to be.
    pub async fn advance_space_change(
        &self,
        change: &SpaceChange,
        memories: &[(MemoryId, String)],
        vectors: &[Vec<f32>],
    ) -> Result<bool, StoreError> {
        let Some((last, _)) = memories.last() else { return Ok(true) };
        let mut transaction = self.write().await?;
        self.place_in(&mut transaction, change.to_space, memories, vectors).await?;
        let advanced = sqlx::query(include_str!("../sql/spaces/advance.sql"))
            .bind(self.project)
            .bind(change.change_id)
            .bind(change.cursor)
            .bind(last)
            .bind(memories.len() as i64)
            .execute(&mut *transaction)
            .await?;
        if advanced.rows_affected() == 0 {
            return Ok(false);
        }
        self.commit(transaction).await?;
        Ok(true)
    }

    /// The walk is at its end. It is ready when no memory was left out, else it begins again.
    pub async fn end_walk(&self, change: &SpaceChange) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        let nil = MemoryId::from_uuid(Uuid::nil());
        let complete = self.unplaced_in(&mut transaction, change.to_space, nil).await?.is_empty();
        let statement = match complete {
            true => include_str!("../sql/spaces/ready.sql"),
            false => include_str!("../sql/spaces/restart.sql"),
        };
        let ended = sqlx::query(statement).bind(self.project).bind(change.change_id);
        ended.execute(&mut *transaction).await?;
        self.commit(transaction).await?;
        Ok(complete)
    }

    /// Notes why a change waits, or that it does not any more.
    pub async fn note_space_change(&self, change: &SpaceChange, why: Option<&str>) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        self.stumble(&mut transaction, change, why).await?;
        self.commit(transaction).await
    }

    async fn stumble(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        change: &SpaceChange,
        why: Option<&str>,
    ) -> Result<(), StoreError> {
        let noted = sqlx::query(include_str!("../sql/spaces/stumble.sql")).bind(self.project);
        noted.bind(change.change_id).bind(why).execute(&mut **transaction).await?;
        Ok(())
    }

    /// Lets the job of a change come again, and notes why it waits when there is something to say.
    pub async fn postpone_space_change(
        &self,
        change: &SpaceChange,
        reason: Option<&str>,
        delay: Duration,
    ) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        if reason.is_some() {
            self.stumble(&mut transaction, change, reason).await?;
        }
        self.enqueue_reembed(&mut transaction, delay).await?;
        self.commit(transaction).await
    }

    /// Lets questions go to the new space. False when memories have no vector there yet; they get one then.
    pub async fn switch_space(
        &self,
        change: &SpaceChange,
        threshold: Option<f32>,
        actor: &Actor,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.write().await?;
        let nil = MemoryId::from_uuid(Uuid::nil());
        if !self.unplaced_in(&mut transaction, change.to_space, nil).await?.is_empty() {
            self.enqueue_reembed(&mut transaction, Duration::ZERO).await?;
            self.commit(transaction).await?;
            return Ok(false);
        }
        let switched =
            sqlx::query(include_str!("../sql/spaces/switch.sql")).bind(self.project).bind(threshold);
        changed(switched.execute(&mut *transaction).await?.rows_affected())?;
        self.note(&mut transaction, actor, "embedding.switch", &change.change_id.to_string()).await?;
        self.commit(transaction).await?;
        Ok(true)
    }

    /// Lets questions go to the old space again.
    pub async fn roll_space_back(&self, change: &SpaceChange, actor: &Actor) -> Result<(), StoreError> {
        let mut transaction = self.write().await?;
        let returned = sqlx::query(include_str!("../sql/spaces/roll_back.sql")).bind(self.project);
        changed(returned.execute(&mut *transaction).await?.rows_affected())?;
        // Where the old embedder failed meanwhile, memories are missing in its space.
        self.enqueue_reembed(&mut transaction, Duration::ZERO).await?;
        self.note(&mut transaction, actor, "embedding.rollback", &change.change_id.to_string()).await?;
        self.commit(transaction).await
    }

    /// Ends a change that is in one of these states: the space that is read stays, and the other one is
    /// emptied.
    pub async fn end_space_change(
        &self,
        change: &SpaceChange,
        states: &[SpaceChangeState],
        actor: &Actor,
    ) -> Result<(), StoreError> {
        let codes: Vec<i16> = states.iter().map(|state| state.code()).collect();
        let mut transaction = self.write().await?;
        let ended = sqlx::query(include_str!("../sql/spaces/end.sql")).bind(self.project).bind(codes);
        changed(ended.execute(&mut *transaction).await?.rows_affected())?;
        self.enqueue_reembed(&mut transaction, BEFORE_CLEARING).await?;
        self.note(&mut transaction, actor, "embedding.finish", &change.change_id.to_string()).await?;
        self.commit(transaction).await
    }

    /// Removes the vectors of a space that a change has left. Can be stopped anywhere and run again.
    pub async fn clear_space(&self, space: SpaceId) -> Result<u64, StoreError> {
        let mut removed = 0;
        loop {
            let mut transaction = self.write().await?;
            let cleared = sqlx::query_scalar(include_str!("../sql/spaces/clear.sql"));
            let some: i64 = cleared.bind(self.project).bind(space).fetch_one(&mut *transaction).await?;
            if some == 0 {
                let noted = sqlx::query(include_str!("../sql/spaces/cleared.sql")).bind(self.project);
                noted.execute(&mut *transaction).await?;
            }
            transaction.commit().await?;
            removed += u64::try_from(some).unwrap_or(0);
            if some == 0 {
                return Ok(removed);
            }
        }
    }

    /// Queues the work of the change, in the transaction that makes it necessary.
    async fn enqueue_reembed(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
        delay: Duration,
    ) -> Result<(), StoreError> {
        let queued = sqlx::query(include_str!("../sql/jobs/reembed.sql")).bind(self.project);
        queued.bind(delay.as_secs_f64()).execute(&mut **transaction).await?;
        Ok(())
    }

    /// A memory is made that is not in every space it belongs into.
    pub(crate) async fn refill(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
    ) -> Result<(), StoreError> {
        let queued = sqlx::query(include_str!("../sql/spaces/refill.sql")).bind(self.project);
        queued.bind(REFILL.as_secs_f64()).execute(&mut **transaction).await?;
        Ok(())
    }
}

/// Somebody else may have taken the same step, or another one, a moment ago.
fn changed(rows: u64) -> Result<(), StoreError> {
    match rows {
        0 => Err(StoreError::Conflict { what: "the change of the embedding model is not at this point" }),
        _ => Ok(()),
    }
}
