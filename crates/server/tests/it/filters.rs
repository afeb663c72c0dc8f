//! The filter language over HTTP: one text for lists, bulk changes and the review queue.

use reflect_test_support::{TestApp, TestResponse, trace};
use serde_json::{Value, json};

/// Percent-encodes everything that a query value needs.
fn encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

async fn list(app: &TestApp, rest: &str, q: &str) -> TestResponse {
    app.get(&format!("{rest}?q={}", encoded(q))).await
}

fn tasks(answer: &Value) -> Vec<&str> {
    answer.as_array().unwrap().iter().map(|item| item["task"].as_str().unwrap()).collect()
}

async fn given(app: &TestApp, task: &str, model: &str) -> String {
    let mut body = trace();
    body["task"] = json!(task);
    body["model"] = json!(model);
    app.post("/traces", &body).await.expect(201).json()["trace_id"].as_str().unwrap().to_owned()
}

async fn written(app: &TestApp, task: &str) -> String {
    let body = json!({ "task": task, "summary": "s" });
    app.post("/memories", &body).await.expect(201).json()["memory"]["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn traces_are_listed_by_fields_and_text() {
    let app = TestApp::start().await;
    given(&app, "refund the order", "gpt-5").await;
    given(&app, "refund the ticket", "other").await;

    let found = list(&app, "/traces/rows", r#"status:pending model:gpt-5* since:7d "refund the""#).await;
    assert_eq!(tasks(&found.expect(200).json()), ["refund the order"]);
    let none = list(&app, "/traces/rows", "status:reviewed refund").await.expect(200).json();
    assert_eq!(tasks(&none), [""; 0]);
    // Together with the parameters of the same list.
    let path = format!("/traces/rows?model=other&q={}", encoded("refund"));
    assert_eq!(tasks(&app.get(&path).await.expect(200).json()), ["refund the ticket"]);
    let path = format!("/traces/rows?model=other&q={}", encoded("model:gpt-5"));
    assert_eq!(app.get(&path).await.expect(422).code(), "invalid_filter");
}

#[tokio::test]
async fn memories_are_listed_and_changed_by_the_same_text() {
    let app = TestApp::start().await;
    let sorted = written(&app, "sort the list").await;
    written(&app, "bake bread").await;

    let found = list(&app, "/memories", "status:active origin:manual utility:>0.4 sort").await;
    assert_eq!(tasks(&found.expect(200).json()), ["sort the list"]);

    let body = json!({ "q": "status:active sort", "action": "disable" });
    let changed = app.post("/memories/bulk", &body).await.expect(200).json();
    assert_eq!((&changed["changed"], &changed["memory_ids"]), (&json!(1), &json!([sorted])));
    let left = list(&app, "/memories", "status:active").await.expect(200).json();
    assert_eq!(tasks(&left), ["bake bread"]);
}

#[tokio::test]
async fn the_review_queue_and_reviews_in_bulk_take_the_text() {
    let app = TestApp::start().await;
    let wanted = given(&app, "refund the order", "gpt-5").await;
    given(&app, "bake bread", "gpt-5").await;

    let next = app.post("/review-queue/next", &json!({ "q": "model:gpt-5 refund" })).await.expect(200).json();
    assert_eq!(next["items"][0]["trace_id"], wanted);
    assert_eq!(next["items"].as_array().unwrap().len(), 1);

    let body = json!({ "q": "bake", "result": "pass", "dry_run": true });
    assert_eq!(app.post("/reviews/bulk", &body).await.expect(200).json()["traces"], 1);
    let both = json!({ "q": "bake", "trace_ids": [wanted], "result": "pass" });
    app.post("/reviews/bulk", &both).await.expect(422);
    app.post("/reviews/bulk", &json!({ "result": "pass" })).await.expect(422);
}

#[tokio::test]
async fn an_error_says_what_is_wrong_and_where() {
    let app = TestApp::start().await;
    for rest in ["/traces/rows", "/memories"] {
        let error = list(&app, rest, "é colour:red").await.expect(422).json()["error"].clone();
        assert_eq!(error["code"], "invalid_filter");
        assert_eq!(error["position"], json!({ "start": 2, "end": 12 }));
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains(r#""colour:red" at character 3"#) && message.contains("status"),
            "{message}"
        );
    }
    let wrong = app.post("/review-queue/next", &json!({ "q": "judged:maybe" })).await.expect(422);
    assert_eq!(wrong.json()["error"]["position"], json!({ "start": 0, "end": 12 }));
    let other = app.get("/traces/rows?limit=0").await.expect(422).json();
    assert!(other["error"].get("position").is_none(), "{other}");
}
