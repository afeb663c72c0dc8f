//! How a graph comes and goes: writes during the build, builds that die, graphs that find too little, removal.

use std::cell::Cell;
use std::time::{Duration, Instant};

use reflect_rules::vector_graph::CHECKED_POOL;
use reflect_store::{GraphLead, MemoryFilter, VectorGraph};
use reflect_types::GraphState;
use sqlx::{AssertSqlSafe, Executor};

use super::{Given, MEMORIES, catch_up, given_project, given_with, insert, measure, question};
use crate::given;

/// Transactions that began before the build and end after it have seen no graph to copy to.
#[tokio::test]
async fn what_was_written_during_the_build_is_in_the_graph_before_it_serves() {
    let mut given = given_project().await;
    let (mut writer, mut remover) = (given.db.superuser().await, given.db.superuser().await);
    writer.execute("begin").await.unwrap();
    insert(&mut writer, given.project, given.space, 5).await;
    remover.execute("begin").await.unwrap();
    remover
        .execute("delete from memory_vector where memory_id in (select memory_id from memory_vector limit 7)")
        .await
        .unwrap();
    let mut lead = given.lead().await;
    let graph = given.requested(&mut lead).await;

    assert_eq!(lead.build(&graph).await.unwrap(), Some(MEMORIES as u64));
    assert!(!lead.catch_up(&graph).await.unwrap(), "two transactions may not have copied their writes");
    writer.execute("commit").await.unwrap();
    remover.execute("commit").await.unwrap();
    assert_eq!(given.differences(&graph).await, (5, 7), "the mutant: without catching up they would stay");
    catch_up(&mut lead, &graph).await;

    assert_eq!(given.differences(&graph).await, (0, 0));
    assert_eq!(given.graph().await.state, GraphState::Checking);
}

/// Promotion and demotion while the project is queried and written.
#[tokio::test]
async fn no_query_fails_and_no_write_is_lost_while_a_graph_comes_and_goes() {
    let mut given = given_project().await;
    let done = Cell::new(false);
    let mut writer = given.db.superuser().await;
    let here = &given;
    let change = async {
        let mut lead = here.lead().await;
        let graph = here.promote(&mut lead).await;
        lead.retire(&graph).await.unwrap();
        let deadline = Instant::now() + Duration::from_secs(30);
        // The lock on the parent has to wait for queries, and is given up soon.
        while !lead.remove(&graph, Duration::ZERO).await.unwrap_or(false) {
            assert!(Instant::now() < deadline, "the partition cannot be removed");
            tokio::task::yield_now().await;
        }
        // Once more, so that the last state to compare is a graph that serves.
        let graph = here.promote(&mut lead).await;
        done.set(true);
        graph
    };
    let ask = async {
        let mut asked = 0_u16;
        while !done.get() {
            let found = here.nearest(&question(asked), &MemoryFilter::default()).await;
            assert_eq!(found.len(), CHECKED_POOL, "query {asked}");
            asked += 1;
        }
        asked
    };
    let write = async {
        let mut written = 0;
        while !done.get() {
            insert(&mut writer, here.project, here.space, 2).await;
            let remove =
                "delete from memory_vector where memory_id = (select memory_id from memory_vector limit 1)";
            writer.execute(remove).await.unwrap();
            written += 1;
        }
        written
    };

    let (graph, asked, written) = tokio::join!(change, ask, write);

    assert!(asked > 10 && written > 10, "{asked} queries and {written} writes prove little");
    assert_eq!(given.differences(&graph).await, (0, 0));
    assert!(given.served_recall().await >= 0.98);
    // The mutant: without the trigger the comparison finds a difference.
    given.connection.execute("drop trigger copy_inserted on memory_vector").await.unwrap();
    given.fill(given.project, 1).await;
    assert_eq!(given.differences(&graph).await, (1, 0));
}

#[tokio::test]
async fn a_graph_is_removed_when_queries_have_had_time_to_end() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    let graph = given.promote(&mut lead).await;
    assert!(!lead.remove(&graph, Duration::ZERO).await.unwrap(), "it serves");

    lead.retire(&graph).await.unwrap();
    assert!(given.served_recall().await > 0.999, "queries are exact again");
    assert!(!lead.remove(&graph, Duration::from_secs(3600)).await.unwrap());
    assert_eq!(given.partitions().await, 1);
    assert!(lead.remove(&graph, Duration::ZERO).await.unwrap());

    assert_eq!(given.partitions().await, 0);
    assert!(given.store.maintenance().graphs().list().await.unwrap().is_empty());
    assert!(given.served_recall().await > 0.999);
}

