//! Moving a project: rows as lines, lines as rows, and nobody finds the project before all of them are here.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::rngs::SmallRng;
use reflect_store::{
    ImportMark, LEFT_BEHIND, MOVED_TABLES, MovedRow, ProjectCtx, Snapshot, SpaceNumbers, Store, StoreError,
};
use reflect_types::{ProjectSlug, TraceId};
use sqlx::Executor;

use crate::{given, ledger};

async fn lines(snapshot: &mut Snapshot, table: &str) -> Vec<MovedRow> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = snapshot.rows(table, after.as_ref(), &SpaceNumbers::new()).await.unwrap();
        let Some(last) = page.last() else { return all };
        after = Some(last.at.clone());
        all.extend(page);
    }
}

async fn all_lines(project: &ProjectCtx) -> Vec<(&'static str, Vec<String>)> {
    let mut snapshot = project.moving().snapshot().await.unwrap();
    let mut all = Vec::new();
    for table in MOVED_TABLES {
        let rows = lines(&mut snapshot, table).await.into_iter();
        all.push((*table, rows.map(|row| row.line).collect()));
    }
    all
}

fn slug(text: &str) -> ProjectSlug {
    text.parse().unwrap()
}

async fn begun(store: &Store, from: &ProjectCtx, name: &str) -> ImportMark {
    let project = from.moving().snapshot().await.unwrap().project().await.unwrap();
    store.imports().begin(&slug(name), "pack", &project).await.unwrap()
}

async fn import_part(
    store: &Store,
    mark: &ImportMark,
    table: &str,
    lines: &[String],
) -> Result<(), StoreError> {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    store.project(mark.project).moving().import_part(mark, table, &lines, &SpaceNumbers::new()).await
}

#[tokio::test]
async fn every_table_of_projects_moves_or_stays_for_a_reason() {
    let (db, _store) = given::store().await;
    let tables: Vec<String> = sqlx::query_scalar(
        "select c.relname::text from pg_class c
         where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and not c.relispartition
           and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'project_id')",
    )
    .fetch_all(&mut db.superuser().await)
    .await
    .unwrap();

    let named = MOVED_TABLES.iter().chain(LEFT_BEHIND.iter().map(|(table, _)| table));
    let named: BTreeSet<String> = named.map(|table| (*table).to_owned()).collect();

    assert_eq!(named, tables.into_iter().collect(), "a table is forgotten, or is no more");
    assert!(LEFT_BEHIND.iter().all(|(_, reason)| reason.len() > 20));
}

#[tokio::test]
async fn rows_arrive_as_they_were_also_old_ones_and_those_with_nothing_in_them() {
    let ((here_db, here), (there_db, there)) = (given::store().await, given::store().await);
    let from = given::project(&here, "p").await;
    for _ in 0..3 {
        from.traces().record(&given::reviewed("a"), None).await.unwrap();
    }
    // A run of half a year ago has no partition of its own here yet, and a body that is compressed.
    let old = uuid::Uuid::new_v7(uuid::Timestamp::from_unix_time(seconds_ago(150), 0, 0, 0));
    let long = "\"état\\n\",".repeat(100);
    let old = reflect_store::NewTraceRow {
        trace_id: TraceId::from_uuid(old),
        body: reflect_store::Body::encode(&format!("[{long} 1]")),
        ..given::trace("old")
    };
    from.traces().record(&old, None).await.unwrap();
    let number: i32 = sqlx::query_scalar("select project_id from project")
        .fetch_one(&mut here_db.superuser().await)
        .await
        .unwrap();
    // Nothing and the JSON `null` are two things.
    let nothing = format!(
        "insert into idempotency values ({number}, 'nothing', sha256('a'), null), ({number}, 'null', sha256('a'), 'null')"
    );
    here_db.superuser().await.execute(sqlx::AssertSqlSafe(nothing)).await.unwrap();

    let mut mark = begun(&there, &from, "q").await;
    let moment = chrono::DateTime::from_timestamp(i64::try_from(seconds_ago(150)).unwrap(), 0).unwrap();
    there.imports().make_past_partitions(moment, std::time::SystemTime::now().into()).await.unwrap();
    for (table, lines) in all_lines(&from).await.iter().filter(|(_, lines)| !lines.is_empty()) {
        import_part(&there, &mark, table, lines).await.unwrap();
        mark.parts += 1;
    }

    assert_eq!(all_lines(&there.project(mark.project)).await, all_lines(&from).await);
    assert!(there.catalogue().find_project(&slug("q")).await.unwrap().is_none());
    assert!(there.catalogue().ensure_project(&slug("q"), &given::actor()).await.is_err());
    there.imports().finish(&mark, &slug("q"), &given::actor()).await.unwrap();
    assert_eq!(there.catalogue().find_project(&slug("q")).await.unwrap(), Some(mark.project));
    let arrived = there.project(mark.project).traces().get(old.trace_id).await.unwrap();
    assert_eq!(arrived.task, "old");
    for question in [
        "select count(*) from trace_default",
        "select count(*) from idempotency where key = 'nothing' and answer is not null",
    ] {
        let count: i64 =
            sqlx::query_scalar(question).fetch_one(&mut there_db.superuser().await).await.unwrap();
        assert_eq!(count, 0, "{question}");
    }
}

