//! Changing to another embedding space: the walk and its cursor go together, and a change goes with its project.

use std::time::Duration;

use reflect_store::{EmbeddingMigration, ProjectCtx, SpaceId, SpaceName, Store, StoreError};
use reflect_test_support::TestDb;
use reflect_types::{EmbeddedText, MemoryId, SpaceChangeState};

use crate::given;

async fn space(store: &Store, model: &str) -> SpaceId {
    let (provider, model, revision) = ("test".into(), model.into(), String::new());
    let name = SpaceName { provider, model, revision, dimensions: 2, embeds: EmbeddedText::Task };
    store.catalogue().ensure_space(&name).await.unwrap().id
}

/// A project with three memories in one space, and a change to another one.
async fn changing() -> (TestDb, Store, ProjectCtx, EmbeddingMigration) {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let (old, new) = (space(&store, "old").await, space(&store, "new").await);
    project.spaces().adopt(old).await.unwrap();
    for _ in 0..3 {
        let made = "with p as (select project_id from project where slug = 'p'),
                    m as (insert into memory (project_id, memory_id, origin, task, reflection)
                          select project_id, $1, 3, 't', 'r' from p)
                    insert into memory_stat (project_id, memory_id) select project_id, $1 from p";
        let made = sqlx::query(made).bind(MemoryId::generate().as_uuid());
        made.execute(&mut db.superuser().await).await.unwrap();
    }
    project.spaces().start(old, new, &given::actor()).await.unwrap();
    let change = project.spaces().migration().await.unwrap().unwrap();
    (db, store, project, change)
}

/// The memories that lack a vector after the cursor, with the vectors that they get.
async fn next(project: &ProjectCtx, change: &EmbeddingMigration) -> (Vec<(MemoryId, String)>, Vec<Vec<f32>>) {
    let unplaced = project.memories().unindexed(change.to_space, change.cursor).await.unwrap();
    let vectors = vec![vec![0.6, 0.8]; unplaced.len()];
    (unplaced.into_iter().map(|one| (one.memory_id, one.task)).collect(), vectors)
}

#[tokio::test]
async fn a_worker_that_was_overtaken_places_nothing_and_moves_nothing() {
    let (_db, _store, project, change) = changing().await;
    assert_eq!((change.state(), change.total), (SpaceChangeState::Filling, 3));
    let (memories, vectors) = next(&project, &change).await;

    assert!(project.spaces().advance(&change, &memories[..1], &vectors[..1]).await.unwrap());
    // The same worker, thought dead, comes back with what it had.
    assert!(!project.spaces().advance(&change, &memories, &vectors).await.unwrap());

    let now = project.spaces().migration().await.unwrap().unwrap();
    assert_eq!((now.done, now.cursor), (1, memories[0].0));
    assert_eq!(project.memories().unindexed(change.to_space, now.cursor).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_walk_that_left_a_memory_out_begins_again_and_is_ready_when_none_is_missing() {
    let (_db, _store, project, change) = changing().await;
    let (memories, vectors) = next(&project, &change).await;
    assert!(project.spaces().advance(&change, &memories[1..], &vectors[1..]).await.unwrap());

    assert!(!project.spaces().finish_pass(&change).await.unwrap());
    let again = project.spaces().migration().await.unwrap().unwrap();
    let (missing, vectors) = next(&project, &again).await;
    assert_eq!(missing, memories[..1]);
    assert!(!project.spaces().switch(&again, None, &given::actor()).await.unwrap());
    assert!(project.spaces().advance(&again, &missing, &vectors).await.unwrap());
    assert!(project.spaces().finish_pass(&again).await.unwrap());
    assert!(project.spaces().switch(&again, None, &given::actor()).await.unwrap());
}

#[tokio::test]
async fn a_memory_whose_text_was_changed_meanwhile_is_left_for_the_next_round() {
    let (db, _store, project, change) = changing().await;
    let (memories, vectors) = next(&project, &change).await;
    let edited =
        sqlx::query("update memory set task = 'u' where memory_id = $1").bind(memories[0].0.as_uuid());
    edited.execute(&mut db.superuser().await).await.unwrap();

    assert_eq!(project.memories().index(change.to_space, &memories, &vectors).await.unwrap(), 2);
    let (left, _) = next(&project, &change).await;
    assert_eq!(left, [(memories[0].0, "u".to_owned())]);
}

#[tokio::test]
async fn one_change_at_a_time_and_none_in_a_deleted_project() {
    let (db, store, project, change) = changing().await;
    let second = project.spaces().start(change.from_space, change.to_space, &given::actor()).await;
    assert!(matches!(second, Err(StoreError::Conflict { .. })), "{second:?}");

    project.admin().delete("p", &given::actor()).await.unwrap();
    assert_eq!(project.spaces().migration().await.unwrap(), None);
    store.maintenance().purge_deleted_projects(Duration::ZERO).await.unwrap();
    let left: (i64, i64) = sqlx::query_as(
        "select (select count(*) from space_change),
                (select count(*) from job where kind = 20)",
    )
    .fetch_one(&mut db.superuser().await)
    .await
    .unwrap();
    assert_eq!(left, (0, 0));
}
