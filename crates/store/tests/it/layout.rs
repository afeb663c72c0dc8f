//! The layout of a database with many rows changes while it is used: nothing is lost, and nothing is there twice.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use reflect_store::Store;
use reflect_test_support::TestDb;
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Executor, PgConnection};
use uuid::Uuid;

/// The last migration before the layout changes.
const BEFORE: u32 = 27;
/// More than 1 MB, so that no table is converted by the migration itself.
const ROWS: i32 = 30_000;

/// Applies the migrations up to a number.
async fn migrate_up_to(connection: &mut PgConnection, last: u32) {
    let folder = std::env::temp_dir().join(format!("reflect-layout-{}", Uuid::now_v7()));
    std::fs::create_dir(&folder).unwrap();
    let migrations = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    for file in std::fs::read_dir(migrations).unwrap() {
        let file = file.unwrap();
        let name = file.file_name().into_string().unwrap();
        if name[..4].parse::<u32>().unwrap() <= last {
            std::fs::copy(file.path(), folder.join(name)).unwrap();
        }
    }
    connection.execute("set reflect.hash_partitions = 2; set reflect.partition_days = 30").await.unwrap();
    Migrator::new(folder.as_path()).await.unwrap().run(&mut *connection).await.unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

async fn fill(connection: &mut PgConnection) {
    for statement in [
        "select from keep_partitions(now())".to_owned(),
        "insert into embedding_space (provider, model, dimensions) values ('p', 'm', 64)".to_owned(),
        format!(
            "insert into trace_state (project_id, trace_id, ingest)
             select n % 5, uuid_at(now() - make_interval(mins => n)), 2 from generate_series(1, {ROWS}) n"
        ),
        format!(
            "insert into memory_vector (project_id, space_id, memory_id, embedding)
             select n % 5, 1, gen_random_uuid(), ('[' || repeat('0.1,', 63) || '0.1]')::halfvec
             from generate_series(1, {ROWS}) n"
        ),
        format!(
            "insert into utility_event (project_id, review_id, memory_id, reward, alpha, expected, credited)
             select 1, gen_random_uuid(), '00000000-0000-7000-8000-000000000001', 1, 0.3, 0.5, n
             from generate_series(1, {ROWS}) n"
        ),
    ] {
        connection.execute(AssertSqlSafe(statement)).await.unwrap();
    }
}

type States = BTreeMap<(i32, Uuid), i16>;

async fn states(connection: &mut PgConnection) -> States {
    let rows: Vec<(i32, Uuid, i16)> = sqlx::query_as("select project_id, trace_id, ingest from trace_state")
        .fetch_all(connection)
        .await
        .unwrap();
    let count = rows.len();
    let states: States =
        rows.into_iter().map(|(project, trace, ingest)| ((project, trace), ingest)).collect();
    assert_eq!(states.len(), count, "a state is there twice");
    states
}

/// Changes, removes and adds states, as a server does, until the migration has ended.
async fn use_states(connection: &mut PgConnection, expected: &mut States, done: &AtomicBool) -> usize {
    let mut changes = 0;
    let keys: Vec<(i32, Uuid)> = expected.keys().copied().collect();
    for key in keys.into_iter().cycle() {
        if done.load(Ordering::Relaxed) {
            return changes;
        }
        let statement = match changes % 3 {
            0 => "update trace_state set ingest = 3 where project_id = $1 and trace_id = $2",
            1 => "delete from trace_state where project_id = $1 and trace_id = $2",
            _ => {
                "insert into trace_state (project_id, trace_id, ingest) values ($1, $2, 0)
                  on conflict (project_id, trace_id) do update set ingest = 0"
            }
        };
        let changed = sqlx::query(statement).bind(key.0).bind(key.1).execute(&mut *connection).await.unwrap();
        match changes % 3 {
            0 if changed.rows_affected() == 1 => _ = expected.insert(key, 3),
            1 => _ = expected.remove(&key),
            2 => _ = expected.insert(key, 0),
            _ => {}
        }
        changes += 1;
    }
    changes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_in_use_gets_the_new_layout_without_losing_a_row() {
    let db = TestDb::create_empty().await;
    let mut connection = db.superuser().await;
    migrate_up_to(&mut connection, BEFORE).await;
    fill(&mut connection).await;
    let mut expected = states(&mut connection).await;
    let vectors: i64 =
        sqlx::query_scalar("select count(*) from memory_vector").fetch_one(&mut connection).await.unwrap();

    let done = AtomicBool::new(false);
    let settings = db.migration();
    let migrating = async {
        let migrated = Store::migrate(&settings).await;
        done.store(true, Ordering::Relaxed);
        migrated.unwrap()
    };
    let (migrations, changes) = tokio::join!(migrating, use_states(&mut connection, &mut expected, &done));

    assert!(migrations > 0 && changes > 10, "{migrations} migrations, {changes} changes meanwhile");
    assert_eq!(states(&mut connection).await, expected);
    let checks: [(&str, i64); 7] = [
        (
            "select count(*) from pg_partitioned_table where partrelid = 'trace_state'::regclass and partstrat = 'r'",
            1,
        ),
        ("select count(*) from trace_state_default", 0),
        ("select count(*) from pg_class where relname like 'trace_state_by_%'", 0),
        (
            "select count(*) from pg_constraint where conrelid = 'memory_vector'::regclass and contype = 'p'",
            1,
        ),
        ("select count(*) from pg_constraint where conname = 'own_rows'", 0),
        (
            "select count(*) from pg_index where indexrelid = 'utility_event_credit'::regclass and indisvalid",
            1,
        ),
        ("select count(*) from memory_vector", vectors),
    ];
    for (question, answer) in checks {
        let found: i64 = sqlx::query_scalar(question).fetch_one(&mut connection).await.unwrap();
        assert_eq!(found, answer, "{question}");
    }
    // A second run finds nothing to do.
    assert_eq!(Store::migrate(&settings).await.unwrap(), 0);
    let store = db.store().await;
    assert!(store.maintenance().run().await.is_ok());
}

#[tokio::test]
async fn without_the_trigger_a_change_would_be_lost() {
    let db = TestDb::create_empty().await;
    let mut connection = db.superuser().await;
    migrate_up_to(&mut connection, BEFORE).await;
    fill(&mut connection).await;
    migrate_up_to(&mut connection, BEFORE + 1).await;
    let copy = "select count(*) from pg_inherits i join pg_class c on c.oid = i.inhrelid,
                lateral copy_trace_states(c.relname::text, -1, '00000000-0000-0000-0000-000000000000', 1000000)
                where i.inhparent = 'trace_state'::regclass";
    connection.execute(copy).await.unwrap();
    connection.execute("drop trigger mirror_trace_state on trace_state").await.unwrap();

    let mut expected = states(&mut connection).await;
    let key = *expected.keys().next().unwrap();
    let changed = sqlx::query("update trace_state set ingest = 3 where project_id = $1 and trace_id = $2");
    changed.bind(key.0).bind(key.1).execute(&mut connection).await.unwrap();
    expected.insert(key, 3);
    Store::migrate(&db.migration()).await.unwrap();

    assert_ne!(states(&mut connection).await, expected, "the test above would not notice a lost change");
}
