//! The grouping of memories that existed before lessons were grouped: in the background, and reverted by one call.

use std::time::Duration;

use reflect_store::MaintenanceStep;
use reflect_test_support::TestApp;
use serde_json::{Value, json};

async fn learned(app: &TestApp, task: &str, action: &str) -> String {
    let body = json!({ "task": task, "trajectory": [],
                       "review": { "result": "pass", "reflection": { "correct_action": action } } });
    app.post("/traces", &body).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

async fn status(app: &TestApp) -> Value {
    app.get("/lesson-grouping").await.expect(200).json()
}

async fn set(app: &TestApp, grouping: &str) {
    let change = json!({ "lessons": { "grouping": grouping } });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
}

async fn maintain(app: &TestApp) {
    let budget = Duration::from_secs(60);
    app.app.engine().maintenance.run_step(MaintenanceStep::Lessons, budget).await.unwrap();
}

/// What grouping must not change of all memories.
async fn numbers(app: &TestApp) -> Vec<[Value; 5]> {
    let all = app.get("/memories?include_same_lesson=true").await.expect(200).json();
    let of =
        |memory: &Value| ["id", "status", "q_value", "credit", "evidence"].map(|name| memory[name].clone());
    all.as_array().unwrap().iter().map(of).collect()
}

/// A project whose memories were made without lessons.
async fn given() -> TestApp {
    let app = TestApp::start().await;
    set(&app, "off").await;
    for (task, action) in [
        ("reset the password of ann", "send the reset link"),
        ("reset the password of bob", "Send the reset link."),
        ("reset the password of eve", "ask for the card"),
        ("bake seven breads", "heat the oven"),
    ] {
        learned(&app, task, action).await;
    }
    app
}

#[tokio::test]
async fn existing_memories_are_grouped_in_the_background_and_reverted_at_once() {
    let app = given().await;
    maintain(&app).await;
    let before = status(&app).await;
    assert_eq!((&before["lessons"], &before["situations"]), (&json!(4), &json!(4)), "it is off: {before}");
    let unchanged = numbers(&app).await;

    set(&app, "automatic").await;
    maintain(&app).await;

    let done = status(&app).await;
    assert_eq!(
        (&done["state"], &done["done"], &done["total"]),
        (&json!("done"), &json!(4), &json!(4)),
        "{done}"
    );
    assert_eq!((&done["lessons"], &done["situations"]), (&json!(3), &json!(4)), "{done}");
    assert_eq!(numbers(&app).await, unchanged);
    let action = done["action_id"].as_str().unwrap();
    let action = app.get(&format!("/actions/{action}")).await.expect(200).json();
    assert_eq!((&action["kind"], &action["actor"]), (&json!("lesson.migrate"), &json!("server")));

    let reverted = app.post("/lesson-grouping/revert", &json!({})).await.expect(200).json();
    assert_eq!((&reverted["state"], &reverted["lessons"]), (&json!("reverted"), &json!(4)), "{reverted}");
    assert_eq!(numbers(&app).await, unchanged);
    let project = app.get("").await.expect(200).json();
    assert_eq!(project["lessons"]["grouping"], "off");
    maintain(&app).await;
    assert_eq!(status(&app).await["state"], "reverted", "it does not begin again by itself");
    app.post("/lesson-grouping/revert", &json!({})).await.expect(200);

    let started = app.post("/lesson-grouping/start", &json!({})).await.expect(200).json();
    assert_eq!(started["state"], "waiting");
    maintain(&app).await;
    assert_eq!((&status(&app).await["state"], &status(&app).await["lessons"]), (&json!("done"), &json!(3)));
}

#[tokio::test]
async fn a_revert_undoes_what_later_runs_joined_and_keeps_what_people_grouped() {
    let app = given().await;
    set(&app, "automatic").await;
    maintain(&app).await;
    learned(&app, "reset the password of dan", "send the reset link").await;
    learned(&app, "reset the password of ann", "send the reset link").await;
    let mut own = Vec::new();
    for (task, action) in [("paint the fence", "clean it first"), ("cut the grass", "raise the blade")] {
        own.push(learned(&app, task, action).await);
    }
    app.post("/lessons/group", &json!({ "into": own[0], "lesson_ids": [own[1]] })).await.expect(200);
    assert_eq!(status(&app).await["situations"], 7, "one run was absorbed");

    let reverted = app.post("/lesson-grouping/revert", &json!({})).await.expect(200).json();

    assert_eq!(reverted["situations"], 8, "{reverted}");
    let kept = app.get(&format!("/lessons/{}", own[0])).await.expect(200).json();
    assert_eq!(kept["memories"].as_array().unwrap().len(), 2);
    let joined = app.get("/lessons?q=password").await.expect(200).json();
    assert!(joined.as_array().unwrap().iter().all(|lesson| lesson["situations"] == 1), "{joined}");
}

#[tokio::test]
async fn a_lesson_that_people_extended_stays_after_a_revert() {
    let app = given().await;
    set(&app, "automatic").await;
    maintain(&app).await;
    let migrated = app.get("/lessons?q=password").await.expect(200).json();
    let migrated = migrated.as_array().unwrap().iter().find(|lesson| lesson["situations"] == 2).unwrap();
    let into = migrated["id"].clone();
    let moved = learned(&app, "paint the fence", "clean it first").await;
    app.post("/lessons/group", &json!({ "into": into, "lesson_ids": [moved] })).await.expect(200);

    app.post("/lesson-grouping/revert", &json!({})).await.expect(200);

    let kept = app.get(&format!("/lessons/{}", into.as_str().unwrap())).await.expect(200).json();
    let memories: Vec<&Value> = kept["memories"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(memories, [&json!(moved), &into], "the founder and what was moved to it: {kept}");
}

/// All lessons, each with one situation.
async fn is_apart(app: &TestApp) {
    let lessons = app.get("/lessons").await.expect(200).json();
    assert!(lessons.as_array().unwrap().iter().all(|lesson| lesson["situations"] == 1), "{lessons}");
}

#[tokio::test]
async fn a_revert_undoes_a_grouping_that_was_started_again() {
    let app = given().await;
    set(&app, "automatic").await;
    maintain(&app).await;
    let first = status(&app).await["action_id"].clone();
    set(&app, "off").await;
    learned(&app, "reset the password of dan", "SEND the reset link").await;
    learned(&app, "reset the password of kim", "send the RESET link").await;

    let started = app.post("/lesson-grouping/start", &json!({})).await.expect(200).json();
    assert_eq!((&started["state"], &started["action_id"]), (&json!("waiting"), &first), "{started}");
    maintain(&app).await;
    let done = status(&app).await;
    assert_eq!(
        (&done["state"], &done["done"], &done["total"], &done["lessons"]),
        (&json!("done"), &json!(2), &json!(2), &json!(3)),
        "{done}"
    );
    assert_eq!(done["action_id"], first, "the same action continues");

    let reverted = app.post("/lesson-grouping/revert", &json!({})).await.expect(200).json();

    assert_eq!((&reverted["lessons"], &reverted["situations"]), (&json!(6), &json!(6)), "{reverted}");
    is_apart(&app).await;
}

#[tokio::test]
async fn a_revert_undoes_joins_before_the_grouping_and_can_be_repeated() {
    let app = given().await;
    set(&app, "automatic").await;
    learned(&app, "reset the password of dan", "SEND the reset link").await;
    let before = status(&app).await;
    assert_eq!((&before["lessons"], &before["situations"]), (&json!(4), &json!(5)), "it joined: {before}");
    maintain(&app).await;
    assert_eq!(status(&app).await["lessons"], 3);

    for _ in 0..2 {
        let reverted = app.post("/lesson-grouping/revert", &json!({})).await.expect(200).json();

        assert_eq!((&reverted["state"], &reverted["lessons"]), (&json!("reverted"), &json!(5)), "{reverted}");
        is_apart(&app).await;
    }
    let open = app.get("/actions?include_automatic=true").await.expect(200).json();
    let open = open.as_array().unwrap().iter().filter(|action| action["undone_at"].is_null());
    assert_eq!(open.filter(|action| action["actor"] == "server").count(), 0);
}

#[tokio::test]
async fn the_grouping_is_not_undone_as_an_action() {
    let app = given().await;
    set(&app, "automatic").await;
    maintain(&app).await;
    let action = status(&app).await["action_id"].as_str().unwrap().to_owned();

    let refused = app.post(&format!("/actions/{action}/undo"), &json!({})).await.expect(409);

    let message = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("lesson-grouping/revert"), "{message}");
    let state = status(&app).await;
    assert_eq!((&state["state"], &state["lessons"]), (&json!("done"), &json!(3)));
    // Afterwards it stays as it is, like every action that is undone.
    app.post("/lesson-grouping/revert", &json!({})).await.expect(200);
    let undone = app.post(&format!("/actions/{action}/undo"), &json!({})).await.expect(200).json();
    assert!(undone["undone_at"].is_string(), "{undone}");
}
