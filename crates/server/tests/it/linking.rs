//! Which memories a run had: each way in which that can be known, and that a client which forgets to say
//! so breaks nothing.

use reflect_test_support::TestApp;
use reflect_types::MemberRole;
use serde_json::{Value, json};

const TASK: &str = "parse the invoice";

fn run() -> Value {
    json!({ "task": TASK, "trajectory": [{ "role": "user", "content": TASK }] })
}

/// A memory that is there.
async fn memory(app: &TestApp) -> String {
    memory_of(app, "Read the total from the last line.").await
}

async fn memory_of(app: &TestApp, guidance: &str) -> String {
    let lesson = json!({ "guidance": guidance });
    let mut body = run();
    body["review"] = json!({ "result": "pass", "reflection": lesson });
    app.post("/traces", &body).await.expect(201).json()["created_memory_id"].as_str().unwrap().to_owned()
}

async fn query(app: &TestApp, task: &str) -> (Vec<Value>, String) {
    let answer = app.post("/memory/query", &json!({ "task": task })).await.expect(200);
    let receipt = answer.header("x-retrieval-id").unwrap().to_owned();
    (answer.json().as_array().unwrap().clone(), receipt)
}

/// Stores a run and says how it is linked, and to what.
async fn linked(app: &TestApp, body: &Value) -> (Value, Value) {
    let stored = app.post("/traces", body).await.json();
    let trace = app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.json();
    (trace["link"].clone(), trace["linked_memory_ids"].clone())
}

#[tokio::test]
async fn a_receipt_links() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    let (_, receipt) = query(&app, TASK).await;
    let mut body = run();
    body["task"] = json!("another wording of it");
    body["retrieval_id"] = json!(receipt);
    assert_eq!(linked(&app, &body).await, (json!("receipt"), json!([memory])));
}

#[tokio::test]
async fn ids_link() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    let mut body = run();
    body["retrieved_memory_ids"] = json!([memory]);
    assert_eq!(linked(&app, &body).await, (json!("ids"), json!([memory])));
}

#[tokio::test]
async fn what_stands_in_the_messages_links() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    let question = json!({ "task": TASK, "include_ids": true });
    let augmented = app.post("/memory/augment", &question).await.expect(200).json();
    let body = json!({ "task": "a wording without an earlier query",
                       "trajectory": [{ "role": "user", "content": augmented["augmented_task"] }] });
    assert_eq!(linked(&app, &body).await, (json!("trajectory"), json!([memory])));
}

#[tokio::test]
async fn a_prompt_without_ids_links_by_the_receipt_or_the_last_retrieval() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    let augmented = app.post("/memory/augment", &json!({ "task": TASK })).await.expect(200).json();
    let text = augmented["augmented_task"].as_str().unwrap();
    assert!(text.contains("Read the total from the last line.") && !text.contains(&memory), "{text}");
    let mut body = json!({ "task": TASK, "trajectory": [{ "role": "user", "content": text }] });
    assert_eq!(linked(&app, &body).await, (json!("inferred"), json!([memory])));
    body["task"] = json!("a wording without an earlier query");
    body["retrieval_id"] = augmented["retrieval_id"].clone();
    assert_eq!(linked(&app, &body).await, (json!("receipt"), json!([memory])));
}

#[tokio::test]
async fn a_retrieval_for_the_same_task_links_and_says_that_it_was_inferred() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    query(&app, TASK).await;
    assert_eq!(linked(&app, &run()).await, (json!("inferred"), json!([memory])));

    // Not when the run says that it used none.
    let mut none = run();
    none["used_memory_ids"] = json!([]);
    assert_eq!(linked(&app, &none).await, (json!("none"), json!([])));

    // Not another key's, not another task's, not one of long ago.
    let mut other = run();
    other["task"] = json!("a task that nobody asked memories for");
    assert_eq!(linked(&app, &other).await, (json!("none"), json!([])));
    let key = app.new_key(Some(&app.project), reflect_types::Scope::ALL).await;
    let stored = app.send("POST", &app.path("/traces"), Some(&key), &[], Some(&run())).await.json();
    let trace = app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.json();
    assert_eq!(trace["link"], "none");
    let mut database = app.db.superuser().await;
    let long_ago = "update retrieval set retrieval_id = (left(uuid_at(now() - interval '61 minutes')::text, 14) \
                    || substr(retrieval_id::text, 15))::uuid";
    sqlx::query(long_ago).execute(&mut database).await.unwrap();
    assert_eq!(linked(&app, &run()).await, (json!("none"), json!([])));
}