#[tokio::test]
async fn a_build_that_dies_leaves_nothing_and_is_repeated() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    let graph = given.requested(&mut lead).await;
    // The build stops when everything is built and only the partition is not attached.
    let mut blocker = given.db.superuser().await;
    blocker.execute("begin; lock table graph_vector in share update exclusive mode").await.unwrap();
    let mut killer = given.db.superuser().await;
    let kill = async {
        let deadline = Instant::now() + Duration::from_secs(30);
        loop {
            let killed: Vec<bool> = sqlx::query_scalar(
                "select pg_terminate_backend(pid) from pg_stat_activity
                 where datname = current_database() and wait_event_type = 'Lock' and query like '%build_graph%'",
            )
            .fetch_all(&mut killer)
            .await
            .unwrap();
            if !killed.is_empty() {
                return;
            }
            assert!(Instant::now() < deadline, "the build does not wait for the lock");
            tokio::task::yield_now().await;
        }
    };

    let (built, ()) = tokio::join!(lead.build(&graph), kill);

    assert!(built.is_err(), "{built:?}");
    drop(lead);
    blocker.execute("rollback").await.unwrap();
    assert_eq!(given.partitions().await, 0);
    assert_eq!(given.graph().await.state, GraphState::Building);
    assert!(given.served_recall().await > 0.999, "queries are exact");
    let mut lead = given.lead().await;
    assert_eq!(lead.build(&graph).await.unwrap(), Some(MEMORIES as u64));
    assert_eq!(lead.build(&graph).await.unwrap(), None, "it is built once");
}

/// A graph that lost half of its entries.
async fn broken(given: &mut Given, lead: &mut GraphLead) -> VectorGraph {
    let graph = given.requested(lead).await;
    lead.build(&graph).await.unwrap();
    catch_up(lead, &graph).await;
    let lose = format!(
        "delete from graph_vector where graph_id = {} and memory_id in
           (select memory_id from memory_vector order by memory_id limit {})",
        graph.graph_id,
        MEMORIES / 2
    );
    given.connection.execute(AssertSqlSafe(lose)).await.unwrap();
    graph
}

#[tokio::test]
async fn a_graph_that_finds_too_little_is_not_served() {
    let mut given = given_project().await;
    let mut lead = given.lead().await;
    let graph = broken(&mut given, &mut lead).await;

    let measured = measure(&mut lead, &graph).await;
    assert!(measured[0].recall < 0.9, "{measured:?}");
    assert_eq!(lead.conclude(&graph, &measured, 10).await.unwrap(), GraphState::Rejected);

    assert!(given.served_recall().await > 0.999, "queries are exact");
    let rejected = given.graph().await;
    assert_eq!((rejected.state, rejected.recall), (GraphState::Rejected, Some(measured[0].recall)));
    // Its partition goes, and the result of the check stays.
    assert!(lead.remove(&rejected, Duration::ZERO).await.unwrap());
    assert_eq!((given.partitions().await, given.graph().await.attached), (0, false));
}

/// The test above would notice.
#[cfg(debug_assertions)]
#[tokio::test]
async fn the_mutant_that_serves_an_unchecked_graph_is_caught() {
    let mut given = given_with(Some(reflect_store::StoreFault::ServeUncheckedGraph)).await;
    let mut lead = given.lead().await;
    let graph = broken(&mut given, &mut lead).await;

    let measured = measure(&mut lead, &graph).await;
    lead.conclude(&graph, &measured, 10).await.unwrap();

    assert!(given.served_recall().await < 0.9);
}

#[tokio::test]
async fn the_work_on_a_graph_of_a_deleted_project_can_go_on() {
    let given = given_project().await;
    let mut lead = given.lead().await;
    let graph = given.promote(&mut lead).await;

    given.ctx().admin().delete("mine", &given::actor()).await.unwrap();
    given.store.maintenance().purge_deleted_projects(Duration::ZERO).await.unwrap();

    assert!(!given.graph().await.in_use);
    lead.retire(&graph).await.unwrap();
    assert!(lead.remove(&graph, Duration::ZERO).await.unwrap());
    assert!(given.store.maintenance().graphs().list().await.unwrap().is_empty());
}
