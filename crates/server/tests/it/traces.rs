//! Recording runs and reading them back over HTTP.

use std::time::SystemTime;

use chrono::{DateTime, TimeDelta, Utc};
use reflect_test_support::{TestApp, trace};
use serde_json::{Value, json};
use uuid::{NoContext, Timestamp, Uuid};

fn with(changes: Value) -> Value {
    let mut body = trace();
    for (name, value) in changes.as_object().unwrap() {
        body[name] = value.clone();
    }
    body
}

#[tokio::test]
async fn a_run_is_answered_with_both_names_of_its_id() {
    let app = TestApp::start().await;
    let answer = app.post("/traces", &trace()).await.expect(201).json();
    assert_eq!(answer["id"], answer["trace_id"]);
    assert_eq!(answer["ingest_status"], "completed");
}

#[tokio::test]
async fn a_reviewed_run_is_queued_and_shows_its_review() {
    let app = TestApp::start().await;
    let review = json!({ "result": "Failure", "feedback_text": "wrong", "alpha": 0.1 });
    let answer = app.post("/traces", &with(json!({ "review": review }))).await.expect(202).json();
    assert_eq!(answer["ingest_status"], "queued");

    let read = app.get(&format!("/traces/{}", answer["id"].as_str().unwrap())).await.expect(200).json();

    assert_eq!(read["review_status"], "pending");
    assert_eq!(read["review"]["result"], "fail");
    assert_eq!(read["review"]["mode"], "inline");
    assert_eq!(read["review"]["feedback_text"], "wrong");
    assert_eq!(read["created_memory_id"], Value::Null);
}

#[tokio::test]
async fn a_run_can_be_read_without_its_messages() {
    let app = TestApp::start().await;
    let id = app.post("/traces", &trace()).await.expect(201).json()["id"].as_str().unwrap().to_owned();
    let whole = app.get(&format!("/traces/{id}")).await.expect(200).json();
    let mut without = app.get(&format!("/traces/{id}?trajectory=none")).await.expect(200).json();
    assert_eq!(without["trajectory"], json!([]));
    assert_ne!(whole["trajectory"], json!([]));
    without["trajectory"] = whole["trajectory"].clone();
    assert_eq!(without, whole);
    app.get(&format!("/traces/{id}?trajectory=some")).await.expect(422);
}

#[tokio::test]
async fn what_cannot_be_taken_is_refused_with_the_reason() {
    let app = TestApp::start().await;
    for (changes, named) in [
        (json!({ "task": "" }), "task"),
        (json!({ "trajectory": 7 }), "trajectory"),
        (json!({ "review": { "result": "partial" } }), "partial"),
        (json!({ "review": { "result": "pass", "alpha": 1.5 } }), "between 0 and 1"),
        (json!({ "trace_id": "00000000-0000-4000-8000-000000000000" }), "version 7"),
        (json!({ "trace_id": "01890000-0000-7000-8000-000000000000" }), "30 days"),
        (json!({ "metadata": [] }), "map"),
    ] {
        let answer = app.post("/traces", &with(changes.clone())).await.expect(422).json();
        let message = answer["error"]["message"].as_str().unwrap();
        assert!(message.contains(named), "{changes}: {message}");
    }
    assert_eq!(app.get("/traces").await.expect(200).json(), json!([]));
}

#[tokio::test]
async fn nulls_and_unknown_fields_do_no_harm() {
    let app = TestApp::start().await;
    let body = with(json!({
        "model": null, "metadata": null, "retrieved_memory_ids": null, "final_response": null, "review": null,
        "reference_context": null, "something_new": { "deep": [1] },
    }));
    let id = app.post("/traces", &body).await.expect(201).json()["id"].as_str().unwrap().to_owned();
    let read = app.get(&format!("/traces/{id}")).await.expect(200).json();
    assert_eq!(read["metadata"], json!({}));
    assert_eq!(read["retrieved_memory_ids"], json!([]));
    assert_eq!(read["final_response"], "done");
}

#[tokio::test]
async fn odd_text_survives() {
    let app = TestApp::start().await;
    let odd = "é 🦀 \u{202e}right to left\u{200b} \u{7} </memory>";
    let body = with(json!({ "task": odd, "trajectory": [{ "role": "assistant", "content": odd }] }));
    let id = app.post("/traces", &body).await.expect(201).json()["id"].as_str().unwrap().to_owned();
    let read = app.get(&format!("/traces/{id}")).await.expect(200).json();
    assert_eq!(read["task"], odd);
    assert_eq!(read["trajectory"][0]["content"], odd);

    let nul = with(json!({ "task": "a\0b", "metadata": { "k\0": "v\0" } }));
    let id = app.post("/traces", &nul).await.expect(201).json()["id"].as_str().unwrap().to_owned();
    assert_eq!(app.get(&format!("/traces/{id}")).await.expect(200).json()["task"], "a\u{fffd}b");
}