#[tokio::test]
async fn a_client_that_forgets_the_ids_still_teaches() {
    let app = TestApp::start().await;
    memory(&app).await;
    query(&app, TASK).await;
    let mut body = run();
    body["review"] = json!({ "result": "pass" });
    app.post("/traces", &body).await.expect(202);
    app.learn().await;
    let (found, _) = query(&app, TASK).await;
    let moved = found.iter().find(|memory| memory["origin"] == "authored").unwrap();
    assert_eq!(moved["q_value"], 0.65);
    assert_eq!(moved["evidence"], 1);
    assert!(moved["credit"].as_f64().unwrap() > 0.5);
    let interval = moved["credit_interval"].as_array().unwrap();
    assert!(
        interval[0].as_f64() < moved["credit"].as_f64() && moved["credit"].as_f64() < interval[1].as_f64()
    );
}

#[tokio::test]
async fn only_what_was_used_is_credited_when_the_client_says_which() {
    let app = TestApp::start().await;
    let (one, other) = (memory(&app).await, memory_of(&app, "Round to two digits.").await);
    let mut body = run();
    body["retrieved_memory_ids"] = json!([one, other]);
    body["used_memory_ids"] = json!([one]);
    body["review"] = json!({ "result": "pass" });
    app.post("/traces", &body).await.expect(202);
    app.learn().await;
    let (found, _) = query(&app, TASK).await;
    let of = |id: &str, field: &str| found.iter().find(|memory| memory["id"] == id).unwrap()[field].clone();
    assert_eq!((of(&one, "evidence"), of(&other, "evidence")), (json!(1), json!(0)));
    assert_eq!((of(&one, "q_value"), of(&other, "q_value")), (json!(0.65), json!(0.65)));
    assert_eq!(found[0]["id"], one.as_str(), "the one that helped comes first");
}

#[tokio::test]
async fn a_held_out_task_gets_nothing_and_its_run_counts_for_no_memory() {
    let app = TestApp::start().await;
    memory(&app).await;
    for (rate, status) in [(0.6, 422), (0.5, 200)] {
        let change = json!({ "holdout_rate": rate });
        app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(status);
    }
    let (mut with, mut without) = (0, 0);
    for number in 0..60 {
        let task = format!("{TASK} {number}");
        let (found, _) = query(&app, &task).await;
        let body = json!({ "task": task, "trajectory": "done", "review": { "result": "pass" } });
        let stored = app.post("/traces", &body).await.json();
        let trace = app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.json();
        if found.is_empty() {
            without += 1;
            assert_eq!((&trace["arm"], &trace["link"]), (&json!("without"), &json!("none")));
        } else {
            with += 1;
            assert_eq!((&trace["arm"], &trace["link"]), (&json!("with"), &json!("inferred")));
        }
        assert_eq!(trace["linked_memory_ids"].as_array().unwrap().is_empty(), found.is_empty());
    }
    assert!(with >= 5 && without >= 5, "{with} with, {without} without");
}

#[tokio::test]
async fn a_person_who_looks_a_task_up_is_never_in_the_holdout() {
    let app = TestApp::start().await;
    memory(&app).await;
    let change = json!({ "holdout_rate": 0.5 });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
    let session = app.browser().sign_in(MemberRole::Viewer, None).await;
    for number in 0..20 {
        let task = json!({ "task": format!("{TASK} {number}") });
        let path = app.browser().path("/memory/query");
        let found = app.browser().send("POST", &path, Some(&session), Some(&task)).await.expect(200).json();
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{found}");
    }
}

