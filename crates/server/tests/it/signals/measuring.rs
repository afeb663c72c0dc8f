//! What a source is worth follows from its agreement with people.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use reflect_test_support::TestApp;
use reflect_types::{Scope, Trust};
use serde_json::{Value, json};

use super::{given, number, person_reviews, reported, review, run, set, signal, signals_of, verdict};

/// A GET from another process, which has measured nothing before: the agreement of a source is remembered for some seconds.
async fn get_from(service: &Router, app: &TestApp, rest: &str) -> Value {
    let request = Request::get(app.path(rest)).header("authorization", format!("Bearer {}", app.key));
    let request = request.body(Body::empty()).unwrap();
    reflect_test_support::send(service, request).await.expect(200).json()
}

async fn source(app: &TestApp, name: &str) -> Value {
    let (_other, service) = app.another().await;
    let found = get_from(&service, app, "/signals/sources").await;
    found["sources"].as_array().unwrap().iter().find(|source| source["source"] == name).unwrap().clone()
}

/// Runs with a blind signal of CI that is wrong about every `wrong`-th, and the verdict of a person on each.
async fn measured(app: &TestApp, runs: usize, wrong: usize) {
    for number in 0..runs {
        let truth = if number.is_multiple_of(2) { "pass" } else { "fail" };
        let says = match (number / 2).is_multiple_of(wrong) {
            true if truth == "pass" => "fail",
            true => "pass",
            false => truth,
        };
        let trace = run(app, json!({})).await;
        reported(app, "ci", &trace, says).await;
        app.learn().await;
        assert_eq!(review(app, &trace).await, Value::Null, "a blind signal is no review");
        person_reviews(app, &trace, truth).await;
    }
}

#[tokio::test]
async fn the_learning_rate_of_a_source_follows_its_agreement_with_people() {
    let app = given().await;
    set(&app, json!({ "blind_share": 1 })).await;

    // Every fifth is wrong: 8 of 40, half of them passes.
    measured(&app, 40, 5).await;

    let ci = source(&app, "ci").await;
    let agreement = &ci["agreement"];
    assert_eq!((&agreement["pairs"], &agreement["agreed"]), (&json!(40), &json!(32)), "{ci}");
    assert_eq!((&agreement["passes"], &agreement["passes_right"]), (&json!(20), &json!(16)));
    let expected = 2.0 * (16.0 + 3.0) / (20.0 + 4.0) - 1.0;
    assert!((agreement["informedness"].as_f64().unwrap() - expected).abs() < 1e-9, "{ci}");
    assert!((agreement["step"].as_f64().unwrap() - 0.1 * expected).abs() < 1e-9, "{ci}");
    let (low, high) = (ci["interval"][0].as_f64().unwrap(), ci["interval"][1].as_f64().unwrap());
    assert!(low < 0.8 && 0.8 < high && low > 0.6 && high < 0.95, "{ci}");
    assert_eq!(ci["stopped"], false);

    // And that is the learning rate of its next review, in a process that has measured nothing before.
    set(&app, json!({ "blind_share": 0 })).await;
    let next = run(&app, json!({})).await;
    reported(&app, "ci", &next, "fail").await;
    let (other, _) = app.another().await;
    other.engine().worker.run_once().await.unwrap();
    let alpha = review(&app, &next).await["alpha"].as_f64().unwrap();
    assert!((alpha - 0.1 * expected).abs() < 1e-6, "{alpha}");
    assert_eq!(source(&app, "ci").await["last_week"]["reviews"], 1);
}

#[tokio::test]
async fn a_source_that_knows_nothing_stops_and_is_still_measured() {
    let app = given().await;
    set(&app, json!({ "blind_share": 1 })).await;
    measured(&app, 20, 1).await;
    let ci = source(&app, "ci").await;
    assert_eq!((&ci["stopped"], &ci["agreement"]["step"]), (&json!(true), &json!(0.0)), "{ci}");

    set(&app, json!({ "blind_share": 0 })).await;
    let next = run(&app, json!({})).await;
    reported(&app, "ci", &next, "fail").await;
    let (other, service) = app.another().await;
    other.engine().worker.run_once().await.unwrap();

    assert_eq!(review(&app, &next).await, Value::Null);
    let found = get_from(&service, &app, &format!("/traces/{next}/signals")).await;
    assert_eq!(found["signals"][0]["meaning"], "stopped", "{found}");
}

