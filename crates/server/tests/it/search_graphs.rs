//! A project that grows gets a search graph, and loses it when it shrinks. Clients notice nothing.

use std::time::{Duration, Instant};

use reflect_engine::GraphSizes;
use reflect_test_support::TestApp;
use serde_json::{Value, json};
use sqlx::Executor;

const SIZES: GraphSizes = GraphSizes { from: 60 };

async fn lesson(app: &TestApp, task: &str) -> String {
    let body = json!({ "task": task, "trajectory": [],
                       "review": { "result": "pass", "reflection": { "guidance": format!("Mind {task}.") } } });
    let stored = app.post("/traces", &body).await.expect(201).json();
    stored["created_memory_id"].as_str().unwrap().to_owned()
}

/// Tasks that share words with some others. With the same distance between all of them a graph finds too little.
fn task(number: usize) -> String {
    let verb = ["sort", "count", "merge", "print", "check", "parse", "store"][number % 7];
    let noun = ["names", "files", "words", "dates", "pages"][number % 5];
    format!("{verb} {noun} of report {}", number % 2 + number / 35 * 2)
}

async fn ask(app: &TestApp, task: &str) -> Vec<String> {
    let answer = app.post("/memory/query", &json!({ "task": task })).await.expect(200);
    assert_eq!(answer.header("x-reflect-degraded"), None, "{task}");
    let found = answer.json();
    found.as_array().unwrap().iter().map(|memory| memory["id"].as_str().unwrap().to_owned()).collect()
}

async fn graph(app: &TestApp) -> Value {
    app.get("/diagnosis").await.expect(200).json()["search_graph"].clone()
}

/// Works on graphs until the diagnosis shows this state; transactions of other tests may have to end first.
async fn advance_to(app: &TestApp, state: &Value) {
    app.db.superuser().await.execute("analyze memory_vector").await.unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while graph(app).await["state"] != *state {
        assert!(Instant::now() < deadline, "the graph is {}", graph(app).await);
        app.app.engine().vector_graphs.advance(SIZES, Duration::ZERO).await.unwrap();
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_project_gets_a_graph_with_its_size_and_loses_it() {
    let app = TestApp::start().await;
    let mut memories = Vec::new();
    for number in 0..50 {
        memories.push(lesson(&app, &task(number)).await);
    }
    app.db.superuser().await.execute("analyze memory_vector").await.unwrap();
    app.app.engine().vector_graphs.advance(SIZES, Duration::ZERO).await.unwrap();
    assert_eq!(graph(&app).await, Value::Null, "it is too small");
    let before = ask(&app, &task(7)).await;
    assert_eq!(before[0], memories[7]);

    for number in 50..70 {
        memories.push(lesson(&app, &task(number)).await);
    }
    advance_to(&app, &json!("serving")).await;

    let serving = graph(&app).await;
    assert_eq!((&serving["vectors"], &serving["error"]), (&json!(70), &Value::Null));
    assert!(serving["recall"].as_f64().unwrap() >= 0.98, "{serving}");
    assert_eq!(ask(&app, &task(7)).await[0], memories[7]);
    // Learned while the graph serves, and found by the next query. It is far from all others: the graph alone does not find it.
    let late = lesson(&app, "count the words of a page").await;
    let found = ask(&app, "count the words of a page").await;
    assert_eq!(found[0], late);

    // Between the two sizes nothing changes.
    let shrink = |least: usize| {
        format!(
            "delete from memory_vector where memory_id in
        (select memory_id from memory_vector order by memory_id offset {least})"
        )
    };
    app.db.superuser().await.execute(sqlx::AssertSqlSafe(shrink(35))).await.unwrap();
    app.db.superuser().await.execute("analyze memory_vector").await.unwrap();
    app.app.engine().vector_graphs.advance(SIZES, Duration::ZERO).await.unwrap();
    assert_eq!(graph(&app).await["state"], "serving");
    app.db.superuser().await.execute(sqlx::AssertSqlSafe(shrink(20))).await.unwrap();
    advance_to(&app, &Value::Null).await;
    assert_eq!(ask(&app, &task(7)).await[0], memories[7]);
}
