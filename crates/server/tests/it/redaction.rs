//! What is taken out of what is sent, as a client sees it.

use reflect_test_support::{TestApp, trace};
use serde_json::{Value, json};

const TOKEN: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

fn with_task(task: &str) -> Value {
    let mut body = trace();
    body["task"] = json!(task);
    body
}

#[tokio::test]
async fn a_secret_is_stored_as_a_placeholder_and_the_answer_says_how_many() {
    let app = TestApp::start().await;
    let mut body = with_task(&format!("clone with {TOKEN}"));
    body["metadata"] = json!({ "token": TOKEN, "user": "ann@example.org" });

    let stored = app.post("/traces", &body).await.expect(201);
    assert_eq!(stored.header("x-reflect-redacted"), Some("2"));
    let read =
        app.get(&format!("/traces/{}", stored.json()["id"].as_str().unwrap())).await.expect(200).json();

    let task = read["task"].as_str().unwrap();
    let placeholder = task.strip_prefix("clone with ").unwrap();
    assert!(placeholder.starts_with("[secret:github-token#"), "{task}");
    assert_eq!(read["metadata"]["token"], placeholder, "equal secrets stay equal");
    assert_eq!(read["metadata"]["user"], "ann@example.org", "personal data is taken as it comes by default");
    let clean = app.post("/traces", &trace()).await.expect(201);
    assert_eq!(clean.header("x-reflect-redacted"), Some("0"));
}

#[tokio::test]
async fn the_same_call_again_is_recognised() {
    let app = TestApp::start().await;
    let mut body = with_task(&format!("clone with {TOKEN}"));
    body["trace_id"] = json!(uuid::Uuid::now_v7());
    for _ in 0..2 {
        app.post("/traces", &body).await.expect(201);
        app.post_once("/traces", "once", &body).await.expect(201);
    }
    let id = body["trace_id"].as_str().unwrap();
    let verdict = json!({ "result": "fail", "feedback_text": TOKEN, "reflection": { "summary": TOKEN } });
    for _ in 0..2 {
        app.post(&format!("/traces/{id}/review"), &verdict).await.expect(200);
    }
    body["task"] = json!("clone with another ghp_26C7e42F292c6912E7710c838347Ae178B4a");
    app.post("/traces", &body).await.expect(409);
}

#[tokio::test]
async fn a_run_is_linked_to_the_retrieval_for_its_task_although_both_were_redacted() {
    let app = TestApp::start().await;
    let task = format!("clone the repository with {TOKEN}");
    let mut taught = with_task(&task);
    taught["review"] = json!({ "result": "pass", "reflection": { "summary": "Use a deploy key." } });
    app.post("/traces", &taught).await.expect(201);
    let found = app.post("/memory/query", &json!({ "task": task })).await.expect(200).json();
    assert_eq!(found.as_array().unwrap().len(), 1);

    let stored = app.post("/traces", &with_task(&task)).await.expect(201).json();

    let read = app.get(&format!("/traces/{}", stored["id"].as_str().unwrap())).await.expect(200).json();
    assert_eq!(read["link"], "inferred");
    assert_eq!(read["linked_memory_ids"][0], found[0]["id"]);
}

#[tokio::test]
async fn a_project_that_blocks_personal_data_refuses_it_by_class_and_field() {
    let app = TestApp::start().await;
    let key = Some(app.key.as_str());
    let change = json!({ "redaction": { "pii": "block" } });
    let set = app.send("PATCH", &app.path(""), key, &[], Some(&change)).await.expect(200).json();
    assert_eq!(set["redaction"], json!({ "secrets": true, "pii": "block", "ip_addresses": false }));

    let mut body = trace();
    body["trajectory"] = json!([{ "role": "user", "content": "I am ann@example.org" }]);
    let refused = app.post("/traces", &body).await.expect(422);
    assert_eq!(refused.code(), "personal_data");
    let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains("trajectory") && message.contains("email") && !message.contains("ann"),
        "{message}"
    );

    let batch = app.post("/traces/batch", &json!({ "traces": [trace(), body] })).await.expect(200).json();
    assert_eq!(batch["results"][1]["error"]["code"], "personal_data");
    assert!(batch["results"][0]["id"].is_string());
    let asked = app.post("/memory/query", &json!({ "task": "write to ann@example.org" })).await;
    assert_eq!(asked.expect(422).code(), "personal_data");
}

#[tokio::test]
async fn a_filter_finds_what_was_masked_and_secrets_can_be_left_in_by_project() {
    let app = TestApp::start().await;
    let key = Some(app.key.as_str());
    let change = json!({ "redaction": { "pii": "mask", "secrets": false } });
    app.send("PATCH", &app.path(""), key, &[], Some(&change)).await.expect(200);
    let mut taught = with_task(TOKEN);
    taught["metadata"] = json!({ "customer": "ann@example.org" });
    taught["review"] = json!({ "result": "pass", "reflection": { "summary": "She prefers mornings." } });
    app.post("/traces", &taught).await.expect(201);

    let filter = |who: &str| json!({ "task": TOKEN, "metadata_filter": { "customer": who } });
    let found = app.post("/memory/query", &filter("ann@example.org")).await.expect(200).json();
    assert_eq!(found[0]["task"], TOKEN);
    let none = app.post("/memory/query", &filter("bob@example.org")).await.expect(200).json();
    assert_eq!(none, json!([]));
}
