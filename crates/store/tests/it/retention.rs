//! Retention of a project: it continues where it stopped, returns to what had to wait, and removes the words of reviews whose
//! runs are gone.

use reflect_store::{MigrationSettings, NewTraceRow, ProjectCtx, Store};
use reflect_test_support::TestDb;
use reflect_types::{RetentionSettings, TraceId};
use sqlx::Executor;
use uuid::{NoContext, Timestamp, Uuid};

use crate::given;

const TEN_DAYS: RetentionSettings =
    RetentionSettings { traces_days: Some(10), bodies_days: Some(10), retrievals_days: Some(10) };

async fn days_ago(db: &TestDb, days: u64) -> TraceId {
    let now: i64 = sqlx::query_scalar("select extract(epoch from now())::bigint")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    let then = u64::try_from(now).unwrap() - days * 24 * 60 * 60;
    TraceId::from_uuid(Uuid::new_v7(Timestamp::from_unix(NoContext, then, 0)))
}

/// Two rounds: the second one returns to what the first one had to leave.
async fn two_rounds(project: &ProjectCtx) {
    for _ in 0..2 {
        project.admin().apply_retention(&TEN_DAYS).await.unwrap();
    }
}

async fn with_text(db: &TestDb) -> Vec<TraceId> {
    sqlx::query_scalar("select trace_id from trace where task <> '' order by trace_id")
        .fetch_all(&mut db.superuser().await)
        .await
        .unwrap()
}

/// A run with a review that is learned from, so that its row stays.
async fn reviewed(project: &ProjectCtx, trace_id: TraceId) {
    let run = NewTraceRow { trace_id, ..given::reviewed("old") };
    project.traces().record(&run, None).await.unwrap();
}

async fn set_ingest(db: &TestDb, ingest: i16) {
    let set = sqlx::query("update trace_state set ingest = $1").bind(ingest);
    set.execute(&mut db.superuser().await).await.unwrap();
}

#[tokio::test]
async fn rows_without_text_are_not_read_again() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let old = days_ago(&db, 20).await;
    reviewed(&project, old).await;
    set_ingest(&db, 2).await;
    two_rounds(&project).await;
    assert_eq!(with_text(&db).await, []);

    // A text behind the cursor is not found: what is there has been handled.
    let mut connection = db.superuser().await;
    connection.execute("update trace set task = 'again'").await.unwrap();
    two_rounds(&project).await;
    assert_eq!(with_text(&db).await, [old]);

    // Without the cursor everything is read again.
    connection.execute("delete from retention_cursor").await.unwrap();
    two_rounds(&project).await;
    assert_eq!(with_text(&db).await, []);
}

#[tokio::test]
async fn a_run_that_waits_for_learning_is_handled_when_it_is_learned_from() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let waiting = days_ago(&db, 25).await;
    reviewed(&project, waiting).await;
    let later = NewTraceRow { trace_id: days_ago(&db, 20).await, ..given::trace("later") };
    project.traces().record(&later, None).await.unwrap();

    two_rounds(&project).await;
    assert_eq!(with_text(&db).await, [waiting]);
    set_ingest(&db, 2).await;
    two_rounds(&project).await;

    assert_eq!(with_text(&db).await, []);
    assert!(project.traces().get(waiting).await.is_ok(), "its row stays for the ledger");
}

#[tokio::test]
async fn a_run_that_arrives_late_is_removed_by_the_next_rounds() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let first = NewTraceRow { trace_id: days_ago(&db, 12).await, ..given::trace("first") };
    project.traces().record(&first, None).await.unwrap();
    two_rounds(&project).await;

    let late = NewTraceRow { trace_id: days_ago(&db, 28).await, ..given::trace("canary-spooled") };
    let young = NewTraceRow { trace_id: days_ago(&db, 3).await, ..given::trace("young") };
    for run in [&late, &young] {
        project.traces().record(run, None).await.unwrap();
    }
    two_rounds(&project).await;

    assert_eq!(with_text(&db).await, [young.trace_id]);
    assert_eq!(db.tables_with("canary-spooled").await, Vec::<String>::new());
    assert!(project.traces().get(late.trace_id).await.is_err());
}

#[tokio::test]
async fn the_words_of_a_review_go_with_its_dropped_run() {
    let db = TestDb::create_empty().await;
    Store::migrate(&MigrationSettings { partition_days: 7, ..db.migration() }).await.unwrap();
    let store = db.store().await;
    let project = given::project(&store, "p").await;
    for days in [29, 1] {
        let mut run = NewTraceRow { trace_id: days_ago(&db, days).await, ..given::reviewed("run") };
        run.review.as_mut().unwrap().feedback = Some(format!("canary-{days}"));
        project.traces().record(&run, None).await.unwrap();
    }
    db.superuser()
        .await
        .execute("update partition_plan set keep = '10 days' where parent = 'trace'")
        .await
        .unwrap();
    for _ in 0..2 {
        store.maintenance().run().await.unwrap();
    }

    assert_eq!(db.tables_with("canary-29").await, Vec::<String>::new());
    assert!(!db.tables_with("canary-1").await.is_empty());
    let counts = "select (select count(*) from review), (select count(*) from trace), (select count(*) from trace_state)";
    let counts: (i64, i64, i64) = sqlx::query_as(counts).fetch_one(&mut db.superuser().await).await.unwrap();
    assert_eq!(counts, (2, 1, 1), "the verdict stays, and states are kept as long as runs");
}
