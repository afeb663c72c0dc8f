//! A process that dies while it judges: what was paid for, and how often.

use std::sync::Arc;
use std::time::{Duration, Instant};

use reflect_engine::{Engine, EngineSettings, Models};
use reflect_model::scripted::ScriptedModel;
use reflect_store::Store;
use reflect_test_support::TestApp;
use serde_json::json;
use sqlx::{Connection, Executor};

use super::{always, given, judgement, number, pending, sql, stored, switch_on, trace};

/// Works on the queue in a process of its own, as far as that goes, until `met`; then it is gone, whatever it was
/// doing. It says nothing and gives nothing back.
async fn work_and_die(app: &TestApp, model: &ScriptedModel, met: impl AsyncFn() -> bool) {
    let settings = app.db.settings();
    let models = Models { judge: Some(Arc::new(model.clone())), ..reflect_test_support::scripted_models() };
    let process = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    process.spawn(async move {
        let engine = Engine::new(Store::connect(&settings).await.unwrap(), models, EngineSettings::default());
        engine.worker.run_once().await.unwrap();
    });
    let give_up = Instant::now() + Duration::from_secs(60);
    while !met().await {
        assert!(Instant::now() < give_up, "it never came to the point at which it was to die");
        tokio::task::yield_now().await;
    }
    process.shutdown_background();
    // What a rescue does after some seconds: its job is given to others.
    sql(app, "update job set worker = null, turn = null, attempts = 0").await;
}

#[tokio::test]
async fn a_verdict_that_was_kept_is_not_paid_for_again() {
    let model = always("fail");
    let app = given(&model).await;
    let id = stored(&app, &pending("close the ledger")).await;
    switch_on(&app, json!({})).await;
    app.app.engine().judge.queue_pending().await.unwrap();

    // Nothing can be done to the run's state, so the judge comes as far as keeping its verdict.
    let mut held = app.db.superuser().await;
    held.execute("begin; select from trace_state for no key update").await.unwrap();
    work_and_die(&app, &model, async || judgement(&app, &id).await.is_some()).await;
    held.close().await.unwrap();
    assert!(trace(&app, &id).await["review"].is_null());

    app.learn().await;

    assert_eq!(trace(&app, &id).await["review"]["result"], "fail");
    assert_eq!(model.calls(), 1, "it was paid for once");
    assert_eq!(number(&app, "select calls::bigint from spending").await, 1);
    assert_eq!(number(&app, "select count(*) from review").await, 1);
    assert!(judgement(&app, &id).await.unwrap().applied_review.is_some());
}

#[tokio::test]
async fn an_answer_that_never_reached_the_database_is_paid_for_once_more_and_counts_once() {
    let model = always("fail");
    let app = given(&model).await;
    let id = stored(&app, &pending("close the ledger")).await;
    switch_on(&app, json!({})).await;
    app.app.engine().judge.queue_pending().await.unwrap();

    let mut held = app.db.superuser().await;
    held.execute("begin; lock table judgement in share mode").await.unwrap();
    work_and_die(&app, &model, async || model.answers().len() == 1).await;
    held.close().await.unwrap();

    reflect_test_support::judge_traces(&app, 1).await;

    assert_eq!(model.calls(), 2);
    assert_eq!(trace(&app, &id).await["review"]["result"], "fail");
    assert_eq!(number(&app, "select count(*) from review").await, 1);
    assert_eq!(number(&app, "select count(*) from judgement").await, 1);
}

#[tokio::test]
async fn a_provider_that_is_away_is_waited_for() {
    let away = reflect_model::ModelError::retry_later("nobody is there", None);
    let model = always("pass").error(away.clone()).error(away);
    let app = given(&model).await;
    let id = stored(&app, &pending("close the ledger")).await;
    switch_on(&app, json!({})).await;

    reflect_test_support::judge_traces(&app, 1).await;

    assert_eq!(model.calls(), 3);
    assert_eq!(trace(&app, &id).await["review"]["result"], "pass");
}
