//! Runs that a memory absorbed: they are split off and moved with it, and not alone.

use reflect_test_support::TestApp;
use serde_json::{Value, json};

const ANN: &str = "reset the password of ann";
const BOB: &str = "reset the password of bob";

async fn learned(app: &TestApp, task: &str, summary: &str) -> String {
    let lesson = json!({ "summary": summary, "correct_action": "send the reset link" });
    let body = json!({ "task": task, "trajectory": [],
                       "review": { "result": "pass", "reflection": lesson } });
    app.post("/traces", &body).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

async fn memory(app: &TestApp, id: &str) -> Value {
    app.get(&format!("/memories/{id}")).await.expect(200).json()
}

/// A lesson whose first memory absorbed a run, with another memory.
struct Given {
    app: TestApp,
    first: String,
    absorbed: String,
    other: String,
}

impl Given {
    async fn new() -> Self {
        let app = TestApp::start().await;
        let first = learned(&app, ANN, "Ann.").await;
        assert_eq!(learned(&app, ANN, "Ann again.").await, first);
        let merged = app.get("/memories?status=merged").await.expect(200).json();
        let absorbed = merged[0]["id"].as_str().unwrap().to_owned();
        let other = learned(&app, BOB, "Bob.").await;
        assert_eq!(memory(&app, &other).await["lesson_id"], json!(first));
        Self { app, first, absorbed, other }
    }

    async fn split(&self, memory: &str, status: u16) -> Value {
        let path = format!("/lessons/{}/split", self.first);
        self.app.post(&path, &json!({ "memory_ids": [memory] })).await.expect(status).json()
    }

    async fn lesson_of(&self, id: &str) -> Value {
        memory(&self.app, id).await["lesson_id"].clone()
    }
}

#[tokio::test]
async fn a_memory_is_split_off_with_the_runs_that_it_absorbed() {
    let given = Given::new().await;

    let parted = given.split(&given.first, 200).await;

    let new = &parted["lesson"]["id"];
    assert_eq!(
        (&parted["lesson"]["situations"], &parted["lesson"]["absorbed"], &parted["lesson"]["runs"]),
        (&json!(1), &json!(1), &json!(2))
    );
    assert_eq!(&given.lesson_of(&given.absorbed).await, new);
    assert_eq!(memory(&given.app, &given.other).await["summary"], "Bob.", "its lesson has its own words");
    let undo = format!("/actions/{}/undo", parted["action_id"].as_str().unwrap());
    given.app.post(&undo, &json!({})).await.expect(200);
    for id in [&given.first, &given.absorbed, &given.other] {
        assert_eq!(given.lesson_of(id).await, json!(given.first));
    }
}

#[tokio::test]
async fn a_memory_moves_with_the_runs_that_it_absorbed_and_these_do_not_move_alone() {
    let given = Given::new().await;
    let body = json!({ "task": "bake seven breads", "trajectory": [],
                       "review": { "result": "pass", "reflection": { "guidance": "Heat the oven." } } });
    let to = given.app.post("/traces", &body).await.expect(201).json()["created_memory_id"].clone();
    let to_lesson = json!({ "lesson_id": to });
    let path = |memory: &str| format!("/memories/{memory}/move");

    let alone = given.app.post(&path(&given.absorbed), &to_lesson).await.expect(409).json();
    let message = format!("this run is part of memory {}; move that memory instead", given.first);
    assert_eq!((&alone["error"]["code"], &alone["error"]["message"]), (&json!("conflict"), &json!(message)));
    assert_eq!(given.split(&given.absorbed, 409).await["error"]["message"], json!(message));
    assert_eq!(given.lesson_of(&given.absorbed).await, json!(given.first));

    given.app.post(&path(&given.first), &to_lesson).await.expect(200);
    assert_eq!(
        (given.lesson_of(&given.first).await, given.lesson_of(&given.absorbed).await),
        (to.clone(), to)
    );
    assert_eq!(memory(&given.app, &given.other).await["summary"], "Bob.");
}

#[tokio::test]
async fn a_memory_must_stay_in_a_lesson_that_is_more_than_an_absorbed_run() {
    let given = Given::new().await;
    given.split(&given.other, 200).await;

    let whole = given.split(&given.first, 409).await;

    assert!(whole["error"]["message"].as_str().unwrap().contains("must stay in the lesson"), "{whole}");
}