fn seconds_ago(days: u64) -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    now.as_secs() - days * 24 * 60 * 60
}

#[tokio::test]
async fn a_part_counts_once_and_a_name_belongs_to_one_import() {
    let (_db, store) = given::store().await;
    let from = given::project(&store, "p").await;
    from.traces().record(&given::reviewed("a"), None).await.unwrap();
    let reviews = lines(&mut from.moving().snapshot().await.unwrap(), "review").await;
    let reviews: Vec<String> = reviews.into_iter().map(|row| row.line).collect();
    let mark = begun(&store, &from, "q").await;

    import_part(&store, &mark, "review", &reviews).await.unwrap();
    let again = import_part(&store, &mark, "review", &reviews).await;

    assert!(matches!(again, Err(StoreError::Conflict { .. })), "{again:?}");
    let resumed = begun(&store, &from, "q").await;
    assert_eq!((resumed.project, resumed.parts), (mark.project, 1));
    assert_eq!(
        lines(&mut store.project(mark.project).moving().snapshot().await.unwrap(), "review").await.len(),
        1
    );
    let project = from.moving().snapshot().await.unwrap().project().await.unwrap();
    for (name, pack) in [("q", "another pack"), ("p", "pack")] {
        let refused = store.imports().begin(&slug(name), pack, &project).await;
        assert!(matches!(refused, Err(StoreError::Conflict { .. })), "{name}: {refused:?}");
    }
}

#[tokio::test]
async fn a_snapshot_is_of_one_moment_and_a_changed_row_has_another_version() {
    let (_db, store) = given::store().await;
    let project = given::project(&store, "p").await;
    let run = given::reviewed("a");
    project.traces().record(&run, None).await.unwrap();
    let mut before = project.moving().snapshot().await.unwrap();
    let states = lines(&mut before, "trace_state").await;
    let last = states.last().unwrap().at.clone();
    let sum: i128 = states.iter().map(|row| i128::from(row.version)).sum();

    project.traces().record(&given::trace("b"), None).await.unwrap();
    project.traces().delete(&[run.trace_id], &given::actor(), None).await.unwrap();

    assert_eq!(lines(&mut before, "trace_state").await, states);
    assert_eq!(before.versions("trace_state", None, &last).await.unwrap(), (1, sum));
    drop(before);
    let mut after = project.moving().snapshot().await.unwrap();
    assert_ne!(after.versions("trace_state", None, &last).await.unwrap(), (1, sum));
}

#[tokio::test]
async fn memories_of_an_earlier_version_arrive_without_a_lesson() {
    let (db, store) = given::store().await;
    let from = given::project(&store, "p").await;
    let run = given::reviewed("a");
    from.traces().record(&run, None).await.unwrap();
    let memory = ledger::memory(&mut SmallRng::seed_from_u64(1), &[]);
    let review = run.review.as_ref().unwrap().review_id;
    from.learning().finish(run.trace_id, review, &memory).await.unwrap().unwrap();
    let stats = lines(&mut from.moving().snapshot().await.unwrap(), "memory_stat").await;
    let earlier = stats.iter().map(|row| {
        let mut line: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&row.line).unwrap();
        line.retain(|name, _| !["lesson_id", "advice", "superseded_by", "absorbed"].contains(&name.as_str()));
        serde_json::to_string(&line).unwrap()
    });
    let earlier: Vec<String> = earlier.collect();
    let mark = begun(&store, &from, "q").await;

    import_part(&store, &mark, "memory_stat", &earlier).await.unwrap();

    let ungrouped =
        "select count(*) from memory_stat where project_id = $1 and lesson_id is null and absorbed is null";
    let ungrouped: i64 = sqlx::query_scalar(ungrouped)
        .bind(mark.project.number())
        .fetch_one(&mut db.superuser().await)
        .await
        .unwrap();
    assert_eq!(ungrouped, 1);
}
