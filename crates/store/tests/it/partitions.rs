//! Partitions are made before they are needed, dropped when they have expired, and a row that fell
//! into a default partition is noticed and moved.

use reflect_store::{MaintenanceReport, MigrationSettings, NewTraceRow, Store};
use reflect_test_support::TestDb;
use reflect_types::TraceId;
use sqlx::Executor;
use uuid::{NoContext, Timestamp, Uuid};

use crate::given;

fn made_at(seconds: u64) -> TraceId {
    TraceId::from_uuid(Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0)))
}

async fn now(db: &TestDb) -> u64 {
    let seconds: i64 = sqlx::query_scalar("select extract(epoch from now())::bigint")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    u64::try_from(seconds).unwrap()
}

async fn default_rows(db: &TestDb) -> i64 {
    sqlx::query_scalar("select count(*) from trace_default")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap()
}

#[tokio::test]
async fn ids_of_the_last_month_and_the_coming_weeks_have_their_partition() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let now = now(&db).await;
    let day = 24 * 60 * 60;
    for seconds in [now - 30 * day, now, now + 20 * day] {
        let run = NewTraceRow { trace_id: made_at(seconds), ..given::trace("a") };
        project.traces().record(&run, None).await.unwrap();
        assert!(project.traces().get(run.trace_id).await.is_ok());
    }
    assert_eq!(default_rows(&db).await, 0);
    assert_eq!(store.maintenance().run().await.unwrap().stray_rows(), 0);
}

#[tokio::test]
async fn a_row_in_the_default_partition_is_reported_and_moved() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let far = now(&db).await + 400 * 24 * 60 * 60;
    let run = NewTraceRow { trace_id: made_at(far), ..given::trace("a") };
    project.traces().record(&run, None).await.unwrap();
    assert_eq!(default_rows(&db).await, 1);
    // Still there, and reported as such, while its time is too far off for a partition.
    assert!(store.maintenance().run().await.unwrap().stray_rows() > 0);
    assert_eq!(default_rows(&db).await, 1);

    db.superuser().await.execute("update partition_plan set ahead = '500 days'").await.unwrap();
    let done: MaintenanceReport = store.maintenance().run().await.unwrap();

    assert!(done.partitions.iter().any(|work| work.action == "stray" && work.row_count == 1), "{done:?}");
    assert_eq!(default_rows(&db).await, 0);
    assert_eq!(project.traces().get(run.trace_id).await.unwrap().trajectory.len(), 39);
    assert_eq!(store.maintenance().run().await.unwrap().stray_rows(), 0);
}

#[tokio::test]
async fn expired_partitions_are_dropped_with_their_rows() {
    let db = TestDb::create_empty().await;
    Store::migrate(&MigrationSettings { partition_days: 7, ..db.migration() }).await.unwrap();
    let store = db.store().await;
    let project = given::project(&store, "p").await;
    let old = NewTraceRow { trace_id: made_at(now(&db).await - 29 * 24 * 60 * 60), ..given::trace("old") };
    let new = given::trace("new");
    for run in [&old, &new] {
        project.traces().record(run, None).await.unwrap();
    }
    assert_eq!(store.maintenance().run().await.unwrap().stray_rows(), 0);
    assert!(project.traces().get(old.trace_id).await.is_ok());

    db.superuser().await.execute("update partition_plan set keep = '10 days'").await.unwrap();
    let done = store.maintenance().run().await.unwrap();

    assert!(done.partitions.iter().any(|work| work.action == "dropped"), "{done:?}");
    assert!(project.traces().get(old.trace_id).await.is_err());
    assert!(project.traces().get(new.trace_id).await.is_ok());
    // Its state is kept as long as the run, in a partition of its own.
    let dropped = |table: &str| {
        let prefix = format!("{table}_t");
        done.partitions.iter().any(|work| work.action == "dropped" && work.partition.starts_with(&prefix))
    };
    assert!(dropped("trace_body") && dropped("trace_state"), "{done:?}");
    let states: i64 = sqlx::query_scalar("select count(*) from trace_state")
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    assert_eq!(states, 1);
    let again = store.maintenance().run().await.unwrap();
    assert!(again.partitions.iter().all(|work| work.action == "left"), "{again:?}");
}

