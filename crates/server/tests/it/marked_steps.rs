//! Runs whose client marked their steps: each step of a pass is a memory with its own task.

use std::sync::Arc;

use reflect_engine::Models;
use reflect_model::EmbedPurpose;
use reflect_model::scripted::ScriptedEmbedder;
use reflect_server::ServerSettings;
use reflect_test_support::TestApp;
use serde_json::{Value, json};

const STATES: [(&str, &str); 2] = [
    ("the phone shows no signal", "restart the phone"),
    ("pictures are not delivered", "reset the message settings"),
];

/// A run about one ticket, with its steps.
fn run(steps: &[(&str, &str)], review: Value) -> Value {
    let messages = steps.iter().map(|(task, action)| {
        json!({ "role": "assistant", "content": format!("I {action}."), "reflect_step": { "task": task, "action": action } })
    });
    json!({ "task": "help the caller with the phone", "trajectory": messages.collect::<Vec<_>>(), "review": review })
}

/// The trace of a run that was learned from, and its memories, oldest first.
async fn learned(app: &TestApp, body: &Value) -> (Value, Vec<Value>) {
    let stored = app.post("/traces", body).await.json();
    app.learn().await;
    let id = stored["trace_id"].as_str().unwrap();
    let trace = app.get(&format!("/traces/{id}")).await.expect(200).json();
    assert_eq!(trace["review_status"], "reviewed", "{trace}");
    let path = format!("/memories?source_trace_id={id}&include_same_lesson=true");
    let mut memories = app.get(&path).await.expect(200).json().as_array().unwrap().clone();
    memories.sort_by_key(|memory| memory["id"].to_string());
    (trace, memories)
}

fn tasks(memories: &[Value]) -> Vec<(&str, &str)> {
    memories
        .iter()
        .map(|one| (one["task"].as_str().unwrap(), one["correct_action"].as_str().unwrap()))
        .collect()
}

#[tokio::test]
async fn each_step_of_a_pass_is_found_by_its_own_state() {
    let app = TestApp::start().await;

    let (trace, memories) = learned(&app, &run(&STATES, json!({ "result": "pass" }))).await;

    assert_eq!(tasks(&memories), STATES);
    assert_eq!(trace["created_memory_id"], memories[0]["id"]);
    assert!(
        memories.iter().all(|memory| memory["created_at"] == trace["review"]["created_at"]),
        "{memories:?}"
    );
    for (state, action) in STATES {
        let found = app.post("/memory/query", &json!({ "task": state })).await.expect(200).json();
        assert_eq!(
            (found.as_array().unwrap().len(), &found[0]["correct_action"]),
            (1, &json!(action)),
            "{found}"
        );
    }
    // Both go with the review that they came from.
    let path = app.path(&format!("/traces/{}/review", trace["id"].as_str().unwrap()));
    app.send("DELETE", &path, Some(&app.key), &[], None).await.expect(200);
    for memory in &memories {
        let path = format!("/memories/{}", memory["id"].as_str().unwrap());
        assert_eq!(app.get(&path).await.expect(200).json()["status"], "retired");
    }
}

/// States share most of their words and need different actions, and the credit of each run counts.
#[tokio::test]
async fn states_join_a_lesson_and_are_not_absorbed() {
    let app = TestApp::start().await;
    let lines: Vec<String> = (0..40).map(|number| format!("check{number}")).collect();
    let (state, similar) = (lines.join(" "), format!("{} roaming", lines[1..].join(" ")));
    let pass = |task: &str| run(&[(task, "restart the phone")], json!({ "result": "pass" }));

    let (_, first) = learned(&app, &pass(&state)).await;
    let (other, second) = learned(&app, &pass(&similar)).await;
    let (equal, third) = learned(&app, &pass(&state)).await;

    for (trace, memories) in [(&other, &second), (&equal, &third)] {
        assert_eq!(memories[0]["status"], "active");
        assert_eq!(memories[0]["lesson_id"], first[0]["lesson_id"]);
        assert_eq!(trace["created_memory_id"], memories[0]["id"]);
    }
}