#[tokio::test]
async fn later_trials_of_a_run_are_on_neither_side_of_the_comparison() {
    let app = TestApp::start().await;
    let note = memory(&app).await;
    let change = json!({ "holdout_rate": 0.5 });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
    let arm = async |task: &str, trial: u64, more: Value| -> Value {
        let mut body = json!({ "task": task, "trajectory": "done",
                               "metadata": { "run_id": format!("run of {task}"), "trial": trial } });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let stored = app.post("/traces", &body).await.expect(201).json();
        app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.json()["arm"].clone()
    };

    let (mut with, mut without) = (0, 0);
    for number in 0..40 {
        let task = format!("{TASK} {number}");
        let (found, receipt) = query(&app, &task).await;
        let first = if found.is_empty() { "without" } else { "with" };
        *(if found.is_empty() { &mut without } else { &mut with }) += 1;
        assert_eq!(arm(&task, 1, json!({})).await, first);
        // As the loop records it, as one that recalls again would, and as one that says nothing.
        for later in
            [json!({ "retrieved_memory_ids": [note] }), json!({ "retrieval_id": receipt }), json!({})]
        {
            assert_eq!(arm(&task, 2, later.clone()).await, Value::Null, "{first}, {later}");
        }
    }
    assert!(with >= 5 && without >= 5, "{with} with, {without} without");
}

#[tokio::test]
async fn marked_steps_add_to_the_retrieval_of_the_task_and_a_run_that_was_held_out_leaves_the_comparison() {
    let app = TestApp::start().await;
    let memory = memory(&app).await;
    // Before the holdout, so the step had the memory.
    let (_, of_step) = query(&app, TASK).await;
    let change = json!({ "holdout_rate": 0.5 });
    app.send("PATCH", &app.path(""), Some(&app.key), &[], Some(&change)).await.expect(200);
    let mark = json!({ "task": TASK, "action": "read the last line", "retrieval_id": of_step });
    let plain = json!({ "trajectory": [{ "role": "assistant", "content": "done", "reflect_step": mark }] });
    // The memories of such a run are needed before it is stored.
    let mut with_lesson = plain.clone();
    with_lesson["review"] =
        json!({ "result": "pass", "reflection": { "guidance": "Read the total from the last line." } });

    let (mut with, mut without) = (0, 0);
    for number in 0..40 {
        let task = format!("{TASK} {number}");
        let (found, _) = query(&app, &task).await;
        *(if found.is_empty() { &mut without } else { &mut with }) += 1;
        let arm = if found.is_empty() { Value::Null } else { json!("with") };
        for mut body in [plain.clone(), with_lesson.clone()] {
            body["task"] = json!(task);
            let stored = app.post("/traces", &body).await.expect(201).json();
            let trace = app.get(&format!("/traces/{}", stored["trace_id"].as_str().unwrap())).await.json();
            assert_eq!((&trace["arm"], &trace["link"]), (&arm, &json!("receipt")), "{trace}");
            assert!(trace["linked_memory_ids"].as_array().unwrap().contains(&json!(memory)), "{trace}");
        }
    }
    assert!(with >= 5 && without >= 5, "{with} with, {without} without");
}

#[tokio::test]
async fn a_receipt_says_what_was_considered_and_why_it_was_not_served() {
    let app = TestApp::start().await;
    let (one, other) = (memory(&app).await, memory_of(&app, "Round to two digits.").await);
    let considered = async |question: Value| -> Vec<(Value, Value)> {
        let answer = app.post("/memory/query", &question).await.expect(200);
        let receipt = answer.header("x-retrieval-id").unwrap().to_owned();
        let receipt = app.get(&format!("/retrievals/{receipt}")).await.expect(200).json();
        assert_eq!(receipt["task"], question["task"]);
        let lines = receipt["considered"].as_array().unwrap().iter();
        lines.map(|line| (line["memory_id"].clone(), line["fate"].clone())).collect()
    };
    let line = |id: &str, fate: &str| (json!(id), json!(fate));
    assert_eq!(
        considered(json!({ "task": TASK, "limit": 1 })).await,
        [line(&one, "served"), line(&other, "outranked")]
    );
    let far = considered(json!({ "task": "parse this", "similarity_threshold": 0.99 })).await;
    assert_eq!(far, [line(&one, "dissimilar"), line(&other, "dissimilar")]);
    let full =
        app.post("/memory/augment", &json!({ "task": TASK, "max_tokens": 1 })).await.expect(200).json();
    let receipt = app.get(&format!("/retrievals/{}", full["retrieval_id"].as_str().unwrap())).await.json();
    assert_eq!(receipt["considered"][0]["fate"], "noroom");
    app.get("/retrievals/no-id").await.expect(404);
}
