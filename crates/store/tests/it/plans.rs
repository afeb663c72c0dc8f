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
                    set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off";
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
        "1, array[sha256('x')], array[{ID}]::uuid[], uuid_at(now() - interval '1 hour'), uuid_at(now() + interval '1 day'), \
         array[{ID}]::uuid[], array[{ID}]::uuid[]"
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
    let statements: [(&str, String, &[&str]); 24] = [
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
        (
            "signals/awaiting.sql",
            format!("1, array[{ID}]::uuid[], array['trace_id'], array[{ID}]::text[]"),
            &["signal"],
        ),
        ("signals/of_run.sql", format!("1, {ID}"), &["signal_match", "signal"]),
        ("signals/run.sql", format!("1, {ID}"), &["trace", "trace_state", "review", "signal_wait"]),
        ("spans/waiting.sql", "1, 100".to_owned(), &["otlp_run"]),
        (
            "spans/open_runs.sql",
            format!(
                "1, array[{ID}]::uuid[], array[{ID}]::uuid[], array[true], array[true], {ID}, 'k', 1::smallint, 10, 1800, 5"
            ),
            &["otlp_run"],
        ),
        ("spans/parts.sql", format!("1, {ID}"), &["otlp_part"]),
        ("spans/traces_of_runs.sql", format!("1, array[{ID}]::uuid[]"), &["otlp_run"]),
        (
            "webhooks/due.sql",
            format!("1, {ID}, 8, 31"),
            &["webhook_delivery", "webhook_endpoint", "webhook_event"],
        ),
        ("webhooks/lock_receivers.sql", "1, 31".to_owned(), &["webhook_endpoint"]),
    ];
    for (file, values, tables) in statements {
        let plan = plan(&mut connection, &statement(file), &values).await;

        for whole in ["Seq Scan", "Hash Join", "Merge Join"] {
            assert!(!plan.contains(whole), "{file}: {plan}");
        }
        for table in tables {
            assert_eq!(partitions(&plan, table).len(), 1, "{file}, {table}: {plan}");
        }
    }
}

/// A plan that is kept may have been made for a project where it is cheaper to read all memories.
#[tokio::test]
async fn served_texts_are_not_joined_with_all_memories_of_the_project() {
    let (db, store) = given::store().await;
    given::project(&store, "p").await;
    let fill = "with made as (
                  insert into memory (project_id, memory_id, origin, task, reflection)
                  select 1, gen_random_uuid(), 3, 't', 'r' from generate_series(1, 500)
                  returning memory_id
                )
                insert into memory_stat (project_id, memory_id) select 1, memory_id from made";
    for prepared in [fill, "vacuum analyze memory", "vacuum analyze memory_stat"] {
        db.superuser().await.execute(prepared).await.unwrap();
    }
    let mut connection = connection(&db).await;
    let serve = statement("memories/serve.sql");
    let values = format!("1, array[{ID}]::uuid[]");

    let kept = plan(&mut connection, &serve, &values).await;
    connection.execute("set enable_hashjoin = on; set enable_mergejoin = on").await.unwrap();
    let joined = plan(&mut connection, &serve, &values).await;

    let reads_all = |plan: &str| plan.contains("Hash Join") || plan.contains("Merge Join");
    assert!(!reads_all(&kept), "{kept}");
    assert!(reads_all(&joined), "the test must see a join with all memories: {joined}");
}

/// Most actions are those of the server, one for each run that joins a lesson.
#[tokio::test]
async fn actions_of_callers_are_found_without_those_of_the_server() {
    let (db, store) = given::store().await;
    given::project(&store, "p").await;
    let fill = "insert into action (project_id, action_id, actor, kind)
                select 1, gen_random_uuid(), case when number <= 5 then 'ann' else 'server' end, 'lesson.join'
                from generate_series(1, 5000) number";
    for prepared in [fill, "vacuum analyze action"] {
        db.superuser().await.execute(prepared).await.unwrap();
    }
    let mut connection = connection(&db).await;
    let values = format!("1, {ID}, 100");

    let callers = plan(&mut connection, &statement("actions/list.sql"), &values).await;
    let all = plan(&mut connection, &statement("actions/list_all.sql"), &values).await;

    assert!(callers.contains("action_of_callers"), "{callers}");
    assert!(!all.contains("action_of_callers"), "{all}");
}

