//! Graphs: approximate indexes (HNSW) of the vectors of large projects, each in a partition of its own.
//!
//! `reflect_rules::vector_graph` decides which project gets one. Searches do not come here: the database function `candidates`
//! uses the graph that serves a project.

mod lead;

use std::time::Duration;

use reflect_types::{GraphState, ProjectId};
use sqlx::postgres::PgRow;
use sqlx::{Executor, FromRow, Row};

use crate::connect::{self, RESTRICT};
use crate::db::{Db, ProjectTx, coded};
use crate::error::StoreError;
use crate::ids::SpaceId;
pub use lead::GraphLead;

/// The graph of a project in a space.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorGraph {
    /// Its number.
    pub graph_id: i32,
    /// Its project.
    pub project: ProjectId,
    /// The space of its vectors.
    pub space: SpaceId,
    /// Their dimensions.
    pub dimensions: u64,
    /// How far it is.
    pub state: GraphState,
    /// Whether it has its partition.
    pub attached: bool,
    /// How many vectors it was built with.
    pub vectors: u64,
    /// How many of its entries a query looks at, after its first check.
    pub ef_search: Option<u16>,
    /// The share of the nearest memories that it found in its last check.
    pub recall: Option<f32>,
    /// The number of questions of that check.
    pub questions: u32,
    /// How many attempts failed in a row.
    pub attempts: u32,
    /// Why the last one failed.
    pub last_error: Option<String>,
    /// Whether its project exists and reads or writes its space.
    pub in_use: bool,
    /// The time since its state last changed, or since its last failure.
    pub since_change: Duration,
    /// The time since its last check.
    pub since_check: Option<Duration>,
}

impl FromRow<'_, PgRow> for VectorGraph {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        let number = |name: &str| row.try_get::<i32, _>(name).map(i32::unsigned_abs);
        let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or_default();
        let ef_search: Option<i32> = row.try_get("ef_search")?;
        let checked_seconds: Option<f64> = row.try_get("checked_seconds")?;
        Ok(Self {
            graph_id: row.try_get("graph_id")?,
            project: row.try_get("project_id")?,
            space: row.try_get("space_id")?,
            dimensions: number("dimensions")?.into(),
            state: coded(GraphState::from_code(row.try_get("state")?))?,
            attached: row.try_get("attached")?,
            vectors: row.try_get::<i64, _>("vectors")?.unsigned_abs(),
            ef_search: ef_search.and_then(|entries| u16::try_from(entries).ok()),
            recall: row.try_get("recall")?,
            questions: number("questions")?,
            attempts: number("attempts")?,
            last_error: row.try_get("last_error")?,
            in_use: row.try_get("in_use")?,
            since_change: seconds(row.try_get("changed_seconds")?),
            since_check: checked_seconds.map(seconds),
        })
    }
}

/// The estimated number of vectors of a project, with one of the spaces that it reads or writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorEstimate {
    /// The project.
    pub project: ProjectId,
    /// The space.
    pub space: SpaceId,
    /// Its dimensions.
    pub dimensions: u64,
    /// The vectors in all spaces.
    pub vectors: u64,
}

impl FromRow<'_, PgRow> for VectorEstimate {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            project: row.try_get("project_id")?,
            space: row.try_get("space_id")?,
            dimensions: row.try_get::<i32, _>("dimensions")?.unsigned_abs().into(),
            vectors: row.try_get::<i64, _>("vectors")?.unsigned_abs(),
        })
    }
}

/// What searches have read since the database's statistics began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VectorScans {
    /// Entries of the covering indexes.
    pub entries: u64,
    /// Of these, the ones that needed a visit to the table, because no vacuum has seen their page yet.
    pub heap_fetches: u64,
}

/// The graphs of all projects.
#[derive(Debug, Clone, Copy)]
pub struct GraphStore<'a> {
    pub(crate) db: &'a Db,
}

impl GraphStore<'_> {
    /// All graphs.
    pub async fn list(&self) -> Result<Vec<VectorGraph>, StoreError> {
        let graphs = sqlx::query_as(include_str!("../../sql/graphs/list.sql")).bind(None::<ProjectId>);
        Ok(graphs.fetch_all(&self.db.pools.writes).await?)
    }

    /// The projects with at least this many vectors, as the database's statistics estimate it.
    pub async fn estimates(&self, least: u64) -> Result<Vec<VectorEstimate>, StoreError> {
        let estimates = sqlx::query_as(include_str!("../../sql/graphs/estimates.sql")).bind(bounded(least));
        Ok(estimates.fetch_all(&self.db.pools.writes).await?)
    }

    /// What searches have read.
    pub async fn scans(&self) -> Result<VectorScans, StoreError> {
        let (entries, fetches): (i64, i64) =
            sqlx::query_as(include_str!("../../sql/maintenance/vector_scans.sql"))
                .fetch_one(&self.db.pools.writes)
                .await?;
        Ok(VectorScans { entries: entries.unsigned_abs(), heap_fetches: fetches.unsigned_abs() })
    }

    /// Records why the work on a graph failed. Not on the connection of the work, which may be gone.
    pub async fn note_failure(&self, graph: &VectorGraph, error: &str) -> Result<(), StoreError> {
        let noted = sqlx::query(include_str!("../../sql/graphs/note_failure.sql"));
        let noted = noted.bind(graph.project).bind(graph.graph_id).bind(error);
        noted.execute(&self.db.pools.writes).await?;
        Ok(())
    }

    /// Takes over the work on graphs, which one process at a time does. `None` if another process has it. The session
    /// is not one of a pool: it holds a lock, and building a graph takes minutes.
    pub async fn lead(&self) -> Result<Option<GraphLead>, StoreError> {
        let mut connection = connect::first(&self.db.owner).await?;
        if self.db.restricted {
            connection.execute(RESTRICT).await?;
        }
        connection.execute("set statement_timeout = 0; set idle_in_transaction_session_timeout = 0").await?;
        let is_mine: bool = sqlx::query_scalar(include_str!("../../sql/maintenance/lead_graphs.sql"))
            .fetch_one(&mut connection)
            .await?;
        let lead = GraphLead { connection, fault: self.db.fault };
        match is_mine {
            true => Ok(Some(lead)),
            false => {
                lead.close().await?;
                Ok(None)
            }
        }
    }
}

/// The graphs of the transaction's project.
pub(crate) async fn of_project(transaction: &mut ProjectTx) -> Result<Vec<VectorGraph>, StoreError> {
    let graphs = sqlx::query_as(include_str!("../../sql/graphs/list.sql")).bind(Some(transaction.project));
    Ok(graphs.fetch_all(&mut **transaction).await?)
}

/// A count as Postgres stores it.
pub(crate) fn bounded(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
