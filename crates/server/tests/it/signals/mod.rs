//! Signals, from a request of another system to the review of a run, and what each source proves to be worth.

mod erasing;
mod feedback;
mod matching;
mod measuring;
mod resolving;
mod trusting;

use reflect_test_support::TestApp;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};

/// An application whose project withholds no signals.
async fn given() -> TestApp {
    let app = TestApp::start().await;
    set(&app, json!({ "blind_share": 0 })).await;
    app
}

async fn set(app: &TestApp, signals: Value) -> Value {
    let change = json!({ "signals": signals });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200).json()
}

async fn run(app: &TestApp, keys: Value) -> String {
    let mut run = reflect_test_support::trace();
    run["keys"] = keys;
    stored(app, &run).await
}

async fn stored(app: &TestApp, run: &Value) -> String {
    app.post("/traces", run).await.expect(201).json()["trace_id"].as_str().unwrap().to_owned()
}

/// Sends a signal; returns what became of it.
async fn signal(app: &TestApp, signal: Value) -> Value {
    app.post("/signals", &signal).await.expect(202).json()
}

async fn reported(app: &TestApp, source: &str, trace: &str, outcome: &str) -> Value {
    signal(app, json!({ "source": source, "trace_id": trace, "outcome": outcome })).await
}

async fn review(app: &TestApp, trace: &str) -> Value {
    app.get(&format!("/traces/{trace}")).await.expect(200).json()["review"].clone()
}

/// The result of a run and its reviewer.
async fn verdict(app: &TestApp, trace: &str) -> (String, String) {
    let review = review(app, trace).await;
    let text = |name: &str| review[name].as_str().unwrap_or("none").to_owned();
    (text("result"), text("reviewer"))
}

fn by(result: &str, reviewer: &str) -> (String, String) {
    (result.to_owned(), reviewer.to_owned())
}

async fn signals_of(app: &TestApp, trace: &str) -> Value {
    app.get(&format!("/traces/{trace}/signals")).await.expect(200).json()
}

fn meanings(found: &Value) -> Vec<String> {
    let signals = found["signals"].as_array().unwrap().iter();
    signals.map(|signal| signal["meaning"].as_str().unwrap().to_owned()).collect()
}

async fn sql(app: &TestApp, statement: &str) {
    app.db.superuser().await.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

async fn number(app: &TestApp, question: &'static str) -> i64 {
    sqlx::query_scalar(question).fetch_one(&mut app.db.superuser().await).await.unwrap()
}

/// Lets hours pass: everything that happened is that much older, and what waits is due that much earlier.
async fn hours_later(app: &TestApp, hours: u32) {
    for statement in [
        "update signal set occurred_at = occurred_at - make_interval(hours => $1)",
        "update signal_wait set until = until - make_interval(hours => $1)",
        "update job set run_at = run_at - make_interval(hours => $1) where ready_at is null",
    ] {
        let hours = i32::try_from(hours).unwrap();
        sqlx::query(statement).bind(hours).execute(&mut app.db.superuser().await).await.unwrap();
    }
}

async fn person_reviews(app: &TestApp, trace: &str, result: &str) -> Value {
    let reviews = json!({ "reviews": [{ "trace_id": trace, "result": result }] });
    let answer = app.post("/reviews/batch", &reviews).await.expect(200).json()["results"][0].clone();
    assert!(answer["error"].is_null(), "{answer}");
    answer
}
