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

/// How many reviews tested the weights.
async fn replayed(app: &TestApp) -> i32 {
    let count = sqlx::query_scalar("select coalesce(max(replayed), 0) from learning_stat");
    count.fetch_one(&mut app.db.superuser().await).await.unwrap()
}

#[tokio::test]
async fn a_lesson_that_comes_with_its_review_tests_the_weights_once() {
    let app = TestApp::start().await;
    let review = json!({ "result": "pass", "reflection": { "correct_action": "read the last line" } });
    let run = |name: &str| {
        json!({ "trace_id": uuid::Uuid::now_v7().to_string(), "task": format!("parse the invoice of {name}"),
                "trajectory": [], "review": review })
    };
    app.post("/traces", &run("ann")).await.expect(201);
    assert_eq!(replayed(&app).await, 0, "there was nothing to compare it with");

    let (one, batch) = (run("bob"), json!({ "traces": [run("eve")] }));
    for _ in 0..2 {
        assert!(app.post_once("/traces", "k", &one).await.status.is_success());
    }
    assert_eq!(replayed(&app).await, 1, "a repeated call stores nothing");
    for _ in 0..2 {
        app.post("/traces/batch", &batch).await.expect(200);
    }
    assert_eq!(replayed(&app).await, 2, "also in a batch");

    let mut late = run("dan");
    let later = late.as_object_mut().unwrap().remove("review").unwrap();
    let stored = app.post("/traces", &late).await.expect(201).json();
    let path = format!("/traces/{}/review", stored["trace_id"].as_str().unwrap());
    for _ in 0..2 {
        assert!(app.post_once(&path, "r", &later).await.status.is_success());
    }
    assert_eq!(replayed(&app).await, 3, "also if the review comes later");
}
