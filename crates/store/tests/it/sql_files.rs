//! Every statement is understood by the migrated schema, also the ones no test happens to run.

use std::path::{Path, PathBuf};

use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};

use crate::given;

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[tokio::test]
async fn every_sql_file_can_be_prepared() {
    let (db, _store) = given::store().await;
    let mut connection = db.superuser().await;
    let files = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("sql"));
    assert!(files.len() > 30, "only {} files were found", files.len());
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let prepared = connection.prepare(AssertSqlSafe(text).into_sql_str()).await;
        assert!(prepared.is_ok(), "{}: {:?}", file.display(), prepared.err());
    }
}
