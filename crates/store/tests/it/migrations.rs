//! Migrations of a database in use: they do not make other statements wait, and indexes are built beside writes.

use std::time::{Duration, Instant};

use reflect_store::{ConcurrentIndex, Store};
use reflect_test_support::TestDb;
use sqlx::{Executor, PgConnection};

use crate::given;

const PATIENCE: Duration = Duration::from_secs(30);
/// Databases of tests are clones: their tables have the same numbers.
const IS_WAITING: &str = "select exists (
    select from pg_locks l join pg_database d on d.oid = l.database and d.datname = current_database()
    where not l.granted and l.relation = 'idempotency'::regclass)";

/// Takes back the migration that adds a column to a table, so that it is missing.
async fn without_a_migration(db: &TestDb) -> PgConnection {
    let mut connection = db.superuser().await;
    connection.execute("alter table idempotency drop column reviewed").await.unwrap();
    connection.execute("delete from _sqlx_migrations where version = 17").await.unwrap();
    connection
}

/// Whether a statement on a table succeeds although another one waits for an exclusive lock on it.
async fn others_pass(db: &TestDb, change: impl Future<Output = ()>) -> bool {
    let mut holder = without_a_migration(db).await;
    holder.execute("begin; select from idempotency").await.unwrap();
    let (mut watcher, mut reader) = (db.superuser().await, db.superuser().await);
    reader.execute("set statement_timeout = '3s'").await.unwrap();
    let check = async {
        let deadline = Instant::now() + PATIENCE;
        while !sqlx::query_scalar::<_, bool>(IS_WAITING).fetch_one(&mut watcher).await.unwrap() {
            assert!(Instant::now() < deadline, "the change does not wait for its lock");
        }
        let passes = reader.execute("select from idempotency").await.is_ok();
        holder.execute("rollback").await.unwrap();
        passes
    };
    let ((), passes) = tokio::join!(change, check);
    passes
}

#[tokio::test(flavor = "multi_thread")]
async fn a_migration_that_waits_for_a_table_lets_others_use_it() {
    let db = TestDb::create().await;
    let migration = db.migration();

    let passed = others_pass(&db, async {
        assert_eq!(Store::migrate(&migration).await.unwrap(), 1);
    });

    assert!(passed.await);
    let reviewed = "select reviewed from idempotency";
    assert!(db.superuser().await.execute(reviewed).await.is_ok());
}

/// The mutant: the same change without a limit on waiting.
#[tokio::test(flavor = "multi_thread")]
async fn a_change_without_a_lock_timeout_is_detected() {
    let db = TestDb::create().await;
    let mut connection = db.superuser().await;

    let passed = others_pass(&db, async {
        connection.execute("alter table idempotency add reviewed uuid").await.unwrap();
    });

    assert!(!passed.await);
}

const BY_TASK: ConcurrentIndex = ConcurrentIndex {
    name: "trace_by_task",
    table: "trace",
    unique: false,
    definition: "(project_id, task) where task <> ''",
};

async fn is_valid(connection: &mut PgConnection, index: &str) -> Option<bool> {
    let valid =
        sqlx::query_scalar("select indisvalid from pg_index where indexrelid = to_regclass($1)").bind(index);
    valid.fetch_optional(connection).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_built_while_rows_are_written() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let mut connection = db.superuser().await;
    // A transaction that has written, as in a server under load. The build waits for it, and it waits for nothing.
    let mut writer = db.superuser().await;
    writer.execute("begin; update trace_default set task = task").await.unwrap();
    let writes = async {
        let building = "select exists (select from pg_stat_activity where query like 'create index concurrently%' \
                        and datname = current_database())";
        let deadline = Instant::now() + PATIENCE;
        while !sqlx::query_scalar::<_, bool>(building).fetch_one(&mut connection).await.unwrap() {
            assert!(Instant::now() < deadline, "no index is built");
        }
        project.traces().record(&given::trace("during"), None).await.unwrap();
        writer.execute("commit").await.unwrap();
    };

    let url = db.url();
    let (built, ()) = tokio::join!(BY_TASK.build(&url), writes);

    built.unwrap();
    assert_eq!(is_valid(&mut connection, BY_TASK.name).await, Some(true));
    BY_TASK.build(&url).await.unwrap();
    // New partitions get it too.
    connection.execute("update partition_plan set ahead = '300 days'").await.unwrap();
    store.maintenance().run().await.unwrap();
    assert_eq!(is_valid(&mut connection, BY_TASK.name).await, Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_was_interrupted_is_built_again() {
    let (db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let unique = ConcurrentIndex {
        name: "trace_one_task",
        unique: true,
        definition: "(project_id, trace_id, task)",
        ..BY_TASK
    };
    project.traces().record(&given::trace("a"), None).await.unwrap();
    let mut connection = db.superuser().await;
    // What an interrupted build leaves: an invalid index of a partition.
    connection
        .execute("create unique index trace_default_trace_one_task on trace_default (project_id)")
        .await
        .unwrap();
    let broken =
        "update pg_index set indisvalid = false where indexrelid = 'trace_default_trace_one_task'::regclass";
    connection.execute(broken).await.unwrap();

    unique.build(&db.url()).await.unwrap();

    assert_eq!(is_valid(&mut connection, unique.name).await, Some(true));
    let columns = "select indnatts from pg_index where indexrelid = 'trace_default_trace_one_task'::regclass";
    assert_eq!(sqlx::query_scalar::<_, i16>(columns).fetch_one(&mut connection).await.unwrap(), 3);
}
