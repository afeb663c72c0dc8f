//! The story on the overview: a run that failed, its lesson, and a later run that used the lesson and passed.

use reflect_test_support::TestApp;
use serde_json::{Value, json};

const VOUCHER: &str = "Refund the part paid by voucher to the voucher.";

async fn story(app: &TestApp) -> Value {
    app.get("/overview/story").await.expect(200).json()["story"].clone()
}

/// Stores a reviewed run with a lesson. Returns its trace and its memory.
async fn reviewed(app: &TestApp, task: &str, review: Value, more: Value) -> (String, String) {
    let mut body = json!({ "task": task, "trajectory": [], "review": review });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let stored = app.post("/traces", &body).await.expect(201).json();
    let text = |name: &str| stored[name].as_str().unwrap().to_owned();
    (text("trace_id"), text("created_memory_id"))
}

/// A passed run about a similar task, with a lesson of its own.
async fn passed(app: &TestApp, order: u32, more: Value) -> String {
    let review =
        json!({ "result": "pass", "reflection": { "summary": format!("Order {order} went well.") } });
    reviewed(app, &format!("refund order {order} broken item{order}"), review, more).await.0
}

/// A failed run whose reviewer explains why.
async fn failed(app: &TestApp) -> (String, String) {
    let review = json!({ "result": "fail", "feedback_text": "30.00 was paid\nby voucher.",
                         "reflection": { "summary": VOUCHER } });
    let answer = json!({ "final_response": "I refunded 49.90 to the card." });
    reviewed(app, "refund order 1182 broken lamp", review, answer).await
}

#[tokio::test]
async fn a_new_project_has_no_story() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/overview/story").await.expect(200).json(), json!({ "story": null }));
    failed(&app).await;
    assert_eq!(story(&app).await, Value::Null, "no later run used the lesson");
}

#[tokio::test]
async fn the_story_names_a_failed_run_its_lesson_and_the_newest_run_that_it_helped() {
    let app = TestApp::start().await;
    passed(&app, 7, json!({})).await;
    let unlike = json!({ "result": "pass", "reflection": { "summary": "Knead well." } });
    reviewed(&app, "bake seven fresh breads now", unlike, json!({})).await;
    let (failed, memory) = failed(&app).await;
    let used = json!({ "retrieved_memory_ids": [memory], "used_memory_ids": [memory],
                       "trajectory": [{ "role": "assistant", "content": "I refunded 30.00 to the voucher." }] });

    passed(&app, 2047, used.clone()).await;
    assert_eq!(story(&app).await, Value::Null, "one review may be luck");
    let helped = passed(&app, 3100, used).await;
    passed(&app, 4000, json!({ "retrieved_memory_ids": [memory], "used_memory_ids": [] })).await;

    let story = story(&app).await;
    let run = |name: &str| -> [Value; 4] {
        ["trace_id", "task", "line", "step"].map(|field| story[name][field].clone())
    };
    let line = "I refunded 49.90 to the card.";
    assert_eq!(
        run("failed"),
        [json!(failed), json!("refund order 1182 broken lamp"), json!(line), Value::Null]
    );
    // It has no answer, so its last message is shown.
    let line = "I refunded 30.00 to the voucher.";
    let task = "refund order 3100 broken item3100";
    assert_eq!(run("passed"), [json!(helped), json!(task), json!(line), Value::Null]);
    let lesson = &story["lesson"];
    assert_eq!((&lesson["lesson_id"], &lesson["summary"]), (&json!(memory), &json!(VOUCHER)));
    assert_eq!(lesson["feedback"], "30.00 was paid by voucher.");
    assert!(lesson["reviewer"].as_str().unwrap().starts_with("key:"), "{lesson}");
    let stored = app.get(&format!("/traces/{failed}")).await.expect(200).json();
    assert_eq!(story["failed"]["at"], stored["created_at"]);
    // The failed run itself was reviewed before the lesson was stored. The task about bread is not similar.
    assert_eq!(story["before"], json!({ "reviewed": 2, "passed": 1 }));
    assert_eq!(story["after"], json!({ "reviewed": 3, "passed": 3 }));
}

#[tokio::test]
async fn a_story_ends_with_its_review_and_with_its_runs() {
    let app = TestApp::start().await;
    let (failed, memory) = failed(&app).await;
    let used = json!({ "retrieved_memory_ids": [memory], "used_memory_ids": [memory],
                       "final_response": "Done." });
    let mut runs = Vec::new();
    for order in [2047, 3100, 4000] {
        runs.push(passed(&app, order, used.clone()).await);
    }
    let helped = async || story(&app).await["passed"]["trace_id"].clone();
    assert_eq!(helped().await, json!(runs[2]));

    app.post("/traces/delete", &json!({ "trace_ids": [runs[2]] })).await.expect(200);
    assert_eq!(helped().await, json!(runs[1]), "a deleted run is not shown");
    let review = app.path(&format!("/traces/{failed}/review"));
    app.send("DELETE", &review, Some(&app.key), &[], None).await.expect(200);
    assert_eq!(helped().await, Value::Null, "without its review the memory is retired");
}
