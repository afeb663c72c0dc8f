//! News between the processes of one database: said by one, heard by all. Nothing is kept; who does not listen
//! misses it.

use sqlx::postgres::{PgListener, PgPoolOptions};

use crate::error::StoreError;
use crate::store::Store;

const CHANNEL: &str = "reflect_news";

/// Hears what any process says.
#[derive(Debug)]
pub struct NewsListener(PgListener);

impl NewsListener {
    /// The next news. None when the connection was lost, and with it whatever was said meanwhile.
    pub async fn next(&mut self) -> Result<Option<String>, StoreError> {
        Ok(self.0.try_recv().await?.map(|news| news.payload().to_owned()))
    }
}

impl Store {
    /// Says something to every process, this one too. Each text has to be shorter than 8,000 bytes.
    pub async fn announce(&self, news: &[String]) -> Result<(), StoreError> {
        let said = sqlx::query(include_str!("../sql/catalogue/announce.sql")).bind(news);
        said.execute(&self.pools.writes).await?;
        Ok(())
    }

    /// Begins to listen, on a connection of its own.
    pub async fn listen(&self) -> Result<NewsListener, StoreError> {
        let pool = PgPoolOptions::new().max_connections(1).connect_lazy_with(self.owner.clone());
        let mut listener = PgListener::connect_with(&pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(NewsListener(listener))
    }
}
