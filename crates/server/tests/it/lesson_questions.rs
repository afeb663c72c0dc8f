//! Lessons that contradict each other, if evidence does not decide: people answer, and can undo their answer.

use reflect_test_support::{TestApp, TestResponse};
use serde_json::{Value, json};

const TASK: &str = "reset the password of ann";

struct Given {
    app: TestApp,
    /// The older memory. Runs with it went well.
    old: String,
    /// The newer memory, with other advice about the same task.
    new: String,
    question: Value,
}

async fn learned(app: &TestApp, action: &str, used: &[&str]) -> String {
    let body = json!({ "task": TASK, "trajectory": [], "retrieved_memory_ids": used, "used_memory_ids": used,
                       "review": { "result": "pass", "reflection": { "correct_action": action } } });
    app.post("/traces", &body).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

async fn questions(app: &TestApp, parameters: &str) -> Vec<Value> {
    let listed = app.get(&format!("/lesson-questions?{parameters}")).await.expect(200).json();
    listed.as_array().unwrap().clone()
}

async fn given() -> Given {
    let app = TestApp::start().await;
    let old = learned(&app, "call the desk", &[]).await;
    learned(&app, "call the desk", &[&old]).await;
    assert!(questions(&app, "").await.is_empty());
    let new = learned(&app, "send the reset link", &[]).await;
    let mut open = questions(&app, "open=true").await;
    assert_eq!(open.len(), 1, "{open:?}");
    Given { app, old, new, question: open.remove(0) }
}

impl Given {
    async fn answer(&self, answer: &str) -> TestResponse {
        let path = format!("/lesson-questions/{}/answer", self.question["id"].as_str().unwrap());
        self.app.post(&path, &json!({ "answer": answer })).await
    }

    async fn undo(&self, answered: &Value) {
        let path = format!("/actions/{}/undo", answered["action_id"].as_str().unwrap());
        self.app.post(&path, &json!({})).await.expect(200);
    }

    async fn memory(&self, id: &str) -> Value {
        self.app.get(&format!("/memories/{id}")).await.expect(200).json()
    }
}

#[tokio::test]
async fn a_contradiction_that_evidence_does_not_decide_is_a_question_with_both_runs() {
    let given = given().await;

    let (first, second) = (&given.question["first"], &given.question["second"]);
    assert_eq!((&first["memory_id"], &second["memory_id"]), (&json!(given.old), &json!(given.new)));
    assert_eq!((&first["evidence"], &second["evidence"]), (&json!(1), &json!(0)));
    assert!(first["credit"].as_f64() > Some(0.5), "{first}");
    assert!(first["reflection"].as_str().unwrap().contains("call the desk"), "{first}");
    for side in [first, second] {
        let trace = side["source_trace_id"].as_str().unwrap();
        assert_eq!(given.app.get(&format!("/traces/{trace}")).await.expect(200).json()["task"], TASK);
    }
    assert!(given.question["similarity"].as_f64().unwrap() > 0.99);
    // Noticed once, and nothing was disabled.
    learned(&given.app, "send the reset link", &[]).await;
    assert_eq!(questions(&given.app, "").await.len(), 1);
    assert_eq!(given.memory(&given.old).await["status"], "active");
}

#[tokio::test]
async fn the_lesson_that_is_right_supersedes_the_other_until_that_is_undone() {
    let given = given().await;

    let answered = given.answer("second").await.expect(200).json();

    assert_eq!((&answered["answer"], &answered["id"]), (&json!("second"), &given.question["id"]));
    assert!(
        answered["answered_by"].as_str().unwrap().starts_with("key:") && answered["answered_at"].is_string()
    );
    let old = given.memory(&given.old).await;
    assert_eq!((&old["status"], old["superseded_by"].is_string()), (&json!("disabled"), true));
    assert!(questions(&given.app, "").await.is_empty());
    assert_eq!(questions(&given.app, "open=false").await, std::slice::from_ref(&answered));
    assert_eq!(given.answer("first").await.expect(409).code(), "conflict");

    given.undo(&answered).await;
    assert_eq!(given.memory(&given.old).await["status"], "active");
    assert_eq!(questions(&given.app, "").await.len(), 1, "it is open again");
    given.answer("first").await.expect(200);
    assert_eq!(given.memory(&given.new).await["status"], "disabled");
}

#[tokio::test]
async fn one_lesson_is_grouped_and_two_right_ones_stay() {
    let given = given().await;
    let same = given.answer("same").await.expect(200).json();
    assert_eq!(given.memory(&given.new).await["lesson_id"], given.question["first"]["lesson_id"]);
    given.undo(&same).await;
    assert_ne!(given.memory(&given.new).await["lesson_id"], given.question["first"]["lesson_id"]);

    let both = given.answer("both").await.expect(200).json();

    assert_eq!((&both["answer"], both["action_id"].is_string()), (&json!("both"), true));
    for memory in [&given.old, &given.new] {
        assert_eq!(given.memory(memory).await["status"], "active");
    }
    assert!(questions(&given.app, "").await.is_empty());
    given.undo(&both).await;
    let open = questions(&given.app, "").await;
    assert_eq!((open.len(), &open[0]["answer"], &open[0]["action_id"]), (1, &Value::Null, &Value::Null));
}

#[tokio::test]
async fn two_answers_at_the_same_time_supersede_one_side() {
    let given = given().await;

    let (one, other) = tokio::join!(given.answer("first"), given.answer("second"));

    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
    let active = [given.memory(&given.old).await, given.memory(&given.new).await];
    assert_eq!(active.iter().filter(|memory| memory["status"] == "active").count(), 1, "{active:?}");
}

#[tokio::test]
async fn a_bad_answer_is_refused() {
    let given = given().await;
    given.answer("third").await.expect(422);
    let unknown = format!("/lesson-questions/{}/answer", uuid::Uuid::now_v7());
    given.app.post(&unknown, &json!({ "answer": "both" })).await.expect(404);
    given.app.post("/lesson-questions/no-id/answer", &json!({ "answer": "both" })).await.expect(404);
    given.app.get("/lesson-questions?limit=0").await.expect(422);
    given.app.get("/lesson-questions?open=maybe").await.expect(422);
}
