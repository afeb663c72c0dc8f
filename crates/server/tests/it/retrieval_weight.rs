//! The weight of utility against similarity: the request decides, then the project.

use reflect_test_support::TestApp;
use serde_json::{Value, json};

const TASK: &str = "parse the invoice";

async fn given() -> TestApp {
    let app = TestApp::start().await;
    let body = json!({ "task": TASK, "trajectory": [],
                       "review": { "result": "pass", "reflection": { "guidance": "Read the last line." } } });
    app.post("/traces", &body).await.expect(201);
    app
}

async fn set(app: &TestApp, change: Value) {
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
}

/// The weight of a query, and where it comes from, as its receipt says.
async fn weight(app: &TestApp, parameters: Value) -> (f64, String) {
    let mut question = json!({ "task": TASK });
    question.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
    let answer = app.post("/memory/query", &question).await.expect(200);
    let receipt = answer.header("x-retrieval-id").unwrap().to_owned();
    let receipt = app.get(&format!("/retrievals/{receipt}")).await.expect(200).json();
    let value = receipt["parameters"]["utility_weight"].as_f64().unwrap();
    (
        (value * 1000.0).round() / 1000.0,
        receipt["parameters"]["utility_weight_from"].as_str().unwrap().to_owned(),
    )
}

#[tokio::test]
async fn the_request_wins_and_replay_is_used_only_if_the_project_chose_it() {
    let app = given().await;
    let from = |value: f64, source: &str| (value, source.to_owned());
    assert_eq!(weight(&app, json!({})).await, from(0.5, "default"));
    assert_eq!(weight(&app, json!({ "lambda": 0.2 })).await, from(0.2, "request"));
    assert_eq!(weight(&app, json!({ "lambda": 0.2, "utility_weight": 0.7 })).await, from(0.7, "request"));
    // A null counts as absent.
    assert_eq!(weight(&app, json!({ "lambda": null })).await, from(0.5, "default"));

    set(&app, json!({ "lessons": { "utility_weight": "replay" } })).await;

    assert_eq!(weight(&app, json!({})).await, from(0.3, "replay"), "too few reviews to choose");
    assert_eq!(weight(&app, json!({ "lambda": 0.5 })).await, from(0.5, "request"));
    assert_eq!(weight(&app, json!({ "ranking": "classic" })).await, from(0.5, "default"));
}

#[tokio::test]
async fn reviews_choose_the_weight_that_would_have_served_them_best() {
    let app = given().await;
    set(&app, json!({ "lessons": { "utility_weight": "replay" } })).await;
    // As after many reviews: the second weight was right most often.
    let learned = "insert into learning_stat (project_id, replayed, weight_scores)
                   select project_id, 200, '{1, 9, 3, 2}' from memory limit 1
                   on conflict (project_id, only_row) do update set replayed = 200, weight_scores = '{1, 9, 3, 2}'";
    sqlx::query(learned).execute(&mut app.db.superuser().await).await.unwrap();
    // A change of the settings lets the server read them again, and what reviews taught with them.
    set(&app, json!({ "lessons": { "utility_weight": "replay" } })).await;

    assert_eq!(weight(&app, json!({})).await, (0.15, "replay".to_owned()));
}
