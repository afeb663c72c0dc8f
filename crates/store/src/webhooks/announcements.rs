//! Events about a state that is computed from time to time. What was announced last is stored in the transaction of the event,
//! so each change is announced once, by whichever process finds it first.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use crate::db::{ProjectDb, sender_transaction};
use crate::error::StoreError;
use crate::outbox::NewEvent;

/// What is announced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum About {
    /// The health of the learning loop.
    Health,
    /// The judge.
    Judge,
}

impl About {
    const fn code(self) -> i16 {
        match self {
            Self::Health => 0,
            Self::Judge => 1,
        }
    }
}

/// Events about changes of a state.
#[derive(Debug, Clone, Copy)]
pub struct AnnouncementStore<'a> {
    pub(crate) db: &'a ProjectDb,
}

/// The types that a caller sends who knows that an endpoint receives them.
const EVERY_TYPE: i32 = i32::MAX;

impl AnnouncementStore<'_> {
    /// Stores the present state. If it is not what was announced last, `event` decides from the earlier one whether the change
    /// is worth an event. Returns whether there was one.
    pub async fn announce<T>(
        &self,
        about: About,
        state: &T,
        event: impl FnOnce(Option<&T>) -> Option<NewEvent> + Send,
    ) -> Result<bool, StoreError>
    where
        T: Serialize + DeserializeOwned + PartialEq + Send + Sync,
    {
        let mut transaction = self.db.write().await?;
        let before = sqlx::query_scalar(include_str!("../../sql/webhooks/announced.sql"));
        let before: Value =
            before.bind(self.db.project).bind(about.code()).fetch_one(&mut *transaction).await?;
        // A state that this version cannot read counts as none.
        let before: Option<T> = serde_json::from_value(before).ok();
        if before.as_ref() == Some(state) {
            return Ok(false);
        }
        let event = event(before.as_ref());
        let announced = event.is_some();
        transaction.outgoing.add(EVERY_TYPE, event);
        let set = sqlx::query(include_str!("../../sql/webhooks/set_announced.sql"));
        set.bind(self.db.project).bind(about.code()).bind(Json(state)).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(announced)
    }

    /// Ends the announcement of waiting runs, with its event: `runs` of them were announced, or need no review any more. The
    /// next announcement is not before `pause` has passed. Does nothing if another process has claimed it since.
    pub async fn end_waiting(
        &self,
        worker: Uuid,
        runs: i32,
        event: Option<NewEvent>,
        pause: Duration,
    ) -> Result<(), StoreError> {
        let mut transaction = sender_transaction(self.db).await?;
        let ended = sqlx::query(include_str!("../../sql/webhooks/end_announcement.sql"));
        let ended = ended.bind(self.db.project).bind(worker).bind(runs).bind(pause.as_secs_f64());
        if ended.fetch_optional(&mut *transaction).await?.is_none() {
            return Ok(());
        }
        transaction.outgoing.add(EVERY_TYPE, event);
        transaction.commit().await
    }
}
