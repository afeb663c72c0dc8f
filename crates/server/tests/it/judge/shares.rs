//! Which runs a judge looks at, when, and what it may cost.

use serde_json::json;

use super::{
    always, given, judge_all, judgement, number, pending, set, status, store_all, stored, switch_on, trace,
};

#[tokio::test]
async fn it_looks_at_the_share_it_is_asked_for_and_keeps_back_the_share_it_is_asked_for() {
    let model = always("pass");
    let app = given(&model).await;
    let ids = store_all(&app, (0..400).map(|number| pending(&format!("case {number}"))).collect()).await;
    switch_on(&app, json!({ "sample_rate": 0.5, "blind_share": 0.4 })).await;

    judge_all(&app).await;

    let week = &status(&app).await["last_week"];
    let count = |name: &str| week[name].as_f64().unwrap();
    // Five standard deviations: once in a million runs of this test.
    let near = |count: f64, all: f64, share: f64| {
        (count - all * share).abs() <= 5.0 * (all * share * (1.0 - share)).sqrt()
    };
    assert!(near(count("judged"), 400.0, 0.5), "{week}");
    assert!(near(count("blind"), count("judged"), 0.4), "{week}");
    assert_eq!(count("applied"), count("judged") - count("blind"), "{week}");
    assert_eq!(model.calls() as f64, count("judged"));
    // What is kept back moves nothing and is shown to nobody before they have decided.
    let project = app.app.engine().store.project(app.project_id().await);
    let mut blind = None;
    for id in &ids {
        if judgement(&app, id).await.is_some_and(|kept| kept.blind) {
            blind = Some(id.clone());
        }
    }
    let blind = blind.unwrap();
    assert!(trace(&app, &blind).await["review"].is_null());
    let shown = async || project.judgements().get_visible(blind.parse().unwrap()).await.unwrap();
    assert_eq!(shown().await, None);
    app.post("/reviews/batch", &json!({ "reviews": [{ "trace_id": blind, "result": "fail" }] }))
        .await
        .expect(200);
    assert!(shown().await.is_some_and(|kept| kept.blind && kept.applied_review.is_none()));
    let open =
        number(&app, "select count(*) from judgement where not blind and applied_review is null").await;
    assert_eq!(open, 0);
}

#[tokio::test]
async fn it_lets_others_go_first_and_looks_at_nothing_while_it_is_off() {
    let model = always("pass");
    let app = given(&model).await;
    let waiting = stored(&app, &pending("case 1")).await;
    let queue = async || app.app.engine().judge.queue_pending().await.unwrap();

    assert_eq!(queue().await, 0, "it is off unless somebody switches it on");
    set(&app, json!({ "judge": { "enabled": true } })).await;
    assert_eq!(queue().await, 0, "the run is younger than half a minute");

    set(&app, json!({ "judge": { "delay_seconds": 0 } })).await;
    assert_eq!(queue().await, 1);
    assert_eq!(queue().await, 0, "it is in the queue already");
    // Somebody was faster: nobody is asked.
    app.post("/reviews/batch", &json!({ "reviews": [{ "trace_id": waiting, "result": "pass" }] }))
        .await
        .expect(200);
    app.learn().await;
    assert_eq!((model.calls(), judgement(&app, &waiting).await), (0, None));

    // Switched off between the queue and the look.
    let late = stored(&app, &pending("case 2")).await;
    assert_eq!(queue().await, 1);
    set(&app, json!({ "judge": { "enabled": false } })).await;
    app.learn().await;
    assert_eq!((model.calls(), judgement(&app, &late).await), (0, None));
    assert_eq!(status(&app).await["state"], "off");
}

#[tokio::test]
async fn an_empty_purse_waits_for_tomorrow_and_says_so() {
    let model = always("pass");
    let app = given(&model).await;
    let ids = store_all(&app, (0..3).map(|number| pending(&format!("case {number}"))).collect()).await;
    let project = app.app.engine().store.project(app.project_id().await);
    switch_on(&app, json!({ "daily_tokens": 1 })).await;

    // Three were queued while there was money, and the first spent it.
    assert_eq!(app.app.engine().judge.queue_pending().await.unwrap(), 3);
    app.learn().await;

    assert_eq!(model.calls(), 1);
    let spent = status(&app).await;
    assert_eq!(spent["state"], "spent");
    assert!(spent["message"].as_str().unwrap().contains("The judge's budget of 1 tokens"), "{spent}");
    assert!(spent["tokens_today"].as_u64().unwrap() > 1);
    let (all, _) = project.learning().spent_today().await.unwrap();
    assert!(all >= spent["tokens_today"].as_i64().unwrap(), "it counts with the project's");
    let later = "select count(*) from job where kind = 10 and attempts = 0 and
                 run_at > date_trunc('day', now() at time zone 'utc') at time zone 'utc' + interval '1 day' - interval '1 second'";
    assert_eq!(number(&app, later).await, 2);

    // The project's own limit holds for the judge too.
    set(&app, json!({ "daily_tokens": 1, "judge": { "daily_tokens": null } })).await;
    app.learn().await;
    assert_eq!(model.calls(), 1);
    assert!(status(&app).await["message"].as_str().unwrap().contains("The project's budget"));

    set(&app, json!({ "daily_tokens": null })).await;
    app.learn().await;
    assert_eq!(model.calls(), 3, "a setting that changed is what they waited for");
    for id in &ids {
        assert!(judgement(&app, id).await.is_some());
    }
}

#[tokio::test]
async fn a_run_behind_many_that_are_pending_for_good_is_found() {
    let model = always("pass");
    let app = given(&model).await;
    let oldest = stored(&app, &pending("the oldest")).await;
    let newer = store_all(&app, (0..1_010).map(|number| pending(&format!("case {number}"))).collect()).await;
    switch_on(&app, json!({})).await;
    // All but the oldest were looked at, and nobody could tell.
    let told = format!(
        "insert into judgement (project_id, trace_id, verdict, model, rubric_digest, blind)
         select project_id, trace_id, 2, 'judge-1', sha256('x'), false from trace_state where trace_id <> '{oldest}'"
    );
    super::sql(&app, &told).await;
    assert_eq!(newer.len(), 1_010);

    reflect_test_support::judge_traces(&app, 1_011).await;

    assert!(judgement(&app, &oldest).await.is_some());
    assert_eq!(model.calls(), 1);
}
