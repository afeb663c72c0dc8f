//! An erasure during which the server is killed, and what is left on the disk afterwards.

use std::path::Path;
use std::time::{Duration, Instant};

use reflect_test_support::TestDb;
use serde_json::{Value, json};
use sqlx::{Connection, Executor, PgConnection};

use crate::process::{Server, key};

const PATIENCE: Duration = Duration::from_secs(90);
const CANARY: &str = "canary-7f3a-of-a-subject";
const RUNS: usize = 120;

fn call(server: &Server, key: &str, method: &str, path: &str, body: &Value) -> Value {
    let head = format!(
        "{method} /v1/projects/p{path} HTTP/1.1\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\n"
    );
    let answer = server.request(&head, &body.to_string());
    assert!(answer.starts_with("HTTP/1.1 20"), "{method} {path}: {answer}");
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let (start, end) = (body.find('{').unwrap(), body.rfind('}').unwrap());
    serde_json::from_str(&body[start..=end]).unwrap()
}

fn wait_for(server: &Server, key: &str, id: &str, is: impl Fn(&Value) -> bool) -> Value {
    let end = Instant::now() + PATIENCE;
    loop {
        let erasure = call(server, key, "GET", &format!("/erasures/{id}"), &json!({}));
        if is(&erasure) {
            return erasure;
        }
        assert!(Instant::now() < end, "{erasure}");
        std::thread::yield_now();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erasure_survives_a_kill_and_leaves_no_live_row() {
    let db = TestDb::create().await;
    let key = key(&db, &["--master"]);
    let server = Server::start(&db, &[]);
    let run = |subject: &str| {
        json!({ "task": format!("help {subject}: {CANARY} {subject}"), "metadata": { "subject": subject },
                "trajectory": [{ "role": "user", "content": CANARY }],
                "review": { "result": "fail", "reflection": { "summary": CANARY } } })
    };
    for _ in 0..RUNS / 60 {
        let runs: Vec<Value> = (0..60).map(|_| run("ann")).collect();
        call(&server, &key, "POST", "/traces/batch", &json!({ "traces": runs }));
    }
    let other = call(&server, &key, "POST", "/traces", &json!({ "task": "kept-text", "trajectory": [] }));
    // The last run is locked, so the erasure stops there.
    let mut holder = db.superuser().await;
    let first_log_file: String = sqlx::query_scalar("select pg_walfile_name(pg_current_wal_lsn())")
        .fetch_one(&mut holder)
        .await
        .unwrap();
    // Postgres does this automatically from time to time. Its statistics must not outlive the rows.
    holder.execute("analyze").await.unwrap();
    let mut held = holder.begin().await.unwrap();
    held.execute("select from trace where subject = 'ann' order by trace_id desc limit 1 for update")
        .await
        .unwrap();
    let id = call(&server, &key, "POST", "/erasures", &json!({ "subject": "ann" }));
    let id = id["id"].as_str().unwrap().to_owned();
    let halfway = wait_for(&server, &key, &id, |erasure| erasure["traces"] == 100);
    assert_eq!(halfway["state"], "running");

    server.signal("KILL");
    server.end();
    held.rollback().await.unwrap();
    let server = Server::start(&db, &[]);
    let report = wait_for(&server, &key, &id, |erasure| erasure["state"] == "done");

    assert_eq!(
        (&report["traces"], &report["removed"]["trace"], &report["removed"]["memory"]),
        (&json!(RUNS), &json!(RUNS), &json!(RUNS))
    );
    assert_eq!(db.tables_with(CANARY).await, Vec::<String>::new());
    call(&server, &key, "GET", &format!("/traces/{}", other["id"].as_str().unwrap()), &json!({}));
    server.signal("TERM");
    server.end();
    holder.execute("vacuum").await.unwrap();
    holder.execute("checkpoint").await.unwrap();
    assert_eq!(db.tables_with(CANARY).await, Vec::<String>::new());
    report_disk(&mut holder, &first_log_file).await;
}

/// Reports where on the disk the canary is still found. The product does not guarantee this, so nothing is asserted.
#[expect(clippy::print_stdout, reason = "what is left on the disk is for people to read")]
async fn report_disk(database: &mut PgConnection, first_log_file: &str) {
    let folder: String = sqlx::query_scalar("show data_directory").fetch_one(&mut *database).await.unwrap();
    let own: i64 = sqlx::query_scalar("select oid::int8 from pg_database where datname = current_database()")
        .fetch_one(&mut *database)
        .await
        .unwrap();
    let folder = Path::new(&folder);
    let Ok(files) = std::fs::read_dir(folder.join("base").join(own.to_string())) else {
        println!(
            "erasure: the folder of the database cannot be read from here, so its files were not searched"
        );
        return;
    };
    let mut tables = Vec::new();
    for file in files.flatten().filter(|file| holds_canary(&file.path())) {
        let node = file.file_name().to_string_lossy().split(['.', '_']).next().unwrap_or_default().to_owned();
        let name = sqlx::query_scalar(
            "select coalesce(pg_filenode_relation(0, $1::text::oid)::text, 'nothing any more')",
        );
        let name: String = name.bind(&node).fetch_one(&mut *database).await.unwrap();
        tables.push(name);
    }
    let log = std::fs::read_dir(folder.join("pg_wal")).into_iter().flatten().flatten();
    let log = log.filter(|file| file.file_name().to_string_lossy().as_ref() >= first_log_file);
    let log = log.filter(|file| file.path().is_file() && holds_canary(&file.path())).count();
    println!(
        "erasure: after vacuum the canary stands in pages of {tables:?} and in {log} files of the write-ahead log"
    );
}

fn holds_canary(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    memchr::memmem::find(&bytes, CANARY.as_bytes()).is_some()
}
