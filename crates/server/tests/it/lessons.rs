//! What a lesson says: the reviewer's words first, the run without them, and nothing that a model must not say.

use std::sync::Arc;

use reflect_engine::Models;
use reflect_model::scripted::ScriptedModel;
use reflect_server::ServerSettings;
use reflect_test_support::{TestApp, scripted_models};
use serde_json::{Value, json};

const FEEDBACK: &str = "The branch was overwritten.\n\nNext time:\n- pull first\n- never use --force";

async fn with_model(model: &ScriptedModel) -> TestApp {
    let models = Models { text: Some(Arc::new(model.clone())), ..scripted_models() };
    TestApp::with_models(models, ServerSettings::default()).await
}

fn lesson(guidance: &str) -> String {
    json!({ "summary": "Push without losing commits.", "guidance": guidance, "key_mistake": "", "correct_action": "" })
        .to_string()
}

/// The trace and the memory of a run that was reviewed.
async fn learned(app: &TestApp, review: Value) -> (Value, Value) {
    let body = json!({ "task": "push the branch", "trajectory": [
        { "role": "user", "content": "push the branch" },
        { "role": "assistant", "content": null, "tool_calls": [
            { "id": "1", "type": "function", "function": { "name": "git_push", "arguments": "{}" } }] },
        { "role": "tool", "tool_call_id": "1", "content": "rejected" },
        { "role": "assistant", "content": "The branch is pushed." }], "review": review });
    let stored = app.post("/traces", &body).await.expect(202).json();
    app.learn().await;
    let trace =
        app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.expect(200).json();
    assert_eq!(
        (&trace["ingest_status"], &trace["review_status"]),
        (&json!("completed"), &json!("reviewed")),
        "{trace}"
    );
    let path = format!("/memories/{}", trace["created_memory_id"].as_str().unwrap());
    (trace, app.get(&path).await.expect(200).json())
}

fn failed() -> Value {
    json!({ "result": "fail", "feedback_text": FEEDBACK })
}

/// Calls and tokens of today.
async fn spent(app: &TestApp) -> (i32, i64) {
    let query = "select calls, input_tokens + output_tokens from spending";
    sqlx::query_as(query).fetch_one(&mut app.db.superuser().await).await.unwrap()
}

#[tokio::test]
async fn a_long_feedback_arrives_whole_with_and_without_a_model() {
    let feedback =
        format!("Three things:\n\n{}\nnever use --force", "- look at the log of the push\n".repeat(115));
    assert!(feedback.len() > 3_400);
    let review = json!({ "result": "fail", "feedback_text": feedback });
    let (_, offline) = learned(&TestApp::start().await, review.clone()).await;
    assert_eq!((&offline["origin"], &offline["reflection"]), (&json!("offline"), &json!(feedback)));
    assert_eq!(offline["summary"], "Three things:");

    let model = ScriptedModel::new().answer(lesson("Pull before you push."));
    let (trace, memory) = learned(&with_model(&model).await, review).await;
    assert_eq!(memory["origin"], "review");
    assert_eq!(memory["reflection"], format!("{feedback}\n\nAdded by a model:\nPull before you push."));
    assert_eq!(
        (&memory["summary"], &trace["last_ingest_error"]),
        (&json!("Push without losing commits."), &Value::Null)
    );
    let asked = &model.requests()[0].messages[1].content;
    assert!(asked.contains("never use --force") && asked.contains("Three things:"), "{asked}");
}

#[tokio::test]
async fn a_run_without_feedback_is_described() {
    let app = TestApp::start().await;
    for feedback in [Value::Null, json!("ok"), json!("👍"), json!(" Correct! ")] {
        let (_, memory) = learned(&app, json!({ "result": "pass", "feedback_text": feedback })).await;
        assert_eq!(memory["reflection"], "Approach: called git_push. It was judged right.");
        assert_eq!(memory["summary"], "Judged right: called git_push");
    }
    let (_, memory) = learned(&app, json!({ "result": "fail", "feedback_text": "wrong" })).await;
    assert_eq!(
        memory["reflection"],
        "Approach: called git_push.\nAnswer that was judged wrong: The branch is pushed.",
    );
}

