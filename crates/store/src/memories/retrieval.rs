//! The search of a retrieval: on the read replica if there is one and it is fresh enough, otherwise on the primary.
//!
//! An error of the replica does not fail the retrieval: it continues on the primary. Other searches, such as those of
//! learning, always read the primary.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_types::MemoryId;

use super::MemoryStore;
use super::search::{MemoryCandidate, MemoryFilter, MemoryRow, Search};
use crate::db::{ProjectDb, ProjectTx, SearchBy};
use crate::error::StoreError;
use crate::ids::SpaceId;
use crate::replica::{PrimaryView, Replica, StandbyView, Unusable};

/// How long the primary may take to say what a replica must have.
const PRIMARY_WAIT: Duration = Duration::from_millis(250);

/// An open search of a retrieval.
#[derive(Debug)]
pub struct RetrievalSearch {
    search: Search,
    /// Set while the search reads a replica: how it continues if the replica fails.
    replica: Option<OnReplica>,
}

#[derive(Debug)]
struct OnReplica {
    replica: Arc<Replica>,
    primary: ProjectDb,
    by: SearchBy,
}

impl RetrievalSearch {
    /// Opens a search.
    pub async fn open(memories: &MemoryStore<'_>, by: SearchBy) -> Result<Self, StoreError> {
        let db = memories.db;
        let Some(replica) = db.replica.clone() else {
            return Ok(Self { search: memories.search(by).await?, replica: None });
        };
        let opened = open_on_replica(db, &replica, by).await;
        let read = opened.as_ref().map_or_else(|unusable| unusable.as_str(), |_| "replica");
        metrics::counter!("reflect_replica_retrievals_total", "read" => read).increment(1);
        match opened {
            Ok(search) => Ok(Self { search, replica: Some(OnReplica { replica, primary: db.clone(), by }) }),
            Err(_) => Ok(Self { search: memories.search(by).await?, replica: None }),
        }
    }

    /// Whether it reads a replica.
    pub const fn is_on_replica(&self) -> bool {
        self.replica.is_some()
    }

    /// The `most` nearest memories that may be served, nearest first.
    pub async fn nearest(
        &mut self,
        space: SpaceId,
        question: &[f32],
        filter: &MemoryFilter,
        most: usize,
    ) -> Result<Vec<MemoryCandidate>, StoreError> {
        match self.search.nearest(space, question, filter, most).await {
            Err(error) => {
                self.leave_replica(error).await?;
                self.search.nearest(space, question, filter, most).await
            }
            found => found,
        }
    }

    /// The memories that share most words with a query.
    pub async fn worded(
        &mut self,
        question: &str,
        filter: &MemoryFilter,
        most: usize,
    ) -> Result<Vec<MemoryCandidate>, StoreError> {
        match self.search.worded(question, filter, most).await {
            Err(error) => {
                self.leave_replica(error).await?;
                self.search.worded(question, filter, most).await
            }
            found => found,
        }
    }

    /// Pinned memories that match a filter, with any similarity to the query. By words if there is no vector.
    pub async fn pinned(
        &mut self,
        pinned: &[MemoryId],
        question: &str,
        vector: Option<(SpaceId, &[f32])>,
        filter: &MemoryFilter,
    ) -> Result<Vec<MemoryCandidate>, StoreError> {
        match self.search.pinned(pinned, question, vector, filter).await {
            Err(error) => {
                self.leave_replica(error).await?;
                self.search.pinned(pinned, question, vector, filter).await
            }
            found => found,
        }
    }

    /// The vectors of a few memories of a space.
    pub async fn vectors(
        &mut self,
        space: SpaceId,
        memories: &[MemoryId],
    ) -> Result<Vec<(MemoryId, Vec<f32>)>, StoreError> {
        match self.search.vectors(space, memories).await {
            Err(error) => {
                self.leave_replica(error).await?;
                self.search.vectors(space, memories).await
            }
            found => found,
        }
    }

    /// Ends the search with the texts of the served memories, in no particular order.
    pub async fn serve(mut self, memories: &[MemoryId]) -> Result<Vec<MemoryRow>, StoreError> {
        let rows = match self.search.texts(memories).await {
            Err(error) => {
                self.leave_replica(error).await?;
                self.search.texts(memories).await?
            }
            Ok(rows) => rows,
        };
        match (self.search.close().await, self.replica) {
            // The rows were read, and there is nothing to commit.
            (Err(error), Some(OnReplica { replica, .. })) => {
                replica.note_failure(&error);
            }
            (closed, _) => closed?,
        }
        Ok(rows)
    }

    /// Continues on the primary after an error of the replica. Returns the error if the search reads the primary.
    async fn leave_replica(&mut self, error: StoreError) -> Result<(), StoreError> {
        let Some(OnReplica { replica, primary, by }) = self.replica.take() else { return Err(error) };
        replica.note_failure(&error);
        let (transaction, turn) = primary.search_transaction(by).await?;
        self.search = Search { transaction, _turn: turn };
        Ok(())
    }
}

/// A search on the replica, or why the primary must be read.
async fn open_on_replica(db: &ProjectDb, replica: &Replica, by: SearchBy) -> Result<Search, Unusable> {
    replica.check_rested()?;
    let began = Instant::now();
    let primary = tokio::time::timeout(PRIMARY_WAIT, primary_view(db));
    let (primary, opened) = tokio::join!(primary, db.replica_transaction(replica, by));
    let primary = primary.ok().and_then(Result::ok);
    let (mut transaction, turn) = opened.map_err(|error| replica.note_failure(&error))?;
    let recent: &[MemoryId] = primary.as_ref().map_or(&[], |primary| primary.recent.as_slice());
    let standby = standby_view(&mut transaction, recent).await;
    let standby = standby.map_err(|error| replica.note_failure(&error))?;
    replica.check_fresh(began, primary.as_ref(), &standby)?;
    Ok(Search { transaction, _turn: turn })
}

async fn primary_view(db: &ProjectDb) -> Result<PrimaryView, StoreError> {
    let mut transaction = db.read().await?;
    let view = sqlx::query_as(include_str!("../../sql/memories/recent.sql")).bind(db.project);
    // Dropped without a commit: there is nothing to commit, and the retrieval waits for this.
    Ok(view.fetch_one(&mut *transaction).await?)
}

async fn standby_view(transaction: &mut ProjectTx, recent: &[MemoryId]) -> Result<StandbyView, StoreError> {
    let view = sqlx::query_as(include_str!("../../sql/memories/standby.sql"));
    let view = view.bind(transaction.project).bind(recent);
    Ok(view.fetch_one(&mut **transaction).await?)
}
