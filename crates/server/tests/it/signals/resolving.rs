//! What signals make of the review of a run.

use serde_json::{Value, json};

use super::{
    by, given, hours_later, meanings, number, person_reviews, reported, review, run, set, signal, signals_of,
    verdict,
};

#[tokio::test]
async fn a_failed_build_becomes_the_review_of_its_run() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    let failed = json!({
        "source": "ci", "trace_id": trace, "outcome": "fail", "comment": "2 tests failed: parses_dates, parses_times",
        "url": "https://ci.example/7", "metadata": { "job": 7 },
    });

    let accepted = signal(&app, failed).await;

    assert_eq!((&accepted["status"], &accepted["trace_ids"]), (&json!("matched"), &json!([trace])));
    app.learn().await;
    let review = review(&app, &trace).await;
    assert_eq!((&review["result"], &review["reviewer"]), (&json!("fail"), &json!("signal:ci")));
    assert_eq!(review["feedback_text"], "2 tests failed: parses_dates, parses_times");
    assert!((review["alpha"].as_f64().unwrap() - 0.05).abs() < 1e-6, "{review}");
    let found = signals_of(&app, &trace).await;
    let shown = &found["signals"][0];
    assert_eq!((&shown["meaning"], &shown["result"]), (&json!("decides"), &json!("fail")));
    assert_eq!((&shown["url"], &shown["metadata"]), (&json!("https://ci.example/7"), &json!({ "job": 7 })));
    // The words of another system are marked in the lesson.
    let memories = app.get("/memories").await.expect(200).json();
    let guidance = memories[0]["guidance"].as_str().unwrap();
    assert!(guidance.starts_with("Reported by another system:\n2 tests failed"), "{memories}");
}

#[tokio::test]
async fn a_merge_counts_after_three_days_and_a_revert_before_that_fails_the_run() {
    let app = given().await;
    let (kept, reverted) = (run(&app, json!({})).await, run(&app, json!({})).await);
    for trace in [&kept, &reverted] {
        reported(&app, "merge", trace, "pass").await;
    }

    app.learn().await;
    assert_eq!(review(&app, &kept).await, Value::Null);
    let waits = signals_of(&app, &kept).await;
    assert_eq!(meanings(&waits), ["waits"]);
    assert!(
        waits["again_at"].is_string() && waits["signals"][0]["waits_until"] == waits["again_at"],
        "{waits}"
    );

    hours_later(&app, 10).await;
    reported(&app, "merge", &reverted, "fail").await;
    app.learn().await;
    assert_eq!(verdict(&app, &reverted).await, by("fail", "signal:merge"));

    hours_later(&app, 63).await;
    app.learn().await;
    assert_eq!(verdict(&app, &kept).await, by("pass", "signal:merge"));
    assert_eq!(verdict(&app, &reverted).await, by("fail", "signal:merge"));
    assert_eq!(number(&app, "select count(*) from signal_wait").await, 0);
    assert_eq!(number(&app, "select count(*) from job where kind in (3, 4)").await, 0);
}

#[tokio::test]
async fn a_later_signal_of_a_source_that_is_as_strong_replaces_the_review() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    reported(&app, "ci", &trace, "fail").await;
    app.learn().await;

    reported(&app, "tests", &trace, "pass").await;
    app.learn().await;

    assert_eq!(verdict(&app, &trace).await, by("pass", "signal:tests"));
    assert_eq!(meanings(&signals_of(&app, &trace).await), ["outweighed", "decides"]);
    let live = "select count(*) from review where superseded_by is null and withdrawn_at is null";
    assert_eq!((number(&app, live).await, number(&app, "select count(*) from review").await), (1, 2));

    // A weaker source changes nothing.
    reported(&app, "evaluation", &trace, "fail").await;
    app.learn().await;
    assert_eq!(verdict(&app, &trace).await, by("pass", "signal:tests"));
    // The same result again makes no other review.
    reported(&app, "ci", &trace, "pass").await;
    app.learn().await;
    assert_eq!(number(&app, "select count(*) from review").await, 2);
}

#[tokio::test]
async fn a_person_has_the_last_word() {
    let app = given().await;
    let (first, second) = (run(&app, json!({})).await, run(&app, json!({})).await);
    person_reviews(&app, &first, "pass").await;
    reported(&app, "ci", &first, "fail").await;
    reported(&app, "ci", &second, "fail").await;
    app.learn().await;
    assert_eq!(verdict(&app, &first).await.0, "pass");
    assert_eq!(verdict(&app, &second).await, by("fail", "signal:ci"));

    // Without `replace`, and with the learning rate of a person.
    let answer = person_reviews(&app, &second, "fail").await;
    assert!((answer["review"]["alpha"].as_f64().unwrap() - 0.3).abs() < 1e-6, "{answer}");
    reported(&app, "ci", &second, "pass").await;
    app.learn().await;

    assert_eq!(verdict(&app, &second).await.0, "fail");
    assert!(!verdict(&app, &second).await.1.starts_with("signal:"));
}

