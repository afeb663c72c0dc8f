//! The work on graphs: build, catch up, compare with exact search, use, remove. Each method is one transaction, or a sequence
//! of transactions that can stop after any of them.

use std::time::Duration;

use reflect_rules::vector_graph::{MeasuredRecall, may_serve};
use reflect_types::{GraphState, ProjectId};
use sqlx::{AssertSqlSafe, Connection, PgConnection, Postgres, Transaction};

use super::{VectorGraph, bounded};
use crate::connect::StoreFault;
use crate::error::StoreError;
use crate::ids::SpaceId;

/// The right to work on graphs, with a connection of its own. It ends with the connection.
#[derive(Debug)]
pub struct GraphLead {
    pub(super) connection: PgConnection,
    pub(super) fault: Option<StoreFault>,
}

impl GraphLead {
    /// Lets other processes work on graphs.
    pub async fn close(self) -> Result<(), StoreError> {
        Ok(self.connection.close().await?)
    }

    /// A graph as it is now. `None` if it was removed.
    pub async fn get(&mut self, graph: &VectorGraph) -> Result<Option<VectorGraph>, StoreError> {
        let found = sqlx::query_as(include_str!("../../sql/graphs/get.sql"));
        let found = found.bind(graph.project).bind(graph.graph_id);
        Ok(found.fetch_optional(&mut self.connection).await?)
    }