#[tokio::test]
async fn maintenance_twice_or_at_once_does_the_work_once() {
    let (_db, store) = given::store().await;
    let (first, second) =
        tokio::join!(store.maintenance().keep_partitions(), store.maintenance().keep_partitions());
    let third = store.maintenance().keep_partitions().await.unwrap();
    for work in [first.unwrap(), second.unwrap(), third] {
        assert!(work.iter().all(|work| work.action == "left"), "{work:?}");
    }
}

#[tokio::test]
async fn a_partition_in_use_stops_neither_the_others_nor_requests() {
    let db = TestDb::create_empty().await;
    Store::migrate(&MigrationSettings { partition_days: 7, ..db.migration() }).await.unwrap();
    let store = db.store().await;
    let project = given::project(&store, "p").await;
    let old = NewTraceRow { trace_id: made_at(now(&db).await - 29 * 24 * 60 * 60), ..given::trace("old") };
    project.traces().record(&old, None).await.unwrap();
    db.superuser().await.execute("update partition_plan set keep = '10 days'").await.unwrap();

    // A dump reads a table until it ends.
    let mut dump = db.superuser().await;
    dump.execute("begin; lock table trace in access share mode").await.unwrap();
    let keeping = store.maintenance().keep_partitions();
    let recording = async {
        // Requests wait behind an attempt for at most 100 ms: they succeed, and time out otherwise.
        for _ in 0..20 {
            project.traces().record(&given::trace("new"), None).await.unwrap();
        }
    };
    let (done, ()) = tokio::join!(keeping, recording);

    let done = done.unwrap();
    let of = |action: &str, table: &str| {
        let prefix = format!("{table}_t2");
        done.iter().any(|work| work.action == action && work.partition.starts_with(&prefix))
    };
    assert!(of("blocked", "trace") && !of("dropped", "trace"), "{done:?}");
    assert!(of("dropped", "trace_body") && of("dropped", "trace_state"), "{done:?}");
    dump.execute("rollback").await.unwrap();
    let done = store.maintenance().keep_partitions().await.unwrap();
    assert!(done.iter().any(|work| work.action == "dropped" && work.partition.starts_with("trace_t2")));
    assert!(done.iter().all(|work| work.action != "blocked"), "{done:?}");
}

#[tokio::test]
async fn every_partition_is_its_own_transaction() {
    let db = TestDb::create_empty().await;
    Store::migrate(&MigrationSettings { partition_days: 7, ..db.migration() }).await.unwrap();
    let made: Vec<(i64, i64)> =
        sqlx::query_as("select count(*), count(distinct xmin::text) from time_partition group by parent")
            .fetch_all(&mut db.superuser().await)
            .await
            .unwrap();
    assert!(made.len() >= 5, "{made:?}");
    assert!(made.iter().all(|(partitions, transactions)| partitions == transactions), "{made:?}");
}

#[tokio::test]
async fn nothing_that_was_written_is_kept_as_a_sample() {
    let (db, _store) = given::store().await;
    let sampled: Vec<String> = sqlx::query_scalar(
        "select format('%s.%s', c.relname, a.attname)
         from pg_class c
         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
         left join pg_inherits i on i.inhrelid = c.oid
         left join pg_class parent on parent.oid = i.inhparent
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace
           and (c.relrowsecurity or parent.relrowsecurity)
           and a.atttypid = any ('{text, \"text[]\", json, jsonb, bytea, tsvector}'::regtype[])
           and coalesce(a.attstattarget, -1) <> 0",
    )
    .fetch_all(&mut db.superuser().await)
    .await
    .unwrap();
    assert_eq!(sampled, Vec::<String>::new());
}
