//! Trying a judge out, and setting it.

use reflect_test_support::TestApp;
use serde_json::json;

use super::{always, given, number, pending, set, stored, switch_on};

#[tokio::test]
async fn trying_says_what_the_judge_would_say_and_stores_nothing() {
    let model = always("fail");
    let app = given(&model).await;
    let id = stored(&app, &pending("close the ledger")).await;
    set(&app, json!({ "judge": { "rubric": "The books must balance." } })).await;

    let tried = app.post("/judge/try", &json!({ "trace_id": id })).await.expect(200).json();
    assert_eq!((&tried["verdict"], &tried["model"]), (&json!("fail"), &json!("judge-1")));
    assert_eq!((&tried["trace_id"], &tried["feedback_text"]), (&json!(id), &json!("It is a fail.")));
    let body = json!({ "task": "count", "trajectory": "counted to ten", "rubric": "It must reach eleven." });
    let given = app.post("/judge/try", &body).await.expect(200).json();
    assert_eq!(given["trace_id"], json!(null));
    app.post("/judge/try", &json!({ "task": "count", "final_response": "10" })).await.expect(200);

    let asked: Vec<String> =
        model.requests().iter().map(|request| request.messages[1].content.clone()).collect();
    assert!(asked[0].contains("The books must balance.") && asked[0].contains("close the ledger"));
    assert!(asked[1].contains("It must reach eleven.") && asked[1].contains("counted to ten"));
    assert!(!asked[1].contains("The books must balance."));
    assert_eq!(number(&app, "select count(*) from judgement").await, 0);
    assert_eq!(number(&app, "select count(*) from review").await, 0);
    let tokens = tried["input_tokens"].as_i64().unwrap();
    assert!(number(&app, "select judge_tokens from spending").await > tokens, "what it cost is counted");
}

#[tokio::test]
async fn what_cannot_be_tried_is_refused_with_a_reason() {
    let app = given(&always("fail")).await;
    app.post("/judge/try", &json!({ "task": " " })).await.expect(422);
    app.post("/judge/try", &json!({ "task": "t", "trajectory": 7 })).await.expect(422);
    app.post("/judge/try", &json!({ "task": "t", "rubric": "x".repeat(20_000) })).await.expect(422);
    app.post("/judge/try", &json!({ "trace_id": "mem-1" })).await.expect(404);
    let elsewhere = "/v1/projects/elsewhere/traces";
    let theirs =
        app.send("POST", elsewhere, Some(&app.master), &[], Some(&pending("t"))).await.expect(201).json();
    app.post("/judge/try", &json!({ "trace_id": theirs["trace_id"] })).await.expect(404);

    let without = TestApp::start().await;
    let refused = without.post("/judge/try", &json!({ "task": "t" })).await.expect(409);
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("--text-provider"));
    set(&without, json!({ "judge": { "enabled": true } })).await;
    assert_eq!(super::status(&without).await["state"], "no_model");
}

#[tokio::test]
async fn settings_change_one_by_one_and_nonsense_is_refused() {
    let app = given(&always("pass")).await;
    let usual = app.get("").await.expect(200).json()["judge"].clone();
    let expected = json!({ "enabled": false, "rubric": "", "sample_rate": 1.0, "blind_share": 0.2,
                           "daily_tokens": null, "delay_seconds": 30 });
    assert_eq!(usual, expected);

    switch_on(&app, json!({ "rubric": "Be strict.", "daily_tokens": 900 })).await;
    let changed = set(&app, json!({ "judge": { "blind_share": 0.5 }, "holdout_rate": 0.1 })).await;
    let expected = json!({ "enabled": true, "rubric": "Be strict.", "sample_rate": 1.0, "blind_share": 0.5,
                           "daily_tokens": 900, "delay_seconds": 0 });
    assert_eq!((&changed["judge"], &changed["holdout_rate"]), (&expected, &json!(0.1)));
    let unlimited = set(&app, json!({ "judge": { "daily_tokens": null } })).await;
    assert_eq!(unlimited["judge"]["daily_tokens"], json!(null));

    for (bad, field) in [
        (json!({ "sample_rate": 2 }), "judge.sample_rate must lie between 0 and 1"),
        (json!({ "blind_share": -1 }), "judge.blind_share must lie between 0 and 1"),
        (json!({ "delay_seconds": 9_999_999 }), "judge.delay_seconds must not be more than 30 days"),
    ] {
        let body = json!({ "judge": bad });
        let refused = app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&body)).await.expect(422);
        assert_eq!(refused.json()["error"]["message"], field);
    }
}
