//! Whether memories help, asked over HTTP. Which arm a run is in is set in the database, as the lot would have.

use std::time::{Duration, SystemTime};

use reflect_test_support::{TestApp, trace};
use reflect_types::{ProjectSlug, Scope};
use serde_json::{Value, json};
use sqlx::Executor;
use uuid::{NoContext, Timestamp, Uuid};

/// Runs of which some passed. Their metadata says in which arm they are to be.
fn runs(arm: Option<u8>, reviewed: usize, passed: usize) -> Vec<Value> {
    let run = |number: usize| {
        let mut run = trace();
        run["metadata"] = json!({ "arm": arm });
        run["review"] = json!({ "result": if number < passed { "pass" } else { "fail" } });
        run
    };
    (0..reviewed).map(run).collect()
}

async fn given(app: &TestApp, runs: &[Value]) -> Vec<String> {
    let mut ids = Vec::new();
    for batch in runs.chunks(100) {
        let stored = app.post("/traces/batch", &json!({ "traces": batch })).await.expect(200).json();
        let results = stored["results"].as_array().unwrap();
        ids.extend(results.iter().map(|result| result["trace_id"].as_str().unwrap().to_owned()));
    }
    draw(app).await;
    ids
}

async fn draw(app: &TestApp) {
    let drawn = "update trace set arm = (metadata ->> 'arm')::smallint";
    app.db.superuser().await.execute(drawn).await.unwrap();
}

async fn uplift(app: &TestApp, query: &str) -> Value {
    app.get(&format!("/uplift{query}")).await.expect(200).json()
}

fn points(value: &Value) -> f64 {
    (value.as_f64().unwrap() * 1000.0).round() / 10.0
}

#[tokio::test]
async fn the_difference_comes_with_its_interval_and_what_would_settle_it() {
    let app = TestApp::start().await;
    // Neither another project's runs nor runs of no arm count.
    let other: ProjectSlug = "other".parse().unwrap();
    let other_key = app.new_key(Some(&other), Scope::ALL).await;
    let theirs = json!({ "traces": runs(Some(0), 40, 40) });
    app.send("POST", "/v1/projects/other/traces/batch", Some(&other_key), &[], Some(&theirs))
        .await
        .expect(200);
    given(&app, &[runs(Some(1), 100, 75), runs(Some(0), 10, 6), runs(None, 30, 30)].concat()).await;

    let answer = uplift(&app, "").await;

    assert_eq!(answer["causal"], true);
    let with = json!({ "runs": 100, "reviewed": 100, "passed": 75, "pass_rate": 0.75 });
    assert_eq!(answer["with_memories"], with);
    assert_eq!(answer["without_memories"]["reviewed"], 10);
    let difference = &answer["difference"];
    let seen = [&difference["value"], &difference["low"], &difference["high"]].map(points);
    assert_eq!(seen, [15.0, -10.0, 44.7]);
    assert_eq!((&answer["settled"], &answer["more_held_out_reviews"]), (&json!(false), &json!(27)));
    assert_eq!((&answer["reason"], &answer["corrected"]), (&Value::Null, &Value::Null));
    assert!(answer["message"].as_str().unwrap().contains("About 27 more reviews"), "{answer}");

    let corrected = uplift(&app, "?review_error=0.1").await;
    assert_eq!(points(&corrected["difference"]["value"]), 15.0);
    assert_eq!(points(&corrected["corrected"]["value"]), 18.8);
}

#[tokio::test]
async fn without_a_holdout_the_answer_says_so_and_how_to_switch_it_on() {
    let app = TestApp::start().await;
    assert_eq!(uplift(&app, "").await["difference"], Value::Null);
    let mut with = runs(None, 20, 18);
    for run in &mut with {
        run["retrieved_memory_ids"] = json!([Uuid::now_v7()]);
    }
    given(&app, &[with, runs(None, 20, 2)].concat()).await;

    let answer = uplift(&app, "").await;

    assert_eq!((&answer["causal"], &answer["settled"]), (&json!(false), &json!(false)));
    assert_eq!(points(&answer["difference"]["value"]), 80.0);
    assert_eq!(answer["more_held_out_reviews"], Value::Null);
    assert!(answer["reason"].as_str().unwrap().contains("held out"), "{answer}");
    let message = answer["message"].as_str().unwrap();
    assert!(message.starts_with("Not causal") && message.contains("\"holdout_rate\": 0.1"), "{message}");
}

#[tokio::test]
async fn only_the_verdict_that_stands_counts() {
    let app = TestApp::start().await;
    let ids = given(&app, &runs(Some(1), 4, 4)).await;
    given(&app, &runs(Some(0), 1, 0)).await;
    let replaced = json!({ "reviews": [{ "trace_id": ids[0], "result": "fail", "replace": true }] });
    app.post("/reviews/batch", &replaced).await.expect(200);
    let review = app.path(&format!("/traces/{}/review", ids[1]));
    app.send("DELETE", &review, Some(&app.key), &[], None).await.expect(200);

    let answer = uplift(&app, "").await;

    let with = &answer["with_memories"];
    assert_eq!((&with["runs"], &with["reviewed"], &with["passed"]), (&json!(4), &json!(3), &json!(2)));
}

#[tokio::test]
async fn runs_before_a_moment_can_be_left_out() {
    let app = TestApp::start().await;
    let mut old = runs(Some(1), 5, 5);
    for run in &mut old {
        let then = SystemTime::now() - Duration::from_secs(10 * 24 * 60 * 60);
        let seconds = then.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
        run["trace_id"] = json!(Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0)));
    }
    given(&app, &[old, runs(Some(1), 3, 3)].concat()).await;
    let moment =
        "select to_char(now() at time zone 'utc' - interval '5 days', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
    let moment: String = sqlx::query_scalar(moment).fetch_one(&mut app.db.superuser().await).await.unwrap();

    let recent = uplift(&app, &format!("?since={moment}")).await;
    assert_eq!((&recent["with_memories"]["runs"], &recent["since"]), (&json!(3), &json!(moment)));
    for everything in ["", "?since=1900-01-01T00:00:00Z", "?since=1970-01-01T00:00:00-02:00"] {
        assert_eq!(uplift(&app, everything).await["with_memories"]["runs"], 8, "{everything}");
    }
    assert_eq!(uplift(&app, "?since=9999-01-01T00:00:00Z").await["with_memories"]["runs"], 0);
}

#[tokio::test]
async fn a_bad_question_about_uplift_is_refused() {
    let app = TestApp::start().await;
    for query in [
        "since=yesterday",
        "since=",
        "review_error=0.5",
        "review_error=-0.1",
        "review_error=NaN",
        "review_error=x",
    ] {
        assert_eq!(
            app.get(&format!("/uplift?{query}")).await.expect(422).code(),
            "invalid_request",
            "{query}"
        );
    }
    app.get("/uplift?review_error=0&unknown=1").await.expect(200);
}