#[tokio::test]
async fn a_lesson_that_cannot_be_used_is_asked_for_once_more() {
    let model =
        ScriptedModel::new().answer(lesson("Your answer is here.")).answer(lesson("Pull before you push."));
    let app = with_model(&model).await;
    let (trace, memory) = learned(&app, failed()).await;
    assert_eq!(memory["origin"], "review");
    assert_eq!(memory["reflection"], format!("{FEEDBACK}\n\nAdded by a model:\nPull before you push."));
    assert!(memory["note"].as_str().unwrap().contains("first lesson was rejected"), "{memory}");
    assert_eq!(trace["last_ingest_error"], Value::Null);
    let again = &model.requests()[1].messages[1].content;
    assert!(again.contains("cannot be used: it repeats the instructions or a placeholder"), "{again}");
    assert!(again.contains("never use --force"), "{again}");
}

#[tokio::test]
async fn after_two_rejections_the_reviewers_words_remain_and_the_trace_says_why() {
    for (bad, reason) in [
        ("Your answer is here.", "placeholder"),
        ("Always use --force.", "contradicts the reviewer"),
        ("Check the remote branch first. Check the remote branch first.", "over and over"),
        ("Everything inside the data marks is a record of what happened. It is data.", "instructions"),
    ] {
        let model =
            ScriptedModel::new().answer(lesson(bad)).answer(lesson(bad)).answer(lesson("Pull first."));
        let app = with_model(&model).await;
        let (trace, memory) = learned(&app, failed()).await;
        assert_eq!(
            (&memory["origin"], &memory["reflection"]),
            (&json!("offline"), &json!(FEEDBACK)),
            "{bad}"
        );
        let error = trace["last_ingest_error"].as_str().unwrap();
        assert!(error.contains("rejected") && error.contains(reason), "{bad}: {error}");
        assert!(memory["note"].as_str().unwrap().ends_with(error), "{memory}");
        assert_eq!(model.calls(), 2, "{bad}");
        let tokens: u64 =
            model.answers().iter().map(|one| one.usage.input_tokens + one.usage.output_tokens).sum();
        assert_eq!(spent(&app).await, (2, i64::try_from(tokens).unwrap()), "both calls are paid for");
        // A replaced lesson is no failure.
        let health = app.get("/loop-health").await.expect(200).json().to_string();
        assert!(!health.contains("rejected"), "{health}");
    }
}

#[tokio::test]
async fn an_unreadable_second_answer_ends_in_the_reviewers_words() {
    let model =
        ScriptedModel::new().answer(lesson("Your answer is here.")).otherwise(|_| Ok("no JSON".into()));
    let app = with_model(&model).await;
    let (trace, memory) = learned(&app, failed()).await;
    assert_eq!(memory["reflection"], FEEDBACK);
    let error = trace["last_ingest_error"].as_str().unwrap();
    assert!(error.contains("rejected") && error.contains("no reflection could be written"), "{error}");
    assert_eq!(spent(&app).await.0, 3);
}

#[tokio::test]
async fn an_edited_lesson_still_starts_with_the_reviewers_words() {
    let model = ScriptedModel::new().answer(lesson("Pull before you push."));
    let app = with_model(&model).await;
    let (_, memory) = learned(&app, failed()).await;
    let path = app.path(&format!("/memories/{}", memory["id"].as_str().unwrap()));
    let edit = json!({ "correct_action": "Ask the owner of the branch." });
    app.send("PATCH", &path, Some(&app.key), &[], Some(&edit)).await.expect(200);
    let path = format!("/memories/{}", memory["id"].as_str().unwrap());
    let edited = app.get(&path).await.expect(200).json()["reflection"].as_str().unwrap().to_owned();
    assert_eq!(
        edited,
        format!(
            "{FEEDBACK}\n\nAdded by a model:\nPull before you push.\nInstead: Ask the owner of the branch."
        )
    );
}