#[tokio::test]
async fn a_repeated_signal_is_stored_once() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    let mut build =
        json!({ "source": "ci", "trace_id": trace, "outcome": "fail", "idempotency_key": "build 7" });

    let first = signal(&app, build.clone()).await;
    app.learn().await;
    let again = signal(&app, build.clone()).await;

    assert_eq!(first, again);
    assert_eq!(number(&app, "select count(*) from signal").await, 1);
    // The key belongs to the source.
    build["source"] = json!("tests");
    assert_ne!(signal(&app, build.clone()).await["id"], first["id"]);
    build["outcome"] = json!("pass");
    let refused = app.post("/signals", &build).await.expect(422);
    assert_eq!(refused.code(), "idempotency_key_reused");

    // In one batch, and with the key of the request.
    let batch = json!({ "signals": [
        { "source": "user", "trace_id": trace, "outcome": "pass", "idempotency_key": "a" },
        { "source": "user", "trace_id": trace, "outcome": "pass", "idempotency_key": "a" },
        { "source": "user", "trace_id": "no id", "outcome": "pass" },
    ] });
    let answer = app.post_once("/signals/batch", "request 1", &batch).await.expect(200).json();
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results[0]["id"], results[1]["id"]);
    assert_eq!(results[2]["error"]["code"], "invalid_request");
    let again = app.post_once("/signals/batch", "request 1", &batch).await.expect(200).json();
    assert_eq!(again["results"][0], answer["results"][0]);
    assert_eq!(answer["results"][0]["trace_ids"], json!([trace]));
    assert_eq!(number(&app, "select count(*) from signal where source = 'user'").await, 1);
}

#[tokio::test]
async fn a_call_that_stores_nothing_does_not_take_its_idempotency_key() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    let mut early = json!({ "source": "ci", "trace_id": trace, "outcome": "fail", "url": "no address" });
    let header = [("idempotency-key", "request 7")];
    app.send("POST", &app.path("/signals"), Some(&app.key), &header, Some(&early)).await.expect(422);
    early["url"] = json!("https://ci.example/7");

    let first =
        app.send("POST", &app.path("/signals"), Some(&app.key), &header, Some(&early)).await.expect(202);
    let again =
        app.send("POST", &app.path("/signals"), Some(&app.key), &header, Some(&early)).await.expect(202);

    assert_eq!(first.json(), again.json());
    assert_eq!(number(&app, "select count(*) from signal").await, 1);
}

#[tokio::test]
async fn the_rules_of_the_project_say_what_counts() {
    let app = given().await;
    let settings =
        set(&app, json!({ "sources": { "ci": { "counts": false }, "nightly": { "precedence": 90 } } })).await;
    assert_eq!(settings["signals"]["sources"]["ci"], json!({ "counts": false }));
    let (ignored, scored) = (run(&app, json!({})).await, run(&app, json!({})).await);
    reported(&app, "ci", &ignored, "fail").await;
    for (source, score) in [("evaluation", 0.5), ("nightly", 0.1), ("merge", 1.0)] {
        signal(&app, json!({ "source": source, "trace_id": scored, "score": score })).await;
    }

    app.learn().await;

    assert_eq!(review(&app, &ignored).await, Value::Null);
    assert_eq!(meanings(&signals_of(&app, &ignored).await), ["not_counted"]);
    assert_eq!(verdict(&app, &scored).await, by("fail", "signal:nightly"));
    assert_eq!(meanings(&signals_of(&app, &scored).await), ["unclear", "decides", "waits"]);

    // A changed rule applies to what waits.
    let waiting = run(&app, json!({})).await;
    reported(&app, "merge", &waiting, "pass").await;
    app.learn().await;
    set(&app, json!({ "sources": { "merge": { "wait_pass_seconds": 0 } } })).await;
    app.learn().await;
    assert_eq!(verdict(&app, &waiting).await, by("pass", "signal:merge"));
}

#[tokio::test]
async fn what_cannot_be_used_is_named() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    for (changed, said) in [
        (json!({ "outcome": null }), "outcome or score must be there"),
        (json!({ "score": 0.5 }), "outcome or score must be there"),
        (json!({ "outcome": null, "score": 1.5 }), "score must lie between 0 and 1"),
        (json!({ "trace_id": "x" }), "trace_id must be the id of a trace"),
        (json!({ "trace_id": null }), "trace_id or key must be there"),
        (json!({ "key": { "name": "commit", "value": "a" } }), "trace_id or key must be there"),
        (json!({ "occurred_at": "2999-01-01T00:00:00Z" }), "occurred_at must not be in the future"),
        (json!({ "url": "javascript:alert(1)" }), "url must begin with"),
        (json!({ "comment": "x".repeat(20_000) }), "comment must not be longer"),
        (json!({ "source": "My CI" }), "must have 1 to 40"),
    ] {
        let mut sent = json!({ "source": "ci", "trace_id": trace, "outcome": "pass" });
        for (name, value) in changed.as_object().unwrap() {
            sent[name] = value.clone();
        }
        let refused = app.post("/signals", &sent).await.expect(422).json();
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(said), "{changed}: {message}");
    }
    assert_eq!(number(&app, "select count(*) from signal").await, 0);
    let thresholds = json!({ "signals": { "sources": { "ci": { "fail_below": 0.9 } } } });
    let refused = app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&thresholds)).await;
    let refused = refused.expect(422).json();
    assert!(refused["error"]["message"].as_str().unwrap().contains("in the source ci"), "{refused}");
}

#[tokio::test]
async fn a_lost_job_is_queued_again() {
    let app = given().await;
    let trace = run(&app, json!({})).await;
    reported(&app, "ci", &trace, "fail").await;
    super::sql(&app, "delete from job where kind = 3").await;
    app.learn().await;
    assert_eq!(review(&app, &trace).await, Value::Null);

    app.app.engine().store.maintenance().run().await.unwrap();
    app.learn().await;

    assert_eq!(verdict(&app, &trace).await, by("fail", "signal:ci"));
}