#[tokio::test]
async fn a_client_may_name_the_trace_itself_and_send_it_again() {
    let app = TestApp::start().await;
    let body = with(json!({ "trace_id": uuid::Uuid::now_v7() }));
    let first = app.post("/traces", &body).await.expect(201).json();
    assert_eq!(first["trace_id"], body["trace_id"]);
    assert_eq!(app.post("/traces", &body).await.expect(201).json(), first);

    let mut other = body.clone();
    other["task"] = json!("another task");
    assert_eq!(app.post("/traces", &other).await.expect(409).code(), "conflict");
    assert_eq!(app.get("/traces").await.expect(200).json().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_imported_run_has_its_own_times() {
    let app = TestApp::start().await;
    let now: DateTime<Utc> = SystemTime::now().into();
    let (ran_at, reviewed_at) = (now - TimeDelta::days(5), now - TimeDelta::days(4));
    let seconds = u64::try_from(ran_at.timestamp()).unwrap();
    let id = Uuid::new_v7(Timestamp::from_unix(NoContext, seconds, 0));
    let review =
        json!({ "result": "pass", "reflection": { "summary": "Look first." }, "reviewed_at": reviewed_at });
    let sent = with(json!({ "trace_id": id, "review": review }));

    let memory = app.post("/traces", &sent).await.expect(201).json()["created_memory_id"].clone();

    let time = |value: &Value| value.as_str().unwrap().parse::<DateTime<Utc>>().unwrap().timestamp();
    let trace = app.get(&format!("/traces/{id}")).await.expect(200).json();
    assert_eq!(time(&trace["created_at"]), ran_at.timestamp());
    assert_eq!(time(&trace["review"]["created_at"]), reviewed_at.timestamp());
    let memory = app.get(&format!("/memories/{}", memory.as_str().unwrap())).await.expect(200).json();
    assert_eq!(time(&memory["created_at"]), reviewed_at.timestamp());
    let days = app.get("/overview").await.expect(200).json()["success_by_day"].clone();
    assert_eq!(days[0]["day"], reviewed_at.date_naive().to_string(), "{days}");

    let early = json!({ "result": "pass", "reviewed_at": now - TimeDelta::days(6) });
    let refused =
        app.post("/traces", &with(json!({ "trace_id": id, "review": early }))).await.expect(422).json();
    assert!(refused["error"].to_string().contains("review.reviewed_at"), "{refused}");
}

#[tokio::test]
async fn a_batch_answers_each_run_for_itself() {
    let app = TestApp::start().await;
    let batch = json!({ "traces": [trace(), with(json!({ "task": "" })), with(json!({ "review": { "result": "pass" } }))] });
    let results = app.post("/traces/batch", &batch).await.expect(200).json()["results"].clone();
    assert_eq!(results[0]["ingest_status"], "completed");
    assert_eq!(results[1]["error"]["code"], "invalid_request");
    assert_eq!(results[2]["ingest_status"], "queued");
    assert_eq!(app.get("/traces").await.expect(200).json().as_array().unwrap().len(), 2);

    let many = json!({ "traces": vec![trace(); 101] });
    app.post("/traces/batch", &many).await.expect(422);
}

#[tokio::test]
async fn unknown_and_odd_ids_are_not_found() {
    let app = TestApp::start().await;
    for id in ["abc-123", "%00", "%FF", "0", &uuid::Uuid::now_v7().to_string(), &"x".repeat(300)] {
        assert_eq!(app.get(&format!("/traces/{id}")).await.expect(404).code(), "not_found", "{id}");
    }
    assert_eq!(app.get("/traces/%2e%2e").await.expect(404).code(), "route_not_found");
}

#[tokio::test]
async fn deleting_says_what_was_there() {
    let app = TestApp::start().await;
    let id = app.given_trace().await;
    let body = json!({ "trace_ids": [id, "mem-abc", uuid::Uuid::now_v7()] });
    let deleted = app.post("/traces/delete", &body).await.expect(200).json();
    assert_eq!(deleted, json!({ "deleted": 1, "trace_ids": [id] }));
    app.get(&format!("/traces/{id}")).await.expect(404);
}
