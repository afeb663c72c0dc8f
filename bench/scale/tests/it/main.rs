//! The statements of the benchmark against the migrated schema, because the benchmark itself runs at size only by hand.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

use std::path::Path;

use reflect_test_support::TestDb;
use sqlx::{AssertSqlSafe, Executor, PgConnection, SqlSafeStr};

/// Binary data without rows.
const NO_ROWS: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0\xff\xff";

fn statements() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(path).unwrap())
        })
        .collect()
}

async fn copy(connection: &mut PgConnection, statement: &str, data: &[u8]) {
    let mut copy = connection.copy_in_raw(statement).await.unwrap();
    copy.send(data).await.unwrap();
    assert_eq!(copy.finish().await.unwrap(), 0);
}

#[tokio::test]
async fn every_statement_is_understood_by_the_schema() {
    let db = TestDb::create().await;
    let mut connection = db.superuser().await;
    let statements = statements();
    assert!(statements.len() > 25, "only {} files were found", statements.len());
    let probe = statements.iter().find(|(name, _)| name == "table_probe.sql").unwrap();
    connection.execute(AssertSqlSafe(probe.1.clone())).await.unwrap();

    for (name, text) in statements {
        match name.as_str() {
            "copy_memories.sql" => copy(&mut connection, &text, b"").await,
            "copy_vectors.sql" => copy(&mut connection, &text, NO_ROWS).await,
            _ => {
                let prepared = connection.prepare(AssertSqlSafe(text).into_sql_str()).await;
                assert!(prepared.is_ok(), "{name}: {:?}", prepared.err());
            }
        }
    }
}

#[tokio::test]
async fn what_preparing_does_not_check_can_be_executed() {
    let db = TestDb::create().await;
    let mut connection = db.superuser().await;

    for (name, text) in statements().into_iter().filter(|(name, _)| {
        [
            "dump_locks.sql",
            "obstacle.sql",
            "expired_partitions.sql",
            "maintenance_work.sql",
            "drop_term_indexes.sql",
            "build_term_indexes.sql",
        ]
        .contains(&name.as_str())
    }) {
        connection.execute("begin; insert into project (slug) values ('scale-1')").await.unwrap();
        let done = connection.execute(AssertSqlSafe(text)).await;
        assert!(done.is_ok(), "{name}: {:?}", done.err());
        connection.execute("rollback").await.unwrap();
    }
}
