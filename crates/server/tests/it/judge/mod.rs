//! The judge, from a pending run to a review and to what its word is worth, with scripted models.

mod agreement;
mod answers;
mod faults;
mod people;
mod shares;
mod trying;

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_engine::Models;
use reflect_model::scripted::ScriptedModel;
use reflect_server::ServerSettings;
use reflect_store::JudgementRow;
use reflect_test_support::TestApp;
use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Executor};

/// An application whose judge is this model. Lessons are put together without one.
async fn given(model: &ScriptedModel) -> TestApp {
    let models = Models { judge: Some(Arc::new(model.clone())), ..reflect_test_support::scripted_models() };
    TestApp::with_models(models, ServerSettings::default()).await
}

/// Says the same of every run.
fn always(verdict: &str) -> ScriptedModel {
    let answer = verdict_of(verdict);
    ScriptedModel::new().named("judge-1").otherwise(move |_| Ok(answer.clone()))
}

fn verdict_of(verdict: &str) -> String {
    json!({ "feedback": format!("It is a {verdict}."), "verdict": verdict }).to_string()
}

/// Switches the judge on, for runs of any age.
async fn switch_on(app: &TestApp, settings: Value) -> Value {
    let mut judge = json!({ "enabled": true, "delay_seconds": 0, "blind_share": 0.0 });
    for (name, value) in settings.as_object().unwrap() {
        judge[name] = value.clone();
    }
    set(app, json!({ "judge": judge })).await
}

async fn set(app: &TestApp, settings: Value) -> Value {
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&settings)).await.expect(200).json()
}

async fn status(app: &TestApp) -> Value {
    app.get("/judge").await.expect(200).json()
}

/// A run that nobody has reviewed.
fn pending(task: &str) -> Value {
    json!({ "task": task, "trajectory": [{ "role": "assistant", "content": "done" }] })
}

async fn stored(app: &TestApp, run: &Value) -> String {
    app.post("/traces", run).await.json()["trace_id"].as_str().unwrap().to_owned()
}

/// Many runs at once; says their ids in order.
async fn store_all(app: &TestApp, runs: Vec<Value>) -> Vec<String> {
    let mut ids = Vec::new();
    for batch in runs.chunks(100) {
        let answer = app.post("/traces/batch", &json!({ "traces": batch })).await.expect(200).json();
        let results = answer["results"].as_array().unwrap();
        ids.extend(results.iter().map(|run| run["trace_id"].as_str().unwrap().to_owned()));
    }
    ids
}

async fn review_all(app: &TestApp, verdicts: Vec<(String, &str)>) {
    for batch in verdicts.chunks(100) {
        let reviews = batch.iter().map(|(trace, result)| json!({ "trace_id": trace, "result": result }));
        let body = json!({ "reviews": reviews.collect::<Vec<_>>() });
        let answer = app.post("/reviews/batch", &body).await.expect(200).json();
        let results = answer["results"].as_array().unwrap();
        assert!(results.iter().all(|result| result["error"].is_null()), "{answer}");
    }
}

async fn trace(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/traces/{id}")).await.expect(200).json()
}

/// What the judge said of a run, whoever may see it.
async fn judgement(app: &TestApp, trace: &str) -> Option<JudgementRow> {
    let project = app.app.engine().store.project(app.project_id().await);
    project.judgements().get(trace.parse().unwrap()).await.unwrap()
}

/// Queues what waits for the judge and does all that is queued, until nothing waits and nothing is queued.
async fn judge_all(app: &TestApp) {
    let engine = app.app.engine();
    let project = engine.store.project(app.project_id().await);
    let give_up = Instant::now() + Duration::from_secs(120);
    while engine.judge.queue_pending().await.unwrap() > 0 || project.judgements().queued().await.unwrap() > 0
    {
        assert!(Instant::now() < give_up, "the judge never came to an end");
        app.learn().await;
    }
}

async fn sql(app: &TestApp, statement: &str) {
    app.db.superuser().await.execute(AssertSqlSafe(statement.to_owned())).await.unwrap();
}

async fn number(app: &TestApp, question: &'static str) -> i64 {
    sqlx::query_scalar(question).fetch_one(&mut app.db.superuser().await).await.unwrap()
}
