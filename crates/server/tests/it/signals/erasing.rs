//! What was said about a run goes with it.

use std::time::Duration;

use reflect_test_support::TestApp;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{given, number, run, set, signal};

const WORDS: &str = "canary-signal";
const NONE: [String; 0] = [];

async fn said(app: &TestApp, about: Value) -> Value {
    let mut sent =
        json!({ "source": "ci", "outcome": "fail", "comment": WORDS, "url": format!("https://{WORDS}") });
    for (name, value) in about.as_object().unwrap() {
        sent[name] = value.clone();
    }
    signal(app, sent).await
}

#[tokio::test]
async fn signals_and_keys_are_deleted_with_their_run() {
    let app = given().await;
    let trace = run(&app, json!({ "session": WORDS })).await;
    said(&app, json!({ "key": { "name": "session", "value": WORDS } })).await;

    app.post("/traces/delete", &json!({ "trace_ids": [trace] })).await.expect(200);

    assert_eq!(app.db.tables_with(WORDS).await, NONE);
    for table in ["signal", "signal_match", "signal_wait", "trace_key"] {
        let rows: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(format!("select count(*) from {table}")))
            .fetch_one(&mut app.db.superuser().await)
            .await
            .unwrap();
        assert_eq!(rows, 0, "{table}");
    }
    // Nothing more is taken in about it.
    let late = json!({ "source": "ci", "trace_id": trace, "outcome": "fail", "comment": WORDS });
    app.post("/signals", &late).await.expect(404);
    assert_eq!(app.db.tables_with(WORDS).await, NONE);
}

#[tokio::test]
async fn an_erasure_removes_what_was_said_about_its_runs_and_only_that() {
    let app = given().await;
    set(&app, json!({ "matching": "all" })).await;
    let (erased, kept) =
        (run(&app, json!({ "session": "s" })).await, run(&app, json!({ "session": "s" })).await);
    said(&app, json!({ "trace_id": erased })).await;
    let never_arrived = Uuid::now_v7().to_string();
    said(&app, json!({ "trace_id": never_arrived })).await;
    signal(&app, json!({ "source": "user", "key": { "name": "session", "value": "s" }, "outcome": "pass" }))
        .await;
    app.learn().await;

    for trace in [&erased, &never_arrived] {
        app.post("/erasures", &json!({ "trace_id": trace })).await.expect(202);
    }
    app.learn().await;

    assert_eq!(app.db.tables_with(WORDS).await, NONE);
    assert_eq!(number(&app, "select count(*) from signal").await, 1);
    let left = app.get(&format!("/traces/{kept}/signals")).await.expect(200).json();
    assert_eq!(left["signals"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_deleted_project_keeps_no_signals() {
    let app = given().await;
    run(&app, json!({ "session": "s" })).await;
    said(&app, json!({ "key": { "name": "session", "value": "s" } })).await;
    said(&app, json!({ "key": { "name": "session", "value": "later" } })).await;

    app.send("DELETE", &app.path(""), Some(&app.key), &[], None).await.expect(200);
    app.app.engine().store.maintenance().purge_deleted_projects(Duration::ZERO).await.unwrap();

    assert_eq!(app.db.tables_with(WORDS).await, NONE);
    assert_eq!(number(&app, "select count(*) from signal").await, 0);
    assert_eq!(number(&app, "select count(*) from trace_key").await, 0);
}
