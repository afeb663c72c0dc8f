//! No row crosses projects: by statement, and by row-level security should a statement be wrong.

use reflect_store::StoreError;
use sqlx::{Executor, PgConnection};

use crate::given;

/// Every table that holds rows of a project.
const GUARDED: &[&str] = &[
    "trace",
    "trace_body",
    "trace_state",
    "review",
    "trace_key",
    "signal",
    "signal_match",
    "signal_wait",
    "memory",
    "memory_stat",
    "utility_event",
    "fold_checkpoint",
    "retention_cursor",
    "memory_vector",
    "graph_vector",
    "idempotency",
    "retrieval",
    "draft",
    "spending",
    "skill",
    "client_report",
    "otlp_run",
    "otlp_part",
    "queue_entry",
    "memory_corroboration",
    "memory_import",
    "lesson_question",
    "learning_stat",
    "audit_entry",
    "webhook_endpoint",
    "webhook_event",
    "webhook_delivery",
    "announced_state",
];

async fn as_the_server_sees_it(connection: &mut PgConnection, project: Option<&str>) -> Vec<(String, i64)> {
    connection.execute("set role reflect_app").await.unwrap();
    connection.execute("begin").await.unwrap();
    if let Some(project) = project {
        let set = sqlx::query("select set_config('reflect.project_id', $1, true)").bind(project);
        set.execute(&mut *connection).await.unwrap();
    }
    let mut counts = Vec::new();
    for table in GUARDED {
        // No condition on the project: what a forgotten condition would show.
        let count = sqlx::AssertSqlSafe(format!("select count(*) from {table}"));
        let count: i64 = sqlx::query_scalar(count).fetch_one(&mut *connection).await.unwrap();
        counts.push(((*table).to_owned(), count));
    }
    connection.execute("rollback").await.unwrap();
    counts
}

#[tokio::test]
async fn another_projects_runs_cannot_be_read_listed_or_deleted() {
    let (_db, store) = given::store().await;
    let (mine, theirs) = (given::project(&store, "mine").await, given::project(&store, "theirs").await);
    let run = given::trace("secret");
    theirs.traces().record(&run, None).await.unwrap();

    assert!(matches!(mine.traces().get(run.trace_id).await, Err(StoreError::NotFound { .. })));
    assert!(mine.traces().list(None, None, 100).await.unwrap().traces.is_empty());
    assert!(mine.traces().delete(&[run.trace_id], &given::actor(), None).await.unwrap().is_empty());
    assert!(!mine.traces().is_complete(run.trace_id).await.unwrap());
    assert!(theirs.traces().get(run.trace_id).await.is_ok());
}

#[tokio::test]
async fn the_same_trace_id_can_live_in_two_projects() {
    let (_db, store) = given::store().await;
    let run = given::trace("a");
    for slug in ["p", "q"] {
        let stored = given::project(&store, slug).await.traces().record(&run, None).await.unwrap();
        assert!(!stored.replayed);
    }
}

#[tokio::test]
async fn a_statement_without_a_project_sees_nothing() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    project.traces().record(&given::reviewed("a"), None).await.unwrap();
    let mut connection = db.superuser().await;

    // Never set, set to nothing (as it reads after a transaction), and set to another project.
    for setting in [None, Some(""), Some("999999")] {
        for (table, count) in as_the_server_sees_it(&mut connection, setting).await {
            assert_eq!(count, 0, "{table} under {setting:?}");
        }
    }
    let number: i32 = sqlx::query_scalar("select project_id from project")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    let seen = as_the_server_sees_it(&mut connection, Some(&number.to_string())).await;
    assert!(seen.contains(&("trace".to_owned(), 1)), "{seen:?}");
}

#[tokio::test]
async fn every_table_with_a_project_is_guarded_and_its_parts_are_out_of_reach() {
    let (db, _store) = given::store().await;
    let mut connection = db.superuser().await;
    let unguarded: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition
           and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id')
           and not (c.relrowsecurity and c.relforcerowsecurity)
         order by 1",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    // The catalogue and the queues have to be read before a project is known, and the work on graphs belongs to none.
    let readable =
        ["api_key", "job", "project", "project_data_key", "project_member", "vector_graph", "webhook_queue"];
    assert_eq!(unguarded, readable);

    let reachable: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         where c.relispartition and c.relkind = 'r' and has_table_privilege('reflect_app', c.oid, 'select')",
    )
    .fetch_all(&mut connection)
    .await
    .unwrap();
    assert!(reachable.is_empty(), "{reachable:?}");
}

#[tokio::test]
async fn the_server_cannot_change_the_audit_log() {
    let (db, _store) = given::store().await;
    let mut connection = db.superuser().await;
    connection.execute("set role reflect_app").await.unwrap();
    for statement in [
        "update audit_entry set actor = 'x'",
        "delete from audit_entry",
        "update audit_link set sequence = 1",
        "delete from audit_link",
        "delete from audit_head",
    ] {
        assert!(connection.execute(statement).await.is_err(), "{statement}");
    }
}
