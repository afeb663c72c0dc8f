//! The plans of hot statements. A kept plan must be limited to the partitions that it needs by its parameters: nothing
//! else limits it.

use std::collections::BTreeSet;
use std::path::Path;

use sqlx::{AssertSqlSafe, Executor, PgConnection};

use crate::given;

const ID: &str = "'01a00000-0000-7000-8000-000000000000'";

fn statement(file: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("sql").join(file)).unwrap()
}

/// A connection like those of point reads and point writes.
async fn connection(db: &reflect_test_support::TestDb) -> PgConnection {
    let mut connection = db.superuser().await;
    let settings = "set role reflect_app; set reflect.project_id = 1; set plan_cache_mode = force_generic_plan; \
                    set enable_seqscan = off";
    connection.execute(settings).await.unwrap();
    connection
}

async fn plan(connection: &mut PgConnection, statement: &str, values: &str) -> String {
    connection.execute(AssertSqlSafe(format!("prepare hot as {statement}"))).await.unwrap();
    let explain = AssertSqlSafe(format!("explain (costs off) execute hot ({values})"));
    let lines: Vec<String> = sqlx::query_scalar(explain).fetch_all(&mut *connection).await.unwrap();
    connection.execute("deallocate hot").await.unwrap();
    lines.join("\n")
}

/// The partitions of a table that a plan reads or changes.
fn partitions(plan: &str, table: &str) -> BTreeSet<String> {
    let words: Vec<&str> = plan.split_whitespace().collect();
    let read = words.windows(2).filter(|pair| pair[0] == "on").map(|pair| pair[1]);
    let is_part = |name: &&str| {
        let part = name.strip_prefix(table).and_then(|rest| rest.strip_prefix('_')).unwrap_or_default();
        let number = part.strip_prefix(['h', 't']).unwrap_or_default();
        part == "default" || (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    read.filter(is_part).map(str::to_owned).collect()
}

#[tokio::test]
async fn the_last_receipt_is_looked_up_in_the_newest_partitions_only() {
    let (db, _store) = given::store().await;
    let mut connection = connection(&db).await;
    let served = statement("traces/last_served.sql");
    let values = format!(
        "1, array[sha256('x')], array[{ID}]::uuid[], uuid_at(now() - interval '1 hour'), uuid_at(now() + interval '1 day')"
    );

    let kept = plan(&mut connection, &served, &values).await;
    let unlimited = served.replace("r.retrieval_id < $5", "$5::uuid is not null");
    let unlimited = plan(&mut connection, &unlimited, &values).await;

    // Two if a partition begins within a day.
    let read = partitions(&kept, "retrieval");
    assert!((1..=2).contains(&read.len()) && !read.contains("retrieval_default"), "{kept}");
    assert!(!kept.contains("Seq Scan"), "{kept}");
    let unlimited_read = partitions(&unlimited, "retrieval");
    assert!(unlimited_read.contains("retrieval_default"), "the test must see a missing limit: {unlimited}");
}

#[tokio::test]
async fn hot_statements_read_one_partition_of_each_table_by_key() {
    let (db, _store) = given::store().await;
    let mut connection = connection(&db).await;
    let memory = format!(
        "1, {ID}, {ID}, {ID}, 1::smallint, '', '', '', '', '', '', '{{}}', '{{}}', true, '{{}}', null, null, null, false, \
         1::smallint, '{{}}', {ID}, {ID}, null, null"
    );
    let statements: [(&str, String, &[&str]); 15] = [
        (
            "traces/rows.sql",
            format!("1, array[{ID}]::uuid[], {ID}, {ID}"),
            &["trace", "trace_state", "review"],
        ),
        ("traces/bodies.sql", format!("1, array[{ID}]::uuid[], {ID}, {ID}"), &["trace_body"]),
        ("traces/is_complete.sql", format!("1, {ID}"), &["trace_state"]),
        ("traces/served.sql", format!("1, {ID}"), &["retrieval"]),
        ("learning/review.sql", format!("1, {ID}"), &["review"]),
        ("learning/start.sql", format!("1, {ID}, {ID}"), &["trace", "trace_body", "trace_state", "draft"]),
        ("learning/lock_state.sql", format!("1, {ID}, {ID}"), &["trace_state"]),
        ("learning/finish.sql", format!("{memory}, {ID}, null"), &["trace_state", "draft", "memory_stat"]),
        ("learning/add_step.sql", memory, &[]),
        ("lessons/same_text.sql", format!("1, array[{ID}]::uuid[], array['x']"), &["memory", "memory_stat"]),
        ("lessons/lock.sql", format!("1, {ID}, array[{ID}]::uuid[]"), &["memory_stat", "utility_event"]),
        ("lessons/made_by.sql", format!("1, {ID}"), &["memory", "memory_stat", "review"]),
        ("lessons/absorbers.sql", format!("1, array[{ID}]::uuid[]"), &["memory_stat"]),
        ("lessons/released.sql", format!("1, array[{ID}]::uuid[], {ID}"), &["memory_stat"]),
        ("memories/serve.sql", format!("1, array[{ID}]::uuid[]"), &["memory", "memory_stat"]),
    ];
    for (file, values, tables) in statements {
        let plan = plan(&mut connection, &statement(file), &values).await;

        assert!(!plan.contains("Seq Scan"), "{file}: {plan}");
        for table in tables {
            assert_eq!(partitions(&plan, table).len(), 1, "{file}, {table}: {plan}");
        }
    }
}