#[tokio::test]
async fn the_words_of_a_reviewer_are_a_lesson_about_the_whole_run() {
    let app = TestApp::start().await;
    let review = json!({ "result": "pass", "feedback_text": "Ask first whether the plan was paid." });

    let (trace, memories) = learned(&app, &run(&STATES, review)).await;

    assert_eq!(memories.len(), 3);
    let whole = memories.iter().find(|memory| memory["id"] == trace["created_memory_id"]).unwrap();
    assert_eq!(whole["task"], "help the caller with the phone");
    assert!(
        whole["reflection"].as_str().unwrap().starts_with("Ask first whether the plan was paid."),
        "{whole}"
    );
}

#[tokio::test]
async fn a_failure_is_about_its_last_state() {
    let app = TestApp::start().await;
    let steps = [STATES[0], ("the phone still shows no signal", "")];
    let review = json!({ "result": "fail", "feedback_text": "The plan was not paid." });

    let (_, memories) = learned(&app, &run(&steps, review)).await;

    let tasks: Vec<&Value> = memories.iter().map(|memory| &memory["task"]).collect();
    assert_eq!(tasks, [&json!("the phone still shows no signal")]);
    assert!(
        memories[0]["reflection"].as_str().unwrap().starts_with("The plan was not paid."),
        "{memories:?}"
    );
}

#[tokio::test]
async fn memories_of_each_query_are_linked_and_a_repeated_step_joins_its_lesson() {
    let app = TestApp::start().await;
    let (_, first) = learned(&app, &run(&STATES, json!({ "result": "pass" }))).await;
    let asked = app.post("/memory/query", &json!({ "task": STATES[0].0 })).await.expect(200);
    let receipt = asked.header("x-retrieval-id").unwrap().to_owned();
    let similar = [("my phone shows no signal", STATES[0].1)];
    let mut body = run(&similar, json!({ "result": "pass" }));
    body["trajectory"][0]["reflect_step"]["retrieval_id"] = json!(receipt);

    let (trace, second) = learned(&app, &body).await;

    assert_eq!((&trace["link"], &trace["linked_memory_ids"]), (&json!("receipt"), &json!([first[0]["id"]])));
    assert_eq!((second.len(), &second[0]["lesson_id"]), (1, &first[0]["lesson_id"]));
    let lessons = app.get("/lessons").await.expect(200).json();
    assert_eq!(lessons.as_array().unwrap().len(), 2, "{lessons}");
}

#[tokio::test]
async fn a_step_has_its_own_action_whatever_lesson_its_run_used() {
    let app = TestApp::start().await;
    let words = json!({ "task": STATES[0].0, "trajectory": [],
                        "review": { "result": "pass", "reflection": { "guidance": "Ask whether the plan was paid." } } });
    let used = app.post("/traces", &words).await.expect(201).json()["created_memory_id"].clone();
    let with_words = json!({ "result": "pass", "feedback_text": "The caller was patient." });
    for (review, state, action) in [
        (json!({ "result": "pass" }), "my phone shows no signal", "restart the phone"),
        (with_words, "her phone shows no signal", "replace the card"),
    ] {
        let mut body = run(&[(state, action)], review);
        body["retrieved_memory_ids"] = json!([used]);
        body["used_memory_ids"] = json!([used]);

        let (_, memories) = learned(&app, &body).await;

        let step = memories.iter().find(|memory| memory["task"] == state).unwrap();
        assert_eq!((&step["lesson_id"], &step["correct_action"]), (&step["id"], &json!(action)), "{step}");
    }
}

#[tokio::test]
async fn the_situations_of_a_run_are_embedded_together() {
    let embedder = ScriptedEmbedder::new(256);
    let models = Models { embedder: Some(Arc::new(embedder.clone())), ..Models::default() };
    let app = TestApp::with_models(models, ServerSettings::default()).await;
    let review = json!({ "result": "pass", "reflection": { "guidance": "Ask whether the plan was paid." } });

    app.post("/traces", &run(&STATES, review)).await.expect(201);

    let calls = embedder.calls().into_iter().filter(|(_, purpose)| *purpose == EmbedPurpose::Document);
    let texts: Vec<Vec<String>> = calls.map(|(texts, _)| texts).collect();
    assert_eq!(texts, [["help the caller with the phone", STATES[0].0, STATES[1].0].map(str::to_owned)]);
}