#[tokio::test]
async fn reviewers_do_not_see_what_measures_a_source() {
    let app = given().await;
    set(&app, json!({ "blind_share": 1 })).await;
    let trace = run(&app, json!({})).await;
    let secret = json!({ "source": "ci", "trace_id": trace, "outcome": "fail", "comment": "hidden words" });
    signal(&app, secret).await;
    app.learn().await;

    let hidden = signals_of(&app, &trace).await;
    assert_eq!((&hidden["signals"], &hidden["withheld"]), (&json!([]), &json!(1)));
    let queue = app.get("/review-queue").await.expect(200).json();
    assert_eq!(queue["pending"], 1, "the run waits for a person: {queue}");

    person_reviews(&app, &trace, "pass").await;
    let shown = signals_of(&app, &trace).await;
    assert_eq!((&shown["withheld"], &shown["signals"][0]["comment"]), (&json!(0), &json!("hidden words")));
    // The person keeps the last word.
    app.learn().await;
    assert_eq!(verdict(&app, &trace).await.0, "pass");
}

#[tokio::test]
async fn a_signal_that_the_reviewer_could_have_seen_measures_nothing() {
    let app = given().await;
    // Seen before the review, after the review, and both.
    let (before, after, both) =
        (run(&app, json!({})).await, run(&app, json!({})).await, run(&app, json!({})).await);
    for trace in [&before, &both] {
        reported(&app, "ci", trace, "fail").await;
    }
    app.learn().await;
    for trace in [&before, &after, &both] {
        person_reviews(&app, trace, "pass").await;
    }
    for trace in [&after, &both] {
        reported(&app, "ci", trace, "pass").await;
    }

    let ci = source(&app, "ci").await;
    assert_eq!((&ci["agreement"]["pairs"], &ci["agreement"]["agreed"]), (&json!(1), &json!(1)), "{ci}");
    assert_eq!(number(&app, "select count(*) from signal_match where reviewed_before is not null").await, 2);
}

#[tokio::test]
async fn people_are_compared_by_what_they_said_before_they_saw_the_signal() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    person_reviews(&app, &trace, "pass").await;
    reported(&app, "ci", &trace, "fail").await;
    app.learn().await;

    let corrected = json!({ "reviews": [{ "trace_id": trace, "result": "fail", "replace": true }] });
    app.post("/reviews/batch", &corrected).await.expect(200);

    assert_eq!(verdict(&app, &trace).await.0, "fail");
    let ci = source(&app, "ci").await;
    assert_eq!((&ci["agreement"]["pairs"], &ci["agreement"]["agreed"]), (&json!(1), &json!(0)), "{ci}");
}

#[tokio::test]
async fn untrusted_keys_change_no_measure() {
    let app = given().await;
    set(&app, json!({ "blind_share": 1 })).await;
    measured(&app, 4, 10).await;
    let before = source(&app, "ci").await["agreement"].clone();
    let untrusted = super::trusting::key(&app, &[Scope::SignalWrite], Trust::Untrusted).await;
    let traces = app.get("/traces").await.expect(200).json();
    set(&app, json!({ "blind_share": 0 })).await;

    for trace in traces.as_array().unwrap() {
        let said = json!({ "source": "ci", "trace_id": trace["id"], "outcome": "fail" });
        app.send("POST", &app.path("/signals"), Some(&untrusted), &[], Some(&said)).await.expect(202);
    }

    assert_eq!(source(&app, "ci").await["agreement"], before);
}

#[tokio::test]
async fn every_source_is_listed_with_its_rule() {
    let app = given().await;
    set(&app, json!({ "sources": { "nightly": { "precedence": 60 } } })).await;
    signal(
        &app,
        json!({ "source": "grafana", "key": { "name": "commit", "value": "x" }, "outcome": "fail" }),
    )
    .await;

    let found = app.get("/signals/sources").await.expect(200).json();

    let names: Vec<&str> = found["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|source| source["source"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["nightly", "merge", "ticket", "user", "tests", "ci", "evaluation", "grafana"]);
    assert_eq!(found["sources"][1]["rule"]["wait_pass_seconds"], 259_200);
    assert_eq!(found["sources"][7]["last_week"], json!({ "signals": 1, "waiting": 1, "reviews": 0 }));
    assert_eq!(
        (&found["sources"][0]["interval"], found["settings"]["matching"].as_str()),
        (&Value::Null, Some("latest"))
    );
}