/// The conditions of index scans in a plan.
fn index_conditions(plan: &str) -> String {
    let lines = plan.lines().filter(|line| line.contains("Index Cond:"));
    lines.collect::<Vec<_>>().join("\n")
}

/// A condition that is checked for each row would read all earlier rows again in each batch.
#[tokio::test]
async fn retention_finds_its_place_by_index() {
    let (db, _store) = given::store().await;
    let mut connection = connection(&db).await;
    let statements = [
        ("retention/traces.sql", "1, 30", "trace_id"),
        ("retention/bodies.sql", "1, 30", "trace_id"),
        ("retention/retrievals.sql", "1, 30", "retrieval_id"),
        ("reviews/sweep_feedback.sql", "1", "trace_id"),
    ];
    for (file, values, column) in statements {
        let batch = statement(file);
        let continues = format!("({column} > (InitPlan");

        let kept = plan(&mut connection, &batch, values).await;
        let start = "coalesce((select reached from at), '00000000-0000-0000-0000-000000000000')";
        let checked = batch.replace("(select reached from start)", start);
        let checked = plan(&mut connection, &checked, values).await;

        assert!(index_conditions(&kept).contains(&continues), "{file}: {kept}");
        assert!(
            !index_conditions(&checked).contains(&continues),
            "{file}: the test must see a filter: {checked}"
        );
    }
}

#[tokio::test]
async fn the_review_queue_finds_receipts_by_index() {
    let (db, _store) = given::store().await;
    let mut connection = connection(&db).await;
    // There are no receipts, so it would be cheap to keep them all in memory.
    connection.execute("set enable_material = off").await.unwrap();
    let degraded = statement("review_queue/degraded.sql");
    let values = format!("1, array[{ID}]::uuid[]");
    let by_index = "(retrieval_id = CASE";

    let kept = plan(&mut connection, &degraded, &values).await;
    let coalesced = degraded.replace(
        "case when t.linked_retrieval is null then t.retrieval_id else t.linked_retrieval end",
        "coalesce(t.linked_retrieval, t.retrieval_id)",
    );
    let coalesced = plan(&mut connection, &coalesced, &values).await;

    assert!(index_conditions(&kept).contains(by_index), "{kept}");
    assert!(!index_conditions(&coalesced).contains("COALESCE"), "the test must see a filter: {coalesced}");
}

/// How many rows a statement reads of the tables whose names begin with a word.
async fn rows_read(connection: &mut PgConnection, tables: &str, statement: &str) -> i64 {
    let count = "select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint from pg_stat_xact_user_tables
                 where starts_with(relname, $1)";
    connection.execute("begin").await.unwrap();
    let before: i64 = sqlx::query_scalar(count).bind(tables).fetch_one(&mut *connection).await.unwrap();
    connection.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
    let after: i64 = sqlx::query_scalar(count).bind(tables).fetch_one(&mut *connection).await.unwrap();
    connection.execute("commit").await.unwrap();
    after - before
}

