//! A run that was deleted or erased does not come back, for example from the spool of a client.
#![expect(clippy::disallowed_methods, reason = "every task is waited for by its test")]

use reflect_store::{Erased, ErasureTarget, NewErasure, NewTraceRow, ProjectCtx, StoreError};
use reflect_test_support::TestDb;
use reflect_types::TraceId;
use sqlx::Executor;
use uuid::Uuid;

use crate::given;

async fn erase(project: &ProjectCtx, trace: TraceId) {
    let erasure_id = Uuid::now_v7();
    let asked = NewErasure { erasure_id, target: ErasureTarget::Trace(trace), keep_memories: false };
    project.erasures().request(&asked, &given::actor(), None).await.unwrap();
    while project.erasures().erase_batch(erasure_id).await.unwrap() == Erased::Some {}
    project.erasures().finish(erasure_id).await.unwrap();
}

async fn refused(project: &ProjectCtx, run: &NewTraceRow) -> bool {
    let alone = project.traces().record(run, None).await;
    let many =
        project.traces().record_many(vec![Some(run.clone()), Some(given::trace("new"))], None).await.unwrap();
    let deleted = matches!(&alone, Err(StoreError::Conflict { what }) if what.contains("was deleted"));
    deleted && many.answer[0].is_none() && many.answer[1].is_some()
}

async fn forget_tombstones(db: &TestDb) {
    db.superuser().await.execute("delete from trace where erased_at is not null").await.unwrap();
}

#[tokio::test]
async fn a_deleted_run_is_not_stored_again() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::reviewed("canary-gone");
    project.traces().record(&run, None).await.unwrap();
    project.traces().delete(&[run.trace_id], &given::actor(), None).await.unwrap();

    assert!(refused(&project, &run).await);
    assert!(matches!(project.traces().get(run.trace_id).await, Err(StoreError::NotFound { .. })));
    assert_eq!(project.traces().list(None, None, 10).await.unwrap().traces.len(), 1);
    assert!(project.traces().delete(&[run.trace_id], &given::actor(), None).await.unwrap().is_empty());
    assert_eq!(db.tables_with("canary-gone").await, Vec::<String>::new());
    // Another project does not know the id.
    let other = given::project(&store, "q").await;
    assert!(other.traces().record(&run, None).await.is_ok());
    // Without its tombstone it would come back.
    forget_tombstones(&db).await;
    assert!(project.traces().record(&run, None).await.is_ok());
}

#[tokio::test]
async fn an_erased_run_is_not_stored_again() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::reviewed("canary-gone");
    project.traces().record(&run, None).await.unwrap();
    erase(&project, run.trace_id).await;

    assert!(refused(&project, &run).await);
    assert_eq!(db.tables_with("canary-gone").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_run_that_is_erased_before_it_arrives_is_not_stored() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::trace("still in a spool");
    erase(&project, run.trace_id).await;

    assert!(refused(&project, &run).await);
    forget_tombstones(&db).await;
    assert!(!refused(&project, &run).await);
}

#[tokio::test]
async fn a_run_that_arrives_while_it_is_erased_is_erased_too() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::trace("canary-late");
    let number: i32 = sqlx::query_scalar("select project_id from project")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    // A transaction has stored the run and is not committed yet.
    let mut arriving = db.superuser().await;
    arriving.execute("begin").await.unwrap();
    let arrived = "with run as (
                     insert into trace (project_id, trace_id, task, messages, content_digest, body_codec, body_length,
                                        body_digest, key_id, trust)
                     values ($1, $2, 'canary-late', 0, sha256('a'), 0, 0, sha256(''), gen_random_uuid(), 1))
                   insert into trace_state (project_id, trace_id, ingest) values ($1, $2, 2)";
    let arrived = sqlx::query(arrived).bind(number).bind(run.trace_id);
    arrived.execute(&mut arriving).await.unwrap();

    let trace = run.trace_id;
    let elsewhere = given::project(&db.store().await, "p").await;
    let erasing = tokio::spawn(async move { erase(&elsewhere, trace).await });
    let waiting = "select count(*) from pg_stat_activity
                   where datname = current_database() and wait_event_type = 'Lock'";
    let mut observer = db.superuser().await;
    while !erasing.is_finished()
        && sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut observer).await.unwrap() == 0
    {}
    arriving.execute("commit").await.unwrap();
    erasing.await.unwrap();

    assert_eq!(db.tables_with("canary-late").await, Vec::<String>::new());
    assert!(refused(&project, &run).await);
}
