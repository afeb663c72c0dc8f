//! Notifications between the processes of one database. They are not stored: a process that does not listen misses
//! them.

use sqlx::postgres::{PgListener, PgPoolOptions};

use crate::db::Db;
use crate::error::StoreError;

const CHANNEL: &str = "reflect_news";

/// Receives the notifications of all processes.
#[derive(Debug)]
pub struct NotificationListener(PgListener);

impl NotificationListener {
    /// Starts to listen on a separate connection.
    pub(crate) async fn start(db: &Db, channel: &str) -> Result<Self, StoreError> {
        let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(db.owner.clone());
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(channel).await?;
        Ok(Self(listener))
    }

    /// The next notification. `None` if the connection was lost, and with it possibly some notifications.
    pub async fn next(&mut self) -> Result<Option<String>, StoreError> {
        Ok(self.0.try_recv().await?.map(|news| news.payload().to_owned()))
    }
}

/// Messages between the processes of one database.
#[derive(Debug, Clone, Copy)]
pub struct NotificationStore<'a> {
    pub(crate) db: &'a Db,
}

impl NotificationStore<'_> {
    /// Notifies every process, including this one. Each text must be shorter than 8,000 bytes.
    pub async fn notify(&self, news: &[String]) -> Result<(), StoreError> {
        let said = sqlx::query(include_str!("../sql/catalogue/notify.sql")).bind(news);
        said.execute(&self.db.pools.writes).await?;
        Ok(())
    }

    /// Starts to listen on a separate connection.
    pub async fn listen(&self) -> Result<NotificationListener, StoreError> {
        NotificationListener::start(self.db, CHANNEL).await
    }
}