/// Erased situations keep their lesson. Each candidate of a search may ask who speaks for it.
#[tokio::test]
async fn the_speaker_of_a_lesson_is_found_without_its_erased_situations() {
    let (db, store) = given::store().await;
    given::project(&store, "p").await;
    let fill = "insert into memory_stat (project_id, memory_id, lesson_id, presence, trust)
                select 1, ('01a00000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid,
                       '01a00000-0000-7000-8000-000000000000', case when number <= 2000 then 4 else 0 end,
                       case when number = 2002 then 1 else 0 end
                from generate_series(1, 2002) number";
    for prepared in [fill, "vacuum analyze memory_stat"] {
        db.superuser().await.execute(prepared).await.unwrap();
    }
    let mut connection = connection(&db).await;
    let speaker = format!("select lesson_speaker(1, {ID})");
    let found: String = sqlx::query_scalar(AssertSqlSafe(format!("select lesson_speaker(1, {ID})::text")))
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(found, "01a00000-0000-7000-8000-000000002002", "the first is erased, the second untrusted");

    let trusted = rows_read(&mut connection, "memory_stat", &speaker).await;
    let distrust = "update memory_stat set trust = 0 where project_id = 1";
    db.superuser().await.execute(distrust).await.unwrap();
    let untrusted = rows_read(&mut connection, "memory_stat", &speaker).await;
    db.superuser().await.execute("drop index memory_stat_speaker").await.unwrap();
    let unindexed = rows_read(&mut connection, "memory_stat", &speaker).await;

    assert!(trusted < 10 && untrusted < 10, "{trusted} and {untrusted} rows");
    assert!(unindexed > 2000, "the test must see a missing index: {unindexed} rows");
}

/// 2000 memories of one lesson, and 2000 older ones with a lesson each. Only the words of the founder contain `printer`.
async fn one_large_lesson() -> (reflect_test_support::TestDb, PgConnection) {
    let (db, store) = given::store().await;
    given::project(&store, "p").await;
    let fill = "with made as (
                  insert into memory (project_id, memory_id, origin, task, reflection)
                  select 1, ('01a00000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, 3, 't',
                         case when number = 0 then 'Restart the printer.' else 'Wait for it.' end
                  from generate_series(0, 1999) number
                  returning memory_id
                )
                insert into memory_stat (project_id, memory_id, lesson_id)
                select 1, memory_id, '01a00000-0000-7000-8000-000000000000' from made";
    let others = "with made as (
                    insert into memory (project_id, memory_id, origin, task, reflection)
                    select 1, ('01900000-0000-7000-8000-' || lpad(number::text, 12, '0'))::uuid, 3, 't', 'Wait for it.'
                    from generate_series(0, 1999) number
                    returning memory_id
                  )
                  insert into memory_stat (project_id, memory_id, lesson_id) select 1, memory_id, memory_id from made";
    for prepared in [fill, others, "vacuum analyze memory", "vacuum analyze memory_stat"] {
        db.superuser().await.execute(prepared).await.unwrap();
    }
    let mut connection = connection(&db).await;
    // Lists are planned for their parameters.
    connection.execute("set plan_cache_mode = force_custom_plan").await.unwrap();
    (db, connection)
}

/// The parameters of a page of 10 memories with a text, newest first.
fn page_with_text(text: &str, each_lesson_once: bool) -> String {
    let no_conditions = ["null"; 13].join(", ");
    format!(
        "1, null, 10, 0, {no_conditions}, '{text}', true, null, {each_lesson_once}, null, null, {each_lesson_once}"
    )
}

#[tokio::test]
async fn a_page_with_a_text_does_not_read_the_project() {
    let (_db, mut connection) = one_large_lesson().await;
    let prepare = format!("prepare listed as {}", statement("curation/matching.sql"));
    connection.execute(AssertSqlSafe(prepare)).await.unwrap();

    let page = format!("execute listed ({})", page_with_text("printer", false));
    let of_a_page = rows_read(&mut connection, "memory", &page).await;
    let without_match = format!("execute listed ({})", page_with_text("phone", false));
    let of_all = rows_read(&mut connection, "memory", &without_match).await;

    assert!(of_a_page < 200, "{of_a_page} rows");
    assert!(of_all > 2000, "the test must see the whole project: {of_all} rows");
}

/// The older memories of a lesson must not be read for each of its memories.
#[tokio::test]
async fn newer_memories_of_a_lesson_are_found_by_index() {
    let (_db, mut connection) = one_large_lesson().await;
    let listed = statement("curation/matching.sql");
    let values = page_with_text("printer", true);
    let by_index = "(lesson_id = s.lesson_id) AND (memory_id > m.memory_id)";

    let kept = plan(&mut connection, &listed, &values).await;
    let filtered = listed.replace("e.situation_id > d.memory_id", "e.memory_id > d.memory_id");
    let filtered = plan(&mut connection, &filtered, &values).await;

    assert!(index_conditions(&kept).contains(by_index), "{kept}");
    assert!(!index_conditions(&filtered).contains(by_index), "the test must see a filter: {filtered}");
}