    /// The number of vectors of a project in a space, counted up to `most`.
    pub async fn count(&mut self, project: ProjectId, space: SpaceId, most: u64) -> Result<u64, StoreError> {
        let mut transaction = begin(&mut self.connection, project).await?;
        let counted: i64 = sqlx::query_scalar(include_str!("../../sql/graphs/count.sql"))
            .bind(project)
            .bind(space)
            .bind(bounded(most))
            .fetch_one(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(counted.unsigned_abs())
    }

    /// Decides that a project gets a graph. Returns false if it has one.
    pub async fn request(
        &mut self,
        project: ProjectId,
        space: SpaceId,
        dimensions: u64,
    ) -> Result<bool, StoreError> {
        let requested = sqlx::query(include_str!("../../sql/graphs/request.sql"))
            .bind(project)
            .bind(space)
            .bind(i32::try_from(dimensions).unwrap_or(i32::MAX));
        Ok(requested.execute(&mut self.connection).await?.rows_affected() == 1)
    }

    /// Builds the partition of a graph. Takes minutes for a large project, and blocks neither its reads nor its writes. Returns
    /// the number of vectors; `None` if the graph is not to be built any more.
    pub async fn build(&mut self, graph: &VectorGraph) -> Result<Option<u64>, StoreError> {
        let mut transaction = begin(&mut self.connection, graph.project).await?;
        let built: Option<Option<i64>> = sqlx::query_scalar(include_str!("../../sql/graphs/build.sql"))
            .bind(graph.project)
            .bind(graph.graph_id)
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(built.flatten().map(i64::unsigned_abs))
    }

    /// Adds what was written during the build, and removes what was deleted. Returns false if transactions still run that
    /// began before writes were copied; the caller tries again later.
    pub async fn catch_up(&mut self, graph: &VectorGraph) -> Result<bool, StoreError> {
        let ended: Option<bool> = sqlx::query_scalar(include_str!("../../sql/graphs/note_horizon.sql"))
            .bind(graph.project)
            .bind(graph.graph_id)
            .fetch_optional(&mut self.connection)
            .await?;
        if ended != Some(true) {
            return Ok(false);
        }
        let (copy, remove) = (
            include_str!("../../sql/graphs/copy_missing.sql"),
            include_str!("../../sql/graphs/remove_extra.sql"),
        );
        while reconcile(&mut self.connection, graph, copy).await? > 0 {}
        reconcile(&mut self.connection, graph, remove).await?;
        let caught_up = sqlx::query(include_str!("../../sql/graphs/caught_up.sql"));
        let caught_up = caught_up.bind(graph.project).bind(graph.graph_id);
        Ok(caught_up.execute(&mut self.connection).await?.rows_affected() == 1)
    }

    /// Vectors of the project, as questions for a check when there are too few questions of clients.
    pub async fn sample(&mut self, graph: &VectorGraph, most: usize) -> Result<Vec<Vec<f32>>, StoreError> {
        let one_in = (graph.vectors / (2 * most.max(1) as u64)).max(1);
        let mut transaction = begin(&mut self.connection, graph.project).await?;
        let sample = sqlx::query_scalar(include_str!("../../sql/graphs/sample.sql"))
            .bind(graph.project)
            .bind(graph.space)
            .bind(bounded(one_in))
            .bind(most as i64)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(sample)
    }

    /// The distances of the memories nearest to a question, by exact search, nearest first.
    pub async fn exact_distances(
        &mut self,
        graph: &VectorGraph,
        question: &[f32],
        most: usize,
    ) -> Result<Vec<f64>, StoreError> {
        let mut transaction = begin(&mut self.connection, graph.project).await?;
        let distances = sqlx::query_scalar(include_str!("../../sql/graphs/exact_distances.sql"))
            .bind(graph.project)
            .bind(graph.space)
            .bind(question)
            .bind(most as i64)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(distances)
    }

    /// The distances of the memories that a graph finds for a question, whether it serves or not.
    pub async fn graph_distances(
        &mut self,
        graph: &VectorGraph,
        ef_search: u16,
        question: &[f32],
        most: usize,
    ) -> Result<Vec<f64>, StoreError> {
        let mut transaction = begin(&mut self.connection, graph.project).await?;
        let distances = sqlx::query_scalar(include_str!("../../sql/graphs/graph_distances.sql"))
            .bind(graph.project)
            .bind(graph.graph_id)
            .bind(i32::from(ef_search))
            .bind(question)
            .bind(most as i64)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(distances)
    }

    /// Stores the result of a check over `questions` questions. The graph serves from now on, goes on serving, or is
    /// rejected: the rule decides. Returns its state.
    pub async fn conclude(
        &mut self,
        graph: &VectorGraph,
        measured: &[MeasuredRecall],
        questions: usize,
    ) -> Result<GraphState, StoreError> {
        let best =
            measured.iter().copied().reduce(|best, one| if one.recall > best.recall { one } else { best });
        let (state, result) = match may_serve(measured) {
            Some(enough) => (GraphState::Serving, Some(enough)),
            None if serves_unchecked(self.fault) => (GraphState::Serving, best),
            None => (GraphState::Rejected, best),
        };
        sqlx::query(include_str!("../../sql/graphs/conclude.sql"))
            .bind(graph.project)
            .bind(graph.graph_id)
            .bind(state.code())
            .bind(result.map(|result| i32::from(result.ef_search)))
            .bind(result.map(|result| result.recall))
            .bind(i32::try_from(questions).unwrap_or(i32::MAX))
            .execute(&mut self.connection)
            .await?;
        Ok(state)
    }

    /// Stops using a graph. Queries are exact again.
    pub async fn retire(&mut self, graph: &VectorGraph) -> Result<(), StoreError> {
        let retired = sqlx::query(include_str!("../../sql/graphs/retire.sql"));
        retired.bind(graph.project).bind(graph.graph_id).execute(&mut self.connection).await?;
        Ok(())
    }

    /// Removes the partition of a graph that has not been used for `rest`. Returns false if that is not possible yet.
    pub async fn remove(&mut self, graph: &VectorGraph, rest: Duration) -> Result<bool, StoreError> {
        let mut transaction = begin(&mut self.connection, graph.project).await?;
        let removed: Option<bool> = sqlx::query_scalar(include_str!("../../sql/graphs/remove.sql"))
            .bind(graph.project)
            .bind(graph.graph_id)
            .bind(rest.as_secs_f64())
            .fetch_optional(&mut *transaction)
            .await?;
        transaction.commit().await?;
        Ok(removed == Some(true))
    }
}

/// Opens a transaction of a project, for row-level security.
async fn begin(
    connection: &mut PgConnection,
    project: ProjectId,
) -> Result<Transaction<'_, Postgres>, StoreError> {
    let begin = format!("begin; set local reflect.project_id = {}", project.number());
    Ok(connection.begin_with(AssertSqlSafe(begin)).await?)
}

async fn reconcile(
    connection: &mut PgConnection,
    graph: &VectorGraph,
    statement: &'static str,
) -> Result<u64, StoreError> {
    let mut transaction = begin(connection, graph.project).await?;
    let changed = sqlx::query(statement).bind(graph.project).bind(graph.space).bind(graph.graph_id);
    let rows = changed.execute(&mut *transaction).await?.rows_affected();
    transaction.commit().await?;
    Ok(rows)
}

/// Whether a fault run serves graphs that find too little.
const fn serves_unchecked(fault: Option<StoreFault>) -> bool {
    match fault {
        #[cfg(debug_assertions)]
        Some(StoreFault::ServeUncheckedGraph) => true,
        _ => false,
    }
}
